/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inode flags and project ids under Linux. */
#include "host/inode_flags.h"

#include <linux/fs.h>

#include "host/host_request.h"

#define PORTABLE_FLAGS (FS_SYNC_FL | FS_IMMUTABLE_FL | FS_APPEND_FL | FS_NODUMP_FL | FS_NOATIME_FL | FS_DIRSYNC_FL)

int host_get_flags(int fd, uint32_t *flags)
{
	int now;

	if (host_request(fd, FS_IOC_GETFLAGS, &now))
		return -1;
	*flags = (uint32_t)now;
	return 0;
}

int host_set_portable_flags(int fd, uint32_t flags)
{
	int now;

	if (!(flags & PORTABLE_FLAGS))
		return 0;
	if (host_request(fd, FS_IOC_GETFLAGS, &now))
		return -1;
	now = (int)(((uint32_t)now & ~(uint32_t)PORTABLE_FLAGS) | (flags & PORTABLE_FLAGS));
	return host_request(fd, FS_IOC_SETFLAGS, &now);
}

int host_get_project(int fd, uint32_t *projid)
{
	struct fsxattr attr;

	if (host_request(fd, FS_IOC_FSGETXATTR, &attr))
		return -1;
	*projid = attr.fsx_projid;
	return 0;
}

int host_set_project_id(int fd, uint32_t projid, bool inherits)
{
	struct fsxattr attr;

	if (host_request(fd, FS_IOC_FSGETXATTR, &attr))
		return -1;
	attr.fsx_projid = projid;
	if (inherits)
		attr.fsx_xflags |= FS_XFLAG_PROJINHERIT;
	return host_request(fd, FS_IOC_FSSETXATTR, &attr);
}
