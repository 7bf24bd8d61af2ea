/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls on files whose form differs between hosts. Each returns 0, or -1 with errno; ENOTSUP where the host has no such
 * call.
 */
#ifndef F2FSKIT_HOST_FILES_H
#define F2FSKIT_HOST_FILES_H

#include <sys/stat.h>
#include <sys/types.h>

/* Make the contents of a file durable. */
int host_flush(int fd);
/* Reserve the space of a file's first bytes; the file has at least that size then. */
int host_reserve(int fd, off_t size);
/* Make a range read as zeros without taking space; the size of the file stays. */
int host_punch(int fd, off_t offset, off_t length);
/* Make a range read as zeros, which may take space; the size of the file stays. */
int host_zero(int fd, off_t offset, off_t length);

struct timespec host_atime(const struct stat *st);
struct timespec host_mtime(const struct stat *st);

/* Numbers of devices. */
unsigned host_major(dev_t device);
unsigned host_minor(dev_t device);
dev_t host_device(unsigned major, unsigned minor);
/* Make a special file in an open directory, as mknodat(2). */
int host_mknod(int dir, const char *name, mode_t mode, dev_t device);

#endif
