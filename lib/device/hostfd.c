/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whole transfers on a file descriptor: continue after short transfers and interrupts, and cut long lists to the host's
 * limit. The end of the file within a transfer is an error: the device layer has checked the range against the size, so
 * another program has cut the file.
 */
#include "device/hostfd.h"

#include <errno.h>
#include <limits.h>
#include <sys/uio.h>
#include <unistd.h>

#include "device/iov.h"
#include "host/files.h"

typedef ssize_t (*transfer_fn)(int fd, const struct iovec *iov, int count, off_t offset);

/* Move the bytes of at most IOV_PART buffers. */
static int transfer_part(int fd, uint64_t offset, const struct f2fs_iovec *part, unsigned count, transfer_fn transfer)
{
	struct iovec host[IOV_PART];
	unsigned first = 0;

	for (unsigned i = 0; i < count; i++) {
		host[i].iov_base = part[i].base;
		host[i].iov_len = part[i].length;
	}
	while (first < count) {
		ssize_t n = transfer(fd, host + first, (int)(count - first), (off_t)offset);
		size_t left;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return F2FS_SYS_ERROR(errno);
		if (n == 0)
			return F2FS_SYS_ERROR(EIO);
		offset += (uint64_t)n;
		for (left = (size_t)n; first < count && left >= host[first].iov_len; first++)
			left -= host[first].iov_len;
		if (first < count) {
			host[first].iov_base = (char *)host[first].iov_base + left;
			host[first].iov_len -= left;
		}
	}
	return 0;
}

static int transfer_all(int fd, uint64_t offset, const struct f2fs_iovec *iov, unsigned count, transfer_fn transfer)
{
	struct iov_cursor cursor;
	struct f2fs_iovec part[IOV_PART];
	unsigned filled;

	iov_cursor_init(&cursor, iov, count);
	for (;;) {
		/* Above SSIZE_MAX the host refuses; 1 GiB is plenty for one call. */
		uint64_t n = iov_take(&cursor, 1u << 30, part, &filled);
		int rc;

		if (n == 0)
			return 0;
		rc = transfer_part(fd, offset, part, filled, transfer);
		if (rc != 0)
			return rc;
		offset += n;
	}
}

int hostfd_read(int fd, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	return transfer_all(fd, offset, iov, count, preadv);
}

int hostfd_write(int fd, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	return transfer_all(fd, offset, iov, count, pwritev);
}

int hostfd_flush(int fd)
{
	while (host_flush(fd) != 0)
		if (errno != EINTR)
			return F2FS_SYS_ERROR(errno);
	return 0;
}
