/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading and writing a file descriptor of the host at an offset, whole or not at all. Results are 0 or
 * F2FS_SYS_ERROR(errno); nothing else is touched, so any thread may call.
 */
#ifndef F2FSKIT_DEVICE_HOSTFD_H
#define F2FSKIT_DEVICE_HOSTFD_H

#include <f2fskit/device.h>

int hostfd_read(int fd, uint64_t offset, const struct f2fs_iovec *iov, unsigned count);
int hostfd_write(int fd, uint64_t offset, const struct f2fs_iovec *iov, unsigned count);
int hostfd_flush(int fd);

#endif
