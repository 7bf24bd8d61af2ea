/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attribute entries and the table of name prefixes.
 */
#include "format/xattr.h"

#include "format/flags.h"

struct prefix_row {
	uint8_t index;
	bool has_name, is_internal;
	const char *prefix;
};

static const struct prefix_row prefixes[] = {
	{ XATTR_USER, true, false, "user." },
	{ XATTR_ACL_ACCESS, false, false, "system.posix_acl_access" },
	{ XATTR_ACL_DEFAULT, false, false, "system.posix_acl_default" },
	{ XATTR_TRUSTED, true, false, "trusted." },
	{ XATTR_LUSTRE, true, true, "lustre." },
	{ XATTR_SECURITY, true, false, "security." },
	{ XATTR_ADVISE, false, true, "system.advise" },
	{ XATTR_ENCRYPTION, true, true, "encryption." },
	{ XATTR_VERITY, true, true, "verity." },
};

static const struct prefix_row *find_prefix(unsigned index)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (prefixes[i].index == index)
			return &prefixes[i];
	return NULL;
}

const char *xattr_prefix(unsigned index)
{
	const struct prefix_row *row = find_prefix(index);

	return row ? row->prefix : NULL;
}

bool xattr_has_name(unsigned index)
{
	const struct prefix_row *row = find_prefix(index);

	return row && row->has_name;
}

bool xattr_is_internal(unsigned index)
{
	const struct prefix_row *row = find_prefix(index);

	return row && row->is_internal;
}

bool xattr_name_is_legal(const struct xattr_ref *ref)
{
	const struct prefix_row *row = find_prefix(ref->index);

	if (!row)
		return true; /* Linux skips it */
	if (!row->has_name)
		return ref->name_len == 0;
	for (unsigned i = 0; i < ref->name_len; i++)
		if (ref->name[i] == 0)
			return false;
	return ref->name_len > 0;
}

enum xattr_scan xattr_next(const uint8_t *string, uint32_t size, uint32_t *offset, struct xattr_ref *out)
{
	uint32_t at = *offset, length;
	const uint8_t *entry;

	if (at == 0) {
		if (size < xhead_SIZE || xhead_h_magic(string) != XATTR_MAGIC)
			return XATTR_END;
		at = xhead_SIZE;
	}
	/* an entry may end exactly at the end of the area, without a terminator */
	if (at > size || size - at < xentry_SIZE)
		return XATTR_END;
	entry = string + at;
	if (get_le32(entry) == 0)
		return XATTR_END;
	length = (uint32_t)xentry_SIZE + xentry_e_name_len(entry) + xentry_e_value_size(entry);
	if (length > size - at)
		return XATTR_BAD;
	out->offset = at;
	out->index = xentry_e_name_index(entry);
	out->name_len = xentry_e_name_len(entry);
	out->value_size = xentry_e_value_size(entry);
	out->name = entry + xentry_SIZE;
	out->value = out->name + out->name_len;
	at += (length + 3) & ~3u;
	*offset = at < size ? at : size;
	return XATTR_FOUND;
}
