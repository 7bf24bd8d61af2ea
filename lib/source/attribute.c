/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes on their way: a list of bytes, each attribute a length of its value (4 bytes, little-endian), its
 * name with a NUL, and its value. A list has each name once: a later one takes the place of the earlier.
 */
#include <string.h>

#include "base/bytes.h"
#include "source/populate.h"

bool populate_attribute_is_wanted(const struct populate *p, const char *name)
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
			return (p->opt.keep & kinds[i].bit) != 0;
	return false;
}

/* Where a list has an attribute of that name, and how many bytes it takes; NULL: nowhere. */
static uint8_t *find_attribute(const struct vec *list, const char *name, size_t *length)
{
	uint8_t *at = list->items;

	for (size_t left = list->count; left > 0; at += *length, left -= *length) {
		*length = 4 + strlen((const char *)at + 4) + 1 + get_le32(at);
		if (strcmp((const char *)at + 4, name) == 0)
			return at;
	}
	return NULL;
}

/* The attribute is given anew. */
static void drop_attribute(struct vec *list, const char *name)
{
	size_t length;
	uint8_t *at = find_attribute(list, name, &length);

	if (!at)
		return;
	memmove(at, at + length, list->count - (size_t)(at + length - (uint8_t *)list->items));
	list->count -= length;
}

int populate_attribute_put(struct populate *p, struct vec *list, const char *name, const void *value, size_t size)
{
	const size_t length = strlen(name) + 1;
	uint8_t *to;

	if (size > UINT32_MAX)
		return error_set(p->ctx, F2FS_ERR_TOO_BIG, "the attribute is too large");
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

int populate_attribute_add(struct populate *p, const char *name, const void *value, size_t size)
{
	return populate_attribute_put(p, &p->attributes, name, value, size);
}

int populate_attributes_set(struct populate *p, const struct vec *list, struct f2fs_inode *inode)
{
	const uint8_t *at = list->items;

	for (size_t left = list->count; left > 0;) {
		const uint32_t size = get_le32(at);
		const char *name = (const char *)at + 4;
		const size_t length = strlen(name) + 1;
		int err = f2fs_xattr_set(inode, name, at + 4 + length, size);

		/* full: no space in the inode, that is */
		if (error_is_full(p->ctx, err) || (err && !populate_is_fatal(p, err)))
			err = populate_problem(p, name);
		if (err)
			return err;
		at += 4 + length + size;
		left -= 4 + length + size;
	}
	return 0;
}

/* Find the next attribute of an inode to be removed; *index goes on behind it. */
static bool find_surplus(const struct populate *p, const struct vec *list, struct f2fs_inode *inode, unsigned *index,
			 struct f2fs_xattr *xattr)
{
	size_t length;

	while (f2fs_xattr_at(inode, *index, xattr) == 0) {
		if (!xattr->is_internal && populate_attribute_is_wanted(p, xattr->name) &&
		    !find_attribute(list, xattr->name, &length))
			return true;
		++*index;
	}
	return false;
}

int populate_attributes_prune(struct populate *p, const struct vec *list, struct f2fs_inode *inode)
{
	struct f2fs_xattr xattr;
	unsigned index = 0;
	int err = f2fs_xattr_count(inode);

	if (err <= 0)
		return err;
	for (err = 0; !err && find_surplus(p, list, inode, &index, &xattr);) {
		char *name = mem_strdup(p->ctx, xattr.name); /* removing it changes what holds the name */

		err = name ? f2fs_xattr_remove(inode, name) : F2FS_ERR_NOMEM;
		mem_free(p->ctx, name);
	}
	return err;
}
