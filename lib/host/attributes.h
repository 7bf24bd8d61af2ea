/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes of the host's files, by the names that Linux gives them: "user.color". Each call returns -1 with
 * errno when it fails, ENOTSUP where the host or the file system has no such attributes.
 */
#ifndef F2FSKIT_HOST_ATTRIBUTES_H
#define F2FSKIT_HOST_ATTRIBUTES_H

#include <stddef.h>
#include <sys/types.h>

/* A file by its descriptor or, with fd -1, by its name in an open directory; a link is not followed. */
struct host_place {
	int fd;
	int dir;
	const char *name;
};

/* List names, each ended by a zero byte. room 0: only tell the size. Returns bytes. */
ssize_t host_list_attributes(const struct host_place *at, char *names, size_t room);
/* Read a value; room 0: only tell the size. Returns bytes. */
ssize_t host_get_attribute(const struct host_place *at, const char *name, void *value, size_t room);
/* Set a value, of a new or an existing attribute. Returns 0. */
int host_set_attribute(const struct host_place *at, const char *name, const void *value, size_t size);
/* Remove an attribute. Returns 0. */
int host_remove_attribute(int fd, const char *name);

#endif
