/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inode flags and project ids, where the host's kernel has calls for them.
 */
#include "sink/hostflags.h"

#include <errno.h>

#include "format/flags.h"

#if defined(__linux__)
#include <linux/fs.h>

#include "base/host_request.h"

/* Those that mean the same on other file systems. */
#define PORTABLE_FLAGS (FS_SYNC_FL | FS_IMMUTABLE_FL | FS_APPEND_FL | FS_NODUMP_FL | FS_NOATIME_FL | FS_DIRSYNC_FL)

int host_set_flags(int fd, uint32_t flags)
{
	int now;

	if (!(flags & PORTABLE_FLAGS))
		return 0;
	if (host_request(fd, FS_IOC_GETFLAGS, &now))
		return errno;
	now = (int)(((uint32_t)now & ~(uint32_t)PORTABLE_FLAGS) | (flags & PORTABLE_FLAGS));
	return host_request(fd, FS_IOC_SETFLAGS, &now) ? errno : 0;
}

int host_set_project(int fd, uint32_t projid, uint32_t flags)
{
	struct fsxattr attr;

	if (host_request(fd, FS_IOC_FSGETXATTR, &attr))
		return errno;
	attr.fsx_projid = projid;
	if (flags & FLAG_i_flags_projinherit)
		attr.fsx_xflags |= FS_XFLAG_PROJINHERIT;
	return host_request(fd, FS_IOC_FSSETXATTR, &attr) ? errno : 0;
}

#else

int host_set_flags(int fd, uint32_t flags)
{
	(void)fd;
	return flags ? EOPNOTSUPP : 0;
}

int host_set_project(int fd, uint32_t projid, uint32_t flags)
{
	(void)fd;
	(void)projid;
	(void)flags;
	return EOPNOTSUPP;
}
#endif
