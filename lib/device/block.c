/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disks and partitions of the host: size, sector and start within the disk, zeroing and discarding.
 */
#include <errno.h>

#include "base/error.h"
#include "device/block.h"
#include "device/file.h"
#include "device/zoned.h"
#include "host/disks.h"

#ifdef EREMOTEIO
#define EIO_OF_TARGET EREMOTEIO /* a disk that lacks the command */
#else
#define EIO_OF_TARGET ENOTSUP
#endif

/* The result of a call of the host for a range. */
static int of_range(int rc)
{
	if (rc == 0)
		return 0;
	if (errno == ENOTSUP || errno == EOPNOTSUPP || errno == ENOTTY || errno == EINVAL || errno == EIO_OF_TARGET)
		return F2FS_ERR_UNSUPPORTED;
	return F2FS_SYS_ERROR(errno);
}

/* The host wants whole sectors; the edges of a range are left to the caller. */
static int zero_block(void *self, uint64_t offset, uint64_t length)
{
	const struct hostfile *file = self;
	int rc;

	if (offset % file->sector_size != 0 || length % file->sector_size != 0)
		return F2FS_ERR_UNSUPPORTED;
	do
		rc = host_zero_disk(file->fd, offset, length);
	while (rc != 0 && errno == EINTR);
	return of_range(rc);
}

static int discard_block(void *self, uint64_t offset, uint64_t length)
{
	const struct hostfile *file = self;
	const uint64_t sector = file->sector_size;
	const uint64_t end = (offset + length) / sector * sector;
	int rc;

	offset = (offset + sector - 1) / sector * sector;
	if (end <= offset)
		return 0;
	do
		rc = host_discard_disk(file->fd, offset, end - offset);
	while (rc != 0 && errno == EINTR);
	return of_range(rc);
}

static int query_block(int fd, struct f2fs_device_info *info, uint32_t *open_zones)
{
	struct host_disk disk;

	if (host_query_disk(fd, &disk))
		return errno;
	info->size = disk.size;
	info->sector_size = disk.sector_size;
	info->start_sector = disk.start_sector;
	info->zone_bytes = disk.zone_bytes;
	*open_zones = disk.open_zones;
	info->caps |= disk.can_discard ? F2FS_DEVICE_DISCARD : 0;
	info->caps |= disk.zone_bytes > 0 ? F2FS_DEVICE_ZONED : 0;
	return 0;
}

static const struct f2fs_device_ops block_ops = {
	.read = hostfile_read,
	.write = hostfile_write,
	.zero = zero_block,
	.discard = discard_block,
	.flush = hostfile_flush,
	.zones = zoned_report,
	.zone_reset = zoned_reset,
	.zone_finish = zoned_finish,
	.close = hostfile_close,
};

int block_make_device(struct f2fs_context *ctx, const char *path, int fd, uint32_t caps, int backing,
		      struct f2fs_device **out)
{
	struct f2fs_device_info info = { .caps = caps | F2FS_DEVICE_PARALLEL | F2FS_DEVICE_BLOCK };
	uint32_t open_zones = 0;
	int sys_errno = query_block(fd, &info, &open_zones);
	struct f2fs_device_ops ops = block_ops;
	int err;

	if (sys_errno != 0)
		return error_sys(ctx, sys_errno, "cannot find the size of %s", path);
	if (!(info.caps & F2FS_DEVICE_ZONED)) { /* zones want their writes one after the other */
		info.caps |= caps & F2FS_DEVICE_WRITE ? F2FS_DEVICE_PARALLEL_WRITE : 0;
		ops.zones = NULL;
		ops.zone_reset = NULL;
		ops.zone_finish = NULL;
	}
	err = hostfile_make(ctx, path, fd, backing, &ops, &info, out);
	if (!err)
		(*out)->open_zones = open_zones;
	return err;
}
