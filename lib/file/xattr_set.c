/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Setting and removing extended attributes by the names that system calls have for them.
 */
#include <f2fskit/write.h>
#include <string.h>

#include "base/error.h"
#include "file/acl_write.h"
#include "file/change.h"
#include "file/inode_sync.h"
#include "file/winode.h"
#include "file/write.h"
#include "file/xattr_read.h"
#include "file/xattr_write.h"
#include "format/xattr.h"

static int refuse_length(struct f2fs_context *ctx)
{
	return error_set(ctx, F2FS_ERR_RANGE, "names of attributes have at most %d bytes, with their prefix",
			 XATTR_NAME_LENGTH);
}

/* Index and stored name of a full name. It may be longer than system calls take: there is room for that. */
static int split_name(struct f2fs_context *ctx, const char *full, unsigned *index, const char **name)
{
	for (unsigned i = 1; i < 16; i++) {
		const char *prefix = xattr_prefix(i);
		size_t n = prefix ? strlen(prefix) : 0;

		if (!prefix || xattr_is_internal(i) || strncmp(full, prefix, n) != 0)
			continue;
		if (xattr_has_name(i) ? full[n] == '\0' : full[n] != '\0')
			continue;
		if (strlen(full + n) > UINT8_MAX)
			break;
		*index = i;
		*name = full + n;
		return 0;
	}
	if (strlen(full) > XATTR_NAME_LENGTH)
		return refuse_length(ctx);
	return error_set(ctx, F2FS_ERR_INVALID, "attribute %s has no prefix that F2FS can store", full);
}

/* Attributes of users stand at files and directories only: permissions of other types say nothing about contents. */
static int need_place(struct f2fs_inode *inode, unsigned index, const char *name)
{
	int err = inode_sync(inode);

	if (err || index != XATTR_USER || inode_type(inode) == MODE_REG || inode_type(inode) == MODE_DIR)
		return err;
	return error_set(inode->vol->ctx, F2FS_ERR_ACCESS,
			 "inode %u is neither file nor directory: it cannot have the attribute %s",
			 (unsigned)inode->ino, name);
}

/* The virtual attribute of the hints hot and cold. */
static int set_advise(struct f2fs_inode *inode, const uint8_t *value, size_t size)
{
	struct f2fs_stat stat = { .advise = size == 1 ? *value : 0 };

	if (size != 1)
		return error_set(inode->vol->ctx, F2FS_ERR_INVALID, "system.advise has one byte");
	return f2fs_inode_set(inode, F2FS_SET_ADVISE, &stat);
}

static int change(struct f2fs_inode *inode, unsigned index, const char *name, const void *value, size_t size)
{
	struct change c;
	struct winode w;
	int err = change_begin_on(&c, inode);

	if (!err)
		err = xattr_load(inode); /* refuses a list that cannot be kept */
	if (!err)
		err = winode_get(inode->vol, inode->ino, &w);
	if (!err)
		err = xattr_store(&w, index, name, value, size);
	return change_end(&c, err);
}

int f2fs_xattr_set(struct f2fs_inode *inode, const char *name, const void *value, size_t size)
{
	const char *stored;
	unsigned index;
	int err;

	error_clear(inode->vol->ctx);
	if (strcmp(name, xattr_prefix(XATTR_ADVISE)) == 0)
		return set_advise(inode, value, size);
	if (strlen(name) > XATTR_NAME_LENGTH)
		return refuse_length(inode->vol->ctx);
	err = split_name(inode->vol->ctx, name, &index, &stored);
	if (!err)
		err = need_place(inode, index, name);
	if (err)
		return err;
	if (index == XATTR_ACL_ACCESS || index == XATTR_ACL_DEFAULT)
		return acl_set(inode, index, value, size);
	return change(inode, index, stored, size ? value : "", size);
}

int f2fs_xattr_remove(struct f2fs_inode *inode, const char *name)
{
	const char *stored;
	unsigned index;
	int err;

	error_clear(inode->vol->ctx);
	err = split_name(inode->vol->ctx, name, &index, &stored);
	return err ? err : change(inode, index, stored, NULL, 0);
}
