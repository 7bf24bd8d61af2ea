/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes under Linux. Files without a descriptor are accessed by a path through /proc, because no call
 * relative to a directory refrains from following links.
 */
#include "host/attributes.h"

#include <errno.h>
#include <stdio.h>
#include <sys/xattr.h>

#define PATH_ROOM 300u /* "/proc/self/fd/", a number, a name of at most 255 bytes */

static int write_path(char path[static PATH_ROOM], const struct host_place *at)
{
	const int n = snprintf(path, PATH_ROOM, "/proc/self/fd/%d/%s", at->dir, at->name);

	if (n > 0 && (unsigned)n < PATH_ROOM)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

ssize_t host_list_attributes(const struct host_place *at, char *names, size_t room)
{
	char path[PATH_ROOM];

	if (at->fd >= 0)
		return flistxattr(at->fd, names, room);
	return write_path(path, at) ? -1 : llistxattr(path, names, room);
}

ssize_t host_get_attribute(const struct host_place *at, const char *name, void *value, size_t room)
{
	char path[PATH_ROOM];

	if (at->fd >= 0)
		return fgetxattr(at->fd, name, value, room);
	return write_path(path, at) ? -1 : lgetxattr(path, name, value, room);
}

int host_set_attribute(const struct host_place *at, const char *name, const void *value, size_t size)
{
	char path[PATH_ROOM];

	if (at->fd >= 0)
		return fsetxattr(at->fd, name, value, size, 0);
	return write_path(path, at) ? -1 : lsetxattr(path, name, value, size, 0);
}

int host_remove_attribute(int fd, const char *name)
{
	return fremovexattr(fd, name);
}
