/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare the stat(2) and listxattr(2) data of an item and of an inode.
 */
#include "compare/metadata.h"

#include <string.h>

#include "base/bytes.h"
#include "compare/run.h"
#include "format/flags.h"
#include "source/attribute.h"

/* Flags that archives, manifests and hosts know. */
#define COMMON_FLAGS                                                                                                   \
	(FLAG_i_flags_append | FLAG_i_flags_immutable | FLAG_i_flags_nodump | FLAG_i_flags_noatime |                   \
	 FLAG_i_flags_sync | FLAG_i_flags_dirsync)

static bool same_time(const struct compare *c, const struct f2fs_time *a, const struct f2fs_time *b)
{
	if (a->seconds != b->seconds)
		return false;
	return a->nanoseconds == b->nanoseconds || (c->opt->tar && a->nanoseconds == 0);
}

static unsigned compare_stat(const struct compare *c, const struct source_item *item, const struct f2fs_stat *st)
{
	const uint32_t type = item->mode & MODE_TYPE, flags = c->opt->volume ? UINT32_MAX : COMMON_FLAGS;
	unsigned fields = 0;

	if ((st->mode & MODE_TYPE) != type)
		return F2FS_DIFF_TYPE;
	if (type == MODE_REG && st->size != item->size)
		fields |= F2FS_DIFF_SIZE;
	if ((type == MODE_CHR || type == MODE_BLK) &&
	    (st->rdev_major != item->rdev_major || st->rdev_minor != item->rdev_minor))
		fields |= F2FS_DIFF_DEVICE;
	if ((item->given & GIVEN_MODE) && type != MODE_LNK && (st->mode & 07777) != (item->mode & 07777))
		fields |= F2FS_DIFF_MODE;
	if ((item->given & GIVEN_OWNER) && (st->uid != item->uid || st->gid != item->gid))
		fields |= F2FS_DIFF_OWNER;
	if ((item->given & GIVEN_MTIME) && !same_time(c, &item->mtime, &st->mtime))
		fields |= F2FS_DIFF_MTIME;
	if (item->nlink && type != MODE_DIR && st->nlink != item->nlink)
		fields |= F2FS_DIFF_LINKS;
	if ((item->given & GIVEN_FLAGS) && ((st->flags ^ item->flags) & flags))
		fields |= F2FS_DIFF_FLAGS;
	if ((item->given & GIVEN_PROJECT) && st->projid != item->projid)
		fields |= F2FS_DIFF_PROJECT;
	return fields;
}

static int compare_target(struct compare *c, const struct source_item *item, struct f2fs_inode *inode, unsigned *fields)
{
	size_t length;
	int err = f2fs_inode_readlink(inode, (char *)c->buffer, SOURCE_BUFFER, &length);

	if (!err && (length != item->target_length || memcmp(c->buffer, item->target, length) != 0))
		*fields |= F2FS_DIFF_TARGET;
	return err;
}

/* Attributes of the inode that are compared. */
static int count_attributes(struct compare *c, struct f2fs_inode *inode, size_t *count)
{
	struct f2fs_xattr xattr;
	const int all = f2fs_xattr_count(inode);

	*count = 0;
	for (int i = 0; i < all; i++) {
		int err = f2fs_xattr_at(inode, (unsigned)i, &xattr);

		if (err)
			return err;
		*count += !xattr.is_internal && source_attribute_is_wanted(&c->src, xattr.name);
	}
	return all < 0 ? all : 0;
}

static int compare_attributes(struct compare *c, struct f2fs_inode *inode, unsigned *fields)
{
	const uint8_t *at = c->src.attributes.items;
	struct f2fs_xattr xattr;
	size_t count, given = 0;
	int err = count_attributes(c, inode, &count);

	for (size_t left = c->src.attributes.count; left > 0 && !err; given++) {
		const uint32_t size = get_le32(at);
		const char *name = (const char *)at + 4;
		const size_t length = strlen(name) + 1;

		err = f2fs_xattr_get(inode, name, &xattr);
		if (err == F2FS_ERR_NO_ATTR || (!err && (xattr.value_size != size ||
							 (size && memcmp(xattr.value, at + 4 + length, size) != 0)))) {
			*fields |= F2FS_DIFF_XATTRS;
			return 0;
		}
		at += 4 + length + size;
		left -= 4 + length + size;
	}
	if (!err && given != count)
		*fields |= F2FS_DIFF_XATTRS;
	return err;
}

int compare_metadata(struct compare *c, const struct source_item *item, struct f2fs_inode *inode, unsigned *fields)
{
	struct f2fs_stat st;
	int err = f2fs_inode_stat(inode, &st);

	if (err)
		return err;
	*fields |= compare_stat(c, item, &st) & (c->fields | F2FS_DIFF_TYPE);
	if (*fields & F2FS_DIFF_TYPE)
		return 0;
	if ((item->mode & MODE_TYPE) == MODE_LNK && (c->fields & F2FS_DIFF_TARGET))
		err = compare_target(c, item, inode, fields);
	if (!err && (c->fields & F2FS_DIFF_XATTRS))
		err = compare_attributes(c, inode, fields);
	return err;
}
