/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes of an item on an inode of the volume.
 */
#include "populate/attributes.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "populate/report.h"
#include "source/attribute.h"

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

/* Find the next attribute of an inode to be removed. *index moves past it. */
static bool find_surplus(const struct populate *p, const struct vec *list, struct f2fs_inode *inode, unsigned *index,
			 struct f2fs_xattr *xattr)
{
	size_t length;

	while (f2fs_xattr_at(inode, *index, xattr) == 0) {
		if (!xattr->is_internal && source_attribute_is_wanted(&p->src, xattr->name) &&
		    !source_attribute_find(list, xattr->name, &length))
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
		char *name = mem_strdup(p->ctx, xattr.name); /* removing it changes the memory of the name */

		err = name ? f2fs_xattr_remove(inode, name) : F2FS_ERR_NOMEM;
		mem_free(p->ctx, name);
	}
	return err;
}
