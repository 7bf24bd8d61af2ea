/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A host without Linux's inode flags and project ids. */
#include <errno.h>

#include "host/inode_flags.h"

static int refuse(void)
{
	errno = ENOTSUP;
	return -1;
}

int host_get_flags(int fd, uint32_t *flags)
{
	(void)fd;
	(void)flags;
	return refuse();
}

int host_set_portable_flags(int fd, uint32_t flags)
{
	(void)fd;
	return flags ? refuse() : 0;
}

int host_get_project(int fd, uint32_t *projid)
{
	(void)fd;
	(void)projid;
	return refuse();
}

int host_set_project_id(int fd, uint32_t projid, bool inherits)
{
	(void)fd;
	(void)projid;
	(void)inherits;
	return refuse();
}
