/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inode flags (chattr) and project ids of the host's files. Calls return 0, or -1 with errno; ENOTSUP where the host
 * has no such thing.
 */
#ifndef F2FSKIT_HOST_INODE_FLAGS_H
#define F2FSKIT_HOST_INODE_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

/* Flags have the values of Linux, as in F2FS. */
int host_get_flags(int fd, uint32_t *flags);
/* Set those flags that mean the same on other file systems; the others stay. Makes no call when there is none. */
int host_set_portable_flags(int fd, uint32_t flags);
int host_get_project(int fd, uint32_t *projid);
/* inherits: new files of a directory get it, too. */
int host_set_project_id(int fd, uint32_t projid, bool inherits);

#endif
