/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Access control lists: the two binary forms and the rules. On disk, entries without an
 * id take 4 bytes, the others 8; in the form of getxattr all take 8. Text is in acl_text.c.
 */
#include "base/acl.h"

#include <stdbool.h>

#include "base/bytes.h"

#define HEADER_SIZE 4
#define DISK_VERSION 1
#define XATTR_VERSION 2
#define SHORT_SIZE 4
#define LONG_SIZE 8

/* ACLs without ids have three or four entries; more only with ids, which come on top of four. */
#define SHORT_COUNT 4

const char *acl_result_text(enum acl_result result)
{
	static const char *const texts[] = {
		[ACL_OK] = "valid",
		[ACL_BAD_VERSION] = "unknown version",
		[ACL_BAD_SIZE] = "size is no whole number of entries",
		[ACL_BAD_TAG] = "unknown tag",
		[ACL_BAD_PERM] = "unknown permission bits",
		[ACL_BAD_ID] = "invalid user or group id",
		[ACL_BAD_ORDER] = "entries out of order",
		[ACL_MISSING_ENTRY] = "a required entry is missing",
		[ACL_BAD_TEXT] = "not an entry",
		[ACL_NO_ROOM] = "too many entries",
	};

	return texts[result];
}

static bool has_id(uint16_t tag)
{
	return tag == ACL_USER || tag == ACL_GROUP;
}

static bool is_tag(uint16_t tag)
{
	return has_id(tag) || tag == ACL_USER_OBJ || tag == ACL_GROUP_OBJ || tag == ACL_MASK || tag == ACL_OTHER;
}

static enum acl_result decode_header(const uint8_t *value, size_t len, uint32_t version)
{
	if (len < HEADER_SIZE)
		return ACL_BAD_SIZE;
	return get_le32(value) == version ? ACL_OK : ACL_BAD_VERSION;
}

/* The number of entries that a disk value of this size must have. */
static enum acl_result count_disk(size_t len, size_t *count)
{
	size_t body = len - HEADER_SIZE;

	if (body < SHORT_COUNT * SHORT_SIZE) {
		*count = body / SHORT_SIZE;
		return body % SHORT_SIZE == 0 ? ACL_OK : ACL_BAD_SIZE;
	}
	body -= SHORT_COUNT * SHORT_SIZE;
	*count = SHORT_COUNT + body / LONG_SIZE;
	return body % LONG_SIZE == 0 ? ACL_OK : ACL_BAD_SIZE;
}

enum acl_result acl_decode_disk(const uint8_t *value, size_t len, struct acl_entry *entries, size_t cap, size_t *count)
{
	enum acl_result result = decode_header(value, len, DISK_VERSION);
	size_t n = 0, at = HEADER_SIZE;

	if (result == ACL_OK)
		result = count_disk(len, &n);
	if (result != ACL_OK)
		return result;
	if (n > cap)
		return ACL_NO_ROOM;
	for (size_t i = 0; i < n; i++) {
		struct acl_entry *e = &entries[i];

		if (len - at < SHORT_SIZE)
			return ACL_BAD_SIZE;
		e->tag = get_le16(value + at);
		e->perm = get_le16(value + at + 2);
		e->id = ACL_NO_ID;
		if (!is_tag(e->tag))
			return ACL_BAD_TAG;
		if (has_id(e->tag)) {
			if (len - at < LONG_SIZE)
				return ACL_BAD_SIZE;
			e->id = get_le32(value + at + 4);
		}
		at += has_id(e->tag) ? LONG_SIZE : SHORT_SIZE;
	}
	if (at != len)
		return ACL_BAD_SIZE;
	*count = n;
	return ACL_OK;
}

enum acl_result acl_decode_xattr(const uint8_t *value, size_t len, struct acl_entry *entries, size_t cap, size_t *count)
{
	enum acl_result result = decode_header(value, len, XATTR_VERSION);
	size_t n;

	if (result != ACL_OK)
		return result;
	n = (len - HEADER_SIZE) / LONG_SIZE;
	if ((len - HEADER_SIZE) % LONG_SIZE != 0)
		return ACL_BAD_SIZE;
	if (n > cap)
		return ACL_NO_ROOM;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = value + HEADER_SIZE + i * LONG_SIZE;

		entries[i].tag = get_le16(p);
		entries[i].perm = get_le16(p + 2);
		if (!is_tag(entries[i].tag))
			return ACL_BAD_TAG;
		/* what stands in the place of an id that there is not means nothing */
		entries[i].id = has_id(entries[i].tag) ? get_le32(p + 4) : ACL_NO_ID;
	}
	*count = n;
	return ACL_OK;
}

static void encode_entry(const struct acl_entry *e, uint8_t *p)
{
	put_le16(p, e->tag);
	put_le16(p + 2, e->perm);
}

size_t acl_encode_disk(const struct acl_entry *entries, size_t count, uint8_t *value)
{
	size_t at = HEADER_SIZE;

	put_le32(value, DISK_VERSION);
	for (size_t i = 0; i < count; i++) {
		encode_entry(&entries[i], value + at);
		at += SHORT_SIZE;
		if (has_id(entries[i].tag)) {
			put_le32(value + at, entries[i].id);
			at += LONG_SIZE - SHORT_SIZE;
		}
	}
	return at;
}

size_t acl_encode_xattr(const struct acl_entry *entries, size_t count, uint8_t *value)
{
	put_le32(value, XATTR_VERSION);
	for (size_t i = 0; i < count; i++) {
		uint8_t *p = value + HEADER_SIZE + i * LONG_SIZE;

		encode_entry(&entries[i], p);
		put_le32(p + 4, has_id(entries[i].tag) ? entries[i].id : ACL_NO_ID);
	}
	return HEADER_SIZE + count * LONG_SIZE;
}

enum acl_result acl_check(const struct acl_entry *entries, size_t count)
{
	bool needs_mask = false;
	uint16_t seen = 0, last = 0;

	for (size_t i = 0; i < count; i++) {
		const struct acl_entry *e = &entries[i];

		if (!is_tag(e->tag))
			return ACL_BAD_TAG;
		if (e->perm > 7)
			return ACL_BAD_PERM;
		/* the tags' numbers are in the order of the entries; only those with an id repeat */
		if (e->tag < last || (e->tag == last && !has_id(e->tag)))
			return ACL_BAD_ORDER;
		if (has_id(e->tag)) {
			if (e->id == ACL_NO_ID)
				return ACL_BAD_ID;
			needs_mask = true;
		}
		last = e->tag;
		seen |= e->tag;
	}
	if (!(seen & ACL_USER_OBJ) || !(seen & ACL_GROUP_OBJ) || !(seen & ACL_OTHER))
		return ACL_MISSING_ENTRY;
	return needs_mask && !(seen & ACL_MASK) ? ACL_MISSING_ENTRY : ACL_OK;
}
