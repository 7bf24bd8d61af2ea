/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ioctls of chattr(1), lsattr(1) and project ids: FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, FS_IOC_FSGETXATTR and
 * FS_IOC_FSSETXATTR.
 */

#include <f2fskit/compress.h>
#include <linux/fs.h>
#include <string.h>

#include "fuse/ioctl.h"
#include "fuse/mount.h"

/* Shown with the flags that an inode stores, but stored elsewhere. */
#define SHOWN_ONLY ((uint32_t)(FS_ENCRYPT_FL | FS_VERITY_FL | FS_NOCOW_FL | FS_INLINE_DATA_FL))

/* Others are refused, as by the kernel, which knows FS_INDEX_FL without a use for it. */
#define KNOWN_FLAGS                                                                                                    \
	((uint32_t)(FS_COMPR_FL | FS_SYNC_FL | FS_IMMUTABLE_FL | FS_APPEND_FL | FS_NODUMP_FL | FS_NOATIME_FL |         \
		    FS_NOCOMP_FL | FS_INDEX_FL | FS_DIRSYNC_FL | FS_PROJINHERIT_FL | FS_CASEFOLD_FL) |                 \
	 SHOWN_ONLY)

/* Flags as the second pair of ioctls names them. */
static const struct {
	uint32_t flag, xflag;
} names[] = {
	{ FS_IMMUTABLE_FL, FS_XFLAG_IMMUTABLE }, { FS_APPEND_FL, FS_XFLAG_APPEND },
	{ FS_SYNC_FL, FS_XFLAG_SYNC },		 { FS_NOATIME_FL, FS_XFLAG_NOATIME },
	{ FS_NODUMP_FL, FS_XFLAG_NODUMP },	 { FS_PROJINHERIT_FL, FS_XFLAG_PROJINHERIT },
	{ FS_DAX_FL, FS_XFLAG_DAX },
};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

static uint32_t shown_flags(const struct f2fs_stat *st)
{
	uint32_t flags = st->flags & ~SHOWN_ONLY;

	flags |= st->is_encrypted ? FS_ENCRYPT_FL : 0;
	flags |= st->is_verity ? FS_VERITY_FL : 0;
	flags |= st->is_inline ? FS_INLINE_DATA_FL : 0;
	flags |= st->inline_flags & INODE_PINNED ? FS_NOCOW_FL : 0;
	return flags;
}

static int get_flags(struct ioctl_call *call)
{
	const uint32_t flags = shown_flags(&call->st);

	memcpy(call->out, &flags, sizeof(flags));
	return 0;
}

static int get_xflags(struct ioctl_call *call)
{
	struct fsxattr x = { .fsx_projid = call->st.projid };

	for (unsigned i = 0; i < NAMES; i++)
		x.fsx_xflags |= shown_flags(&call->st) & names[i].flag ? names[i].xflag : 0;
	memcpy(call->out, &x, sizeof(x));
	return 0;
}

/* The library keeps this flag apart, as it also chooses how to compress. */
static int set_compression(struct ioctl_call *call, int wanted)
{
	const struct mount_options *o = &call->m->options;

	if (!wanted == !(call->st.flags & FS_COMPR_FL))
		return 0;
	return f2fs_compress_set(call->inode, wanted ? &o->compression : NULL);
}

static int set(struct ioctl_call *call, unsigned which)
{
	int err = f2fs_inode_set(call->inode, which, &call->st);

	if (!err)
		err = f2fs_inode_stat(call->inode, &call->st);
	if (!err)
		call->known->folds = call->st.is_casefold;
	return err;
}

static int set_flags(struct ioctl_call *call)
{
	uint32_t flags;
	int err;

	memcpy(&flags, call->in, sizeof(flags));
	if (flags & ~KNOWN_FLAGS)
		return F2FS_ERR_UNSUPPORTED;
	if (flags & FS_COMPR_FL && flags & FS_NOCOMP_FL)
		return F2FS_ERR_INVALID;
	err = set_compression(call, (flags & FS_COMPR_FL) != 0);
	call->st.flags = flags & ~SHOWN_ONLY;
	return err ? err : set(call, F2FS_SET_FLAGS);
}

static int set_xflags(struct ioctl_call *call)
{
	struct f2fs_stat *st = &call->st;
	struct fsxattr x;
	unsigned which = F2FS_SET_FLAGS;
	uint32_t named = 0, wanted = 0;

	memcpy(&x, call->in, sizeof(x));
	for (unsigned i = 0; i < NAMES; i++) {
		named |= names[i].flag;
		wanted |= x.fsx_xflags & names[i].xflag ? names[i].flag : 0;
	}
	if (wanted & ~KNOWN_FLAGS)
		return F2FS_ERR_UNSUPPORTED;
	st->flags = (st->flags & ~named) | wanted;
	which |= x.fsx_projid != st->projid ? F2FS_SET_PROJID : 0;
	st->projid = x.fsx_projid;
	return set(call, which);
}

/* The kernel has checked who asks for these. */
const struct ioctl_kind ioctls_of_flags[] = {
	IOCTL(FS_IOC_GETFLAGS, 0, 0, sizeof(uint32_t), get_flags),
	IOCTL(FS_IOC_SETFLAGS, IOCTL_CHANGES, sizeof(uint32_t), 0, set_flags),
	IOCTL(FS_IOC_FSGETXATTR, 0, 0, sizeof(struct fsxattr), get_xflags),
	IOCTL(FS_IOC_FSSETXATTR, IOCTL_CHANGES, sizeof(struct fsxattr), 0, set_xflags),
	{ 0 },
};
