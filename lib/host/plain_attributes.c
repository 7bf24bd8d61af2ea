/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A host without extended attributes. */
#include <errno.h>

#include "host/attributes.h"

static int refuse(void)
{
	errno = ENOTSUP;
	return -1;
}

ssize_t host_list_attributes(const struct host_place *at, char *names, size_t room)
{
	(void)at;
	(void)names;
	(void)room;
	return refuse();
}

ssize_t host_get_attribute(const struct host_place *at, const char *name, void *value, size_t room)
{
	(void)at;
	(void)name;
	(void)value;
	(void)room;
	return refuse();
}

int host_set_attribute(const struct host_place *at, const char *name, const void *value, size_t size)
{
	(void)at;
	(void)name;
	(void)value;
	(void)size;
	return refuse();
}

int host_remove_attribute(int fd, const char *name)
{
	(void)fd;
	(void)name;
	return refuse();
}
