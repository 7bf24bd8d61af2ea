/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests about extended attributes, POSIX ACLs among them: the kernel checks permissions by those itself.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include "fuse/guard.h"
#include "fuse/known_inodes.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"
#include "fuse/serve.h"
#include "fuse/serve_xattrs.h"

/*
 * Return the kernel's error numbers where they differ: for an unknown prefix, and for a value that fits into no inode.
 */
static int xattr_errno(struct mount *m, int err, size_t size)
{
	if (err == F2FS_ERR_INVALID)
		return EOPNOTSUPP;
	if (err == F2FS_ERR_NOSPC && size > m->block_size)
		return E2BIG;
	return err == F2FS_ERR_ACCESS ? EPERM : mount_errno(m, err);
}

static void setxattr_(fuse_req_t req, fuse_ino_t number, const char *name, const char *value, size_t size, int flags)
{
	struct mount *m = mount_enter_to_change(req);
	struct f2fs_inode *inode;
	struct f2fs_xattr there;
	int err = known_open_number(m, number, NULL, &inode), code;

	if (!err)
		err = guard_inode(inode, 0);
	if (!err && flags & (XATTR_CREATE | XATTR_REPLACE)) {
		err = f2fs_xattr_get(inode, name, &there);
		if (!err && flags & XATTR_CREATE)
			err = F2FS_ERR_EXISTS;
		else if (err == F2FS_ERR_NO_ATTR && !(flags & XATTR_REPLACE))
			err = 0;
	}
	if (!err)
		err = f2fs_xattr_set(inode, name, value, size);
	code = xattr_errno(m, err, size);
	mount_leave(m);
	fuse_reply_err(req, code);
}

static void removexattr_(fuse_req_t req, fuse_ino_t number, const char *name)
{
	struct mount *m = mount_enter_to_change(req);
	struct f2fs_inode *inode;
	int err = known_open_number(m, number, NULL, &inode), code;

	if (!err)
		err = guard_inode(inode, 0);
	if (!err)
		err = f2fs_xattr_remove(inode, name);
	code = xattr_errno(m, err, 0);
	mount_leave(m);
	fuse_reply_err(req, code);
}

void xattr_reply(fuse_req_t req, int code, const char *value, size_t length, size_t room)
{
	if (!code && room > 0 && length > room)
		code = ERANGE;
	if (code)
		fuse_reply_err(req, code);
	else if (room == 0)
		fuse_reply_xattr(req, length);
	else
		fuse_reply_buf(req, value, length);
}

static void getxattr_(fuse_req_t req, fuse_ino_t number, const char *name, size_t room)
{
	struct mount *m = mount_enter(req);
	struct f2fs_inode *inode;
	struct f2fs_xattr x = { 0 };
	char *copy = NULL;
	int err = known_open_number(m, number, NULL, &inode), code;

	if (!err)
		err = f2fs_xattr_get(inode, name, &x);
	if (!err && x.value_size > 0 && x.value_size <= room) {
		copy = malloc(x.value_size);
		if (copy)
			memcpy(copy, x.value, x.value_size);
		else
			err = F2FS_ERR_NOMEM;
	}
	code = err == F2FS_ERR_INVALID ? ENODATA : mount_errno(m, err);
	mount_leave(m);
	xattr_reply(req, code, copy, x.value_size, room);
	free(copy);
}

/* Names are shown as the kernel's F2FS shows them: those of trusted to the superuser only. */
static int is_shown(const struct f2fs_xattr *x, int is_root)
{
	return !x->is_internal && (is_root || strncmp(x->name, "trusted.", 8) != 0);
}

int xattr_names(struct f2fs_inode *inode, int is_root, char *out, size_t room, size_t *length)
{
	const int count = f2fs_xattr_count(inode);

	*length = 0;
	for (int i = 0; i < count; i++) {
		struct f2fs_xattr x;
		int err = f2fs_xattr_at(inode, (unsigned)i, &x);
		size_t n;

		if (err)
			return err;
		if (!is_shown(&x, is_root))
			continue;
		n = strlen(x.name) + 1;
		if (*length + n <= room)
			memcpy(out + *length, x.name, n);
		*length += n;
	}
	return count < 0 ? count : 0;
}

static void listxattr_(fuse_req_t req, fuse_ino_t number, size_t room)
{
	struct mount *m = mount_enter(req);
	const int is_root = fuse_req_ctx(req)->uid == 0;
	char *names = malloc(room ? room : 1);
	struct f2fs_inode *inode;
	size_t length = 0;
	int err = names ? known_open_number(m, number, NULL, &inode) : F2FS_ERR_NOMEM, code;

	if (!err)
		err = xattr_names(inode, is_root, names, room, &length);
	code = mount_errno(m, err);
	mount_leave(m);
	xattr_reply(req, code, names, length, room);
	free(names);
}

void serve_xattrs(struct fuse_lowlevel_ops *ops)
{
	ops->setxattr = setxattr_;
	ops->getxattr = getxattr_;
	ops->listxattr = listxattr_;
	ops->removexattr = removexattr_;
}
