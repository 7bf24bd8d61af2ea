/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests of chattr(1), lsattr(1) and project ids: the ioctls FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, FS_IOC_FSGETXATTR and
 * FS_IOC_FSSETXATTR.
 */
#include "fuse/mount.h"

#include <errno.h>
#include <linux/fs.h>
#include <string.h>

enum { PINNED = 0x40 /* of i_inline */ };

/* Shown with the flags that an inode stores, but stored elsewhere. */
#define SHOWN_ONLY ((uint32_t)(FS_ENCRYPT_FL | FS_VERITY_FL | FS_NOCOW_FL | FS_INLINE_DATA_FL))

/* Flags as the second pair of ioctls names them. */
static const struct {
	uint32_t flag, xflag;
} names[] = {
	{ FS_IMMUTABLE_FL, FS_XFLAG_IMMUTABLE }, { FS_APPEND_FL, FS_XFLAG_APPEND },
	{ FS_SYNC_FL, FS_XFLAG_SYNC },		 { FS_NOATIME_FL, FS_XFLAG_NOATIME },
	{ FS_NODUMP_FL, FS_XFLAG_NODUMP },	 { FS_PROJINHERIT_FL, FS_XFLAG_PROJINHERIT },
};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

static uint32_t shown_flags(const struct f2fs_stat *st)
{
	uint32_t flags = st->flags & ~SHOWN_ONLY;

	flags |= st->is_encrypted ? FS_ENCRYPT_FL : 0;
	flags |= st->is_verity ? FS_VERITY_FL : 0;
	flags |= st->is_inline ? FS_INLINE_DATA_FL : 0;
	flags |= st->inline_flags & PINNED ? FS_NOCOW_FL : 0;
	return flags;
}

static int get(struct f2fs_inode *inode, unsigned command, uint32_t *flags, struct fsxattr *x)
{
	struct f2fs_stat st;
	int err = f2fs_inode_stat(inode, &st);

	if (err)
		return err;
	*flags = shown_flags(&st);
	memset(x, 0, sizeof(*x));
	x->fsx_projid = st.projid;
	for (unsigned i = 0; command == (unsigned)FS_IOC_FSGETXATTR && i < NAMES; i++)
		x->fsx_xflags |= *flags & names[i].flag ? names[i].xflag : 0;
	return 0;
}

static int set(struct known *k, struct f2fs_inode *inode, const uint32_t *flags, const struct fsxattr *x)
{
	struct f2fs_stat st;
	unsigned which = F2FS_SET_FLAGS;
	int err = f2fs_inode_stat(inode, &st);

	if (err)
		return err;
	if (flags) {
		st.flags = *flags & ~SHOWN_ONLY;
	} else {
		for (unsigned i = 0; i < NAMES; i++)
			st.flags = (st.flags & ~names[i].flag) | (x->fsx_xflags & names[i].xflag ? names[i].flag : 0);
		which |= x->fsx_projid != st.projid ? F2FS_SET_PROJID : 0;
		st.projid = x->fsx_projid;
	}
	err = f2fs_inode_set(inode, which, &st);
	if (!err)
		err = f2fs_inode_stat(inode, &st);
	if (!err)
		k->folds = st.is_casefold;
	return err;
}

static void answer_get(fuse_req_t req, fuse_ino_t number, unsigned command)
{
	struct mount *m = mount_enter(req);
	struct f2fs_inode *inode;
	struct fsxattr x;
	uint32_t flags;
	int err = known_open_number(m, number, NULL, &inode), code;

	if (!err)
		err = get(inode, command, &flags, &x);
	code = mount_errno(m, err);
	mount_leave(m);
	if (code)
		fuse_reply_err(req, code);
	else if (command == (unsigned)FS_IOC_GETFLAGS)
		fuse_reply_ioctl(req, 0, &flags, sizeof(flags));
	else
		fuse_reply_ioctl(req, 0, &x, sizeof(x));
}

static void answer_set(fuse_req_t req, fuse_ino_t number, const uint32_t *flags, const struct fsxattr *x)
{
	struct mount *m = mount_enter_to_change(req);
	struct f2fs_inode *inode;
	struct known *k;
	int err = known_open_number(m, number, &k, &inode), code;

	if (!err)
		err = set(k, inode, flags, x);
	code = mount_errno(m, err);
	mount_leave(m);
	if (code)
		fuse_reply_err(req, code);
	else
		fuse_reply_ioctl(req, 0, NULL, 0);
}

static void ioctl_(fuse_req_t req, fuse_ino_t number, unsigned command, void *argument, struct fuse_file_info *fi,
		   unsigned how, const void *in, size_t in_size, size_t out_size)
{
	struct fsxattr x;
	uint32_t flags;

	(void)argument;
	(void)fi;
	(void)how;
	(void)out_size;
	if (command == (unsigned)FS_IOC_GETFLAGS || command == (unsigned)FS_IOC_FSGETXATTR) {
		answer_get(req, number, command);
	} else if (command == (unsigned)FS_IOC_SETFLAGS && in_size >= sizeof(flags)) {
		memcpy(&flags, in, sizeof(flags));
		answer_set(req, number, &flags, NULL);
	} else if (command == (unsigned)FS_IOC_FSSETXATTR && in_size >= sizeof(x)) {
		memcpy(&x, in, sizeof(x));
		answer_set(req, number, NULL, &x);
	} else {
		fuse_reply_err(req, ENOTTY);
	}
}

void serve_flags(struct fuse_lowlevel_ops *ops)
{
	ops->ioctl = ioctl_;
}
