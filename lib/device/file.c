/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Regular files as devices: transfers at an offset, holes where the host and the file system have
 * them. Missing functions return UNSUPPORTED, and the device layer does without them. open.c opens
 * them.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "device/file.h"
#include "device/hostfd.h"
#include "device/hostid.h"
#include "device/lock.h"
#include "host/files.h"

int hostfile_read(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	const struct hostfile *file = self;

	return hostfd_read(file->fd, offset, iov, count);
}

int hostfile_write(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	const struct hostfile *file = self;

	return hostfd_write(file->fd, offset, iov, count);
}

int hostfile_flush(void *self)
{
	const struct hostfile *file = self;

	return hostfd_flush(file->fd);
}

void hostfile_close(void *self)
{
	struct hostfile *file = self;

	hostfile_leave(file);
	if (file->owner == (long)getpid())
		lock_drop(file->backing >= 0 ? file->backing : file->fd);
	if (file->backing >= 0)
		close(file->backing);
	close(file->fd);
	mem_free(file->ctx, file);
}

int hostfile_make(struct f2fs_context *ctx, const char *path, int fd, int backing, const struct f2fs_device_ops *ops,
		  const struct f2fs_device_info *info, struct f2fs_device **out)
{
	struct hostfile *file = mem_zalloc(ctx, sizeof(*file));
	int rc;

	if (!file)
		return F2FS_ERR_NOMEM;
	file->ctx = ctx;
	file->fd = fd;
	file->backing = backing;
	file->size = info->size;
	file->sector_size = info->sector_size;
	file->zone_bytes = info->zone_bytes;
	file->owner = info->caps & F2FS_DEVICE_WRITE ? (long)getpid() : 0;
	rc = device_make(ctx, path, ops, file, info, out);
	if (rc != 0) {
		mem_free(ctx, file);
		return rc;
	}
	hostfile_enter(file);
	(*out)->owner = file->owner;
	return 0;
}

static int is_unsupported(int posix)
{
	return posix == EOPNOTSUPP || posix == ENOTSUP || posix == ENOSYS || posix == EINVAL || posix == ENODEV ||
	       posix == ENOTTY;
}

static int change_range(int (*change)(int fd, off_t offset, off_t length), int fd, uint64_t offset, uint64_t length)
{
	while (change(fd, (off_t)offset, (off_t)length) != 0) {
		if (is_unsupported(errno))
			return F2FS_ERR_UNSUPPORTED;
		if (errno != EINTR)
			return F2FS_SYS_ERROR(errno);
	}
	return 0;
}

static int discard_file(void *self, uint64_t offset, uint64_t length)
{
	const struct hostfile *file = self;

	return change_range(host_punch, file->fd, offset, length);
}

static int zero_file(void *self, uint64_t offset, uint64_t length)
{
	const struct hostfile *file = self;
	int rc = change_range(host_punch, file->fd, offset, length);

	return rc == F2FS_ERR_UNSUPPORTED ? change_range(host_zero, file->fd, offset, length) : rc;
}

#ifdef SEEK_DATA
static int find_file_extent(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	const struct hostfile *file = self;
	off_t at = lseek(file->fd, (off_t)offset, SEEK_DATA);

	if (at < 0 && errno != ENXIO)
		return is_unsupported(errno) ? F2FS_ERR_UNSUPPORTED : F2FS_SYS_ERROR(errno);
	if (at < 0 || (uint64_t)at > offset) {
		/* ENXIO: no data from here to the end. */
		*length = (at < 0 ? file->size : (uint64_t)at) - offset;
		*is_hole = 1;
		return 0;
	}
	at = lseek(file->fd, (off_t)offset, SEEK_HOLE);
	if (at < 0)
		return F2FS_SYS_ERROR(errno);
	/* Equal when somebody has just punched a hole here: then it is the next call's. */
	*length = (uint64_t)at > offset ? (uint64_t)at - offset : 1;
	*is_hole = 0;
	return 0;
}
#else
#define find_file_extent NULL
#endif

static const struct f2fs_device_ops file_ops = {
	.read = hostfile_read,
	.write = hostfile_write,
	.zero = zero_file,
	.discard = discard_file,
	.flush = hostfile_flush,
	.extent = find_file_extent,
	.close = hostfile_close,
};

int file_make_device(struct f2fs_context *ctx, const char *path, int fd, uint64_t size, uint32_t caps,
		     struct f2fs_device **out)
{
	struct f2fs_device_info info = { .size = size, .sector_size = 512, .caps = caps | F2FS_DEVICE_PARALLEL };

	if (caps & F2FS_DEVICE_WRITE)
		info.caps |= F2FS_DEVICE_PARALLEL_WRITE | (file_ops.discard ? F2FS_DEVICE_DISCARD : 0);
	return hostfile_make(ctx, path, fd, -1, &file_ops, &info, out);
}
