/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encode extended attributes of items: a list of bytes, each attribute a length of its value (4 bytes, little-endian),
 * its name with a NUL, and its value. A list has each name once: a later one takes the place of the earlier.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "source/attribute.h"

bool source_attribute_is_wanted(const struct source *src, const char *name)
{
	static const struct {
		const char *prefix;
		unsigned bit;
	} kinds[] = {
		{ "user.", F2FS_KEEP_USER },
		{ "trusted.", F2FS_KEEP_TRUSTED },
		{ "security.", F2FS_KEEP_SECURITY },
		{ "system.posix_acl_", F2FS_KEEP_ACL },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strncmp(name, kinds[i].prefix, strlen(kinds[i].prefix)) == 0)
			return (src->opt.keep & kinds[i].bit) != 0;
	return false;
}

uint8_t *source_attribute_find(const struct vec *list, const char *name, size_t *length)
{
	uint8_t *at = list->items;

	for (size_t left = list->count; left > 0; at += *length, left -= *length) {
		*length = 4 + strlen((const char *)at + 4) + 1 + get_le32(at);
		if (strcmp((const char *)at + 4, name) == 0)
			return at;
	}
	return NULL;
}

/* Drop an attribute that is given again. */
static void drop_attribute(struct vec *list, const char *name)
{
	size_t length;
	uint8_t *at = source_attribute_find(list, name, &length);

	if (!at)
		return;
	memmove(at, at + length, list->count - (size_t)(at + length - (uint8_t *)list->items));
	list->count -= length;
}

int source_attribute_put(struct source *src, struct vec *list, const char *name, const void *value, size_t size)
{
	const size_t length = strlen(name) + 1;
	uint8_t *to;

	if (size > UINT32_MAX)
		return error_set(src->ctx, F2FS_ERR_TOO_BIG, "the attribute is too large");
	drop_attribute(list, name);
	to = vec_push(list, 4 + length + size);
	if (!to)
		return F2FS_ERR_NOMEM;
	put_le32(to, (uint32_t)size);
	memcpy(to + 4, name, length);
	if (size)
		memcpy(to + 4 + length, value, size);
	return 0;
}

int source_attribute_add(struct source *src, const char *name, const void *value, size_t size)
{
	return source_attribute_put(src, &src->attributes, name, value, size);
}
