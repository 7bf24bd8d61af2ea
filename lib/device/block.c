/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Block devices of the host: size, sector and start within the disk, zeroing and discard by ioctl. Linux only for the
 * ioctls; elsewhere the size is found by seeking and the device layer does without the rest.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/fs.h>
#include <sys/sysmacros.h>

#include "base/host_request.h"
#endif

#include "base/error.h"
#include "device/block.h"
#include "device/file.h"
#include "device/zoned.h"

#ifdef __linux__
/* The kernel wants whole sectors; the edges of a range are left to the caller. */
static int range_ioctl(const struct hostfile *file, unsigned long request, uint64_t offset, uint64_t length)
{
	uint64_t range[2] = { offset, length };

	while (host_request(file->fd, request, range) != 0) {
		if (errno == EOPNOTSUPP || errno == ENOTTY || errno == EINVAL || errno == EREMOTEIO)
			return F2FS_ERR_UNSUPPORTED;
		if (errno != EINTR)
			return F2FS_SYS_ERROR(errno);
	}
	return 0;
}

static int zero_block(void *self, uint64_t offset, uint64_t length)
{
	const struct hostfile *file = self;

	if (offset % file->sector_size != 0 || length % file->sector_size != 0)
		return F2FS_ERR_UNSUPPORTED;
	return range_ioctl(file, BLKZEROOUT, offset, length);
}

static int discard_block(void *self, uint64_t offset, uint64_t length)
{
	const struct hostfile *file = self;
	const uint64_t sector = file->sector_size;
	uint64_t end = (offset + length) / sector * sector;

	offset = (offset + sector - 1) / sector * sector;
	if (end <= offset)
		return 0;
	return range_ioctl(file, BLKDISCARD, offset, end - offset);
}

/* Sector where a partition starts; 0 for a whole disk, or when the host does not know. */
static uint64_t find_start_sector(int fd)
{
	unsigned long long start = 0;
	struct stat st;
	char path[64];
	FILE *f;

	if (fstat(fd, &st) != 0)
		return 0;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/start", major(st.st_rdev), minor(st.st_rdev));
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%llu", &start) != 1)
		start = 0;
	fclose(f);
	return start;
}

static int query_block(int fd, struct f2fs_device_info *info)
{
	int sector = 512;

	if (host_request(fd, BLKGETSIZE64, &info->size) != 0)
		return errno;
	if (host_request(fd, BLKSSZGET, &sector) != 0)
		return errno;
	info->sector_size = sector >= 512 ? (uint32_t)sector : 512;
	info->start_sector = find_start_sector(fd);
	info->caps |= F2FS_DEVICE_DISCARD;
	info->zone_bytes = zoned_query(fd);
	if (info->zone_bytes > 0)
		info->caps |= F2FS_DEVICE_ZONED;
	return 0;
}
#else
#define zero_block NULL
#define discard_block NULL

static int query_block(int fd, struct f2fs_device_info *info)
{
	off_t end = lseek(fd, 0, SEEK_END);

	if (end < 0)
		return errno;
	info->size = (uint64_t)end;
	info->sector_size = 512;
	return 0;
}
#endif

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
	int sys_errno = query_block(fd, &info);
	struct f2fs_device_ops ops = block_ops;

	if (sys_errno != 0)
		return error_sys(ctx, sys_errno, "cannot find the size of %s", path);
	if (!(info.caps & F2FS_DEVICE_ZONED)) { /* zones want their writes one after the other */
		info.caps |= caps & F2FS_DEVICE_WRITE ? F2FS_DEVICE_PARALLEL_WRITE : 0;
		ops.zones = NULL;
		ops.zone_reset = NULL;
		ops.zone_finish = NULL;
	}
	return hostfile_make(ctx, path, fd, backing, &ops, &info, out);
}
