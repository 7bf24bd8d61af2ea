/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transfers of several buffers at an offset. They move the position of the descriptor, too. */
#ifndef F2FSKIT_HOST_WINDOWS_SYS_UIO_H
#define F2FSKIT_HOST_WINDOWS_SYS_UIO_H

#include <sys/types.h>

#include <posix_name.h>

struct iovec {
	void *iov_base;
	size_t iov_len;
};

ssize_t preadv(int fd, const struct iovec *iov, int count, off_t offset) POSIX_NAME(preadv);
ssize_t pwritev(int fd, const struct iovec *iov, int count, off_t offset) POSIX_NAME(pwritev);

#endif
