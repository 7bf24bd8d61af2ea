/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wiping signatures by libblkid, with a few copies that it does not look for, and the limits that a partition table
 * sets.
 */
#include "signature.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <f2fskit/base.h>

#include "f2fskit_config.h"

#if HAVE_BLKID
#include <blkid/blkid.h>

/* Copies of superblocks that programs for recovery read, but libblkid does not. */
static const struct {
	uint64_t offset;
	const char *magic;
} copies[] = {
	{ (64ull << 20) + 64, "_BHRfS_M" }, /* Btrfs */
	{ (256ull << 30) + 64, "_BHRfS_M" },
	{ (1ull << 50) + 64, "_BHRfS_M" },
};

/* Most signatures one device can have: a stop for a wipe that has no effect. */
enum { MOST_SIGNATURES = 1000 };
/* How many times a failed search starts again. */
enum { TRIES = 3 };

static blkid_probe new_probe(struct cli *cli, const char *path, int fd, uint64_t offset, uint64_t size)
{
	blkid_probe probe = blkid_new_probe();

	if (probe && blkid_probe_set_device(probe, fd, (blkid_loff_t)offset, (blkid_loff_t)size) == 0)
		return probe;
	blkid_free_probe(probe);
	cli_error(cli, "%s: cannot look for signatures", path);
	return NULL;
}

static int open_file(struct cli *cli, const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		cli_error(cli, "%s: %s", path, strerror(errno));
	return fd;
}

/* A GPT's last sectors: the second copy of the table. */
enum { SECTOR = 512, GPT_BACKUP_SECTORS = 33 };

static void limit_by(blkid_partlist list, uint64_t offset, uint64_t size, uint64_t *end, int *is_inside)
{
	const char *type = blkid_parttable_get_type(blkid_partlist_get_table(list));

	if (type && !strcmp(type, "gpt") && size > GPT_BACKUP_SECTORS * SECTOR)
		*end = size - GPT_BACKUP_SECTORS * SECTOR;
	for (int i = 0; i < blkid_partlist_numof_partitions(list); i++) {
		blkid_partition part = blkid_partlist_get_partition(list, i);
		const uint64_t start = (uint64_t)blkid_partition_get_start(part) * SECTOR;
		const uint64_t behind = start + (uint64_t)blkid_partition_get_size(part) * SECTOR;
		const uint64_t limit = start > offset ? start : behind;

		if (blkid_partition_is_extended(part) || behind <= offset)
			continue;
		*end = limit < *end ? limit : *end;
		*is_inside |= start < offset;
	}
}

int signature_limit(struct cli *cli, const char *path, uint64_t offset, uint64_t *end, int *is_inside)
{
	int fd = open_file(cli, path, O_RDONLY);
	blkid_partlist list;
	blkid_probe probe;

	*end = UINT64_MAX;
	*is_inside = 0;
	if (fd < 0)
		return -1;
	probe = new_probe(cli, path, fd, 0, 0);
	if (probe) {
		blkid_probe_enable_partitions(probe, 1);
		list = blkid_probe_get_partitions(probe);
		if (list)
			limit_by(list, offset, (uint64_t)blkid_probe_get_size(probe), end, is_inside);
	}
	blkid_free_probe(probe);
	close(fd);
	return probe ? 0 : -1;
}

/* 1: nothing is left. */
static int wipe_once(struct cli *cli, const char *path, int fd, uint64_t offset, uint64_t size)
{
	blkid_probe probe = new_probe(cli, path, fd, offset, size);
	int rc = -1;

	if (!probe)
		return -1;
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_TYPE | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, 1);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
	for (unsigned i = 0; i < MOST_SIGNATURES; i++) {
		rc = blkid_do_probe(probe);
		if (rc != 0)
			break;
		rc = blkid_do_wipe(probe, 0);
		if (rc != 0)
			break;
	}
	blkid_free_probe(probe);
	return rc;
}

/* libblkid reads by itself; a read that fails may not fail again. */
static int wipe_known(struct cli *cli, const char *path, int fd, uint64_t offset, uint64_t size)
{
	for (unsigned i = 0; i < TRIES; i++)
		if (wipe_once(cli, path, fd, offset, size) == 1)
			return 0;
	cli_error(cli, "%s: wiping old signatures failed", path);
	return -1;
}

static int wipe_copies(struct cli *cli, const char *path, int fd, uint64_t offset, uint64_t size)
{
	static const char zeros[8];
	char found[8];

	for (unsigned i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
		off_t at = (off_t)(offset + copies[i].offset);

		if (size < sizeof(found) || copies[i].offset > size - sizeof(found))
			continue;
		if (pread(fd, found, sizeof(found), at) == (ssize_t)sizeof(found) &&
		    memcmp(found, copies[i].magic, sizeof(found)) != 0)
			continue;
		if (pwrite(fd, zeros, sizeof(zeros), at) != (ssize_t)sizeof(zeros)) {
			cli_error(cli, "%s: wiping old signatures failed: %s", path, strerror(errno));
			return -1;
		}
	}
	return 0;
}

int signature_wipe(struct cli *cli, const char *path, uint64_t offset, uint64_t size)
{
	int fd = open_file(cli, path, O_RDWR), rc;

	if (fd < 0)
		return -1;
	rc = wipe_known(cli, path, fd, offset, size);
	if (rc == 0)
		rc = wipe_copies(cli, path, fd, offset, size);
	if (rc == 0 && fsync(fd) != 0) {
		cli_error(cli, "%s: %s", path, strerror(errno));
		rc = -1;
	}
	close(fd);
	return rc;
}
#else
int signature_limit(struct cli *cli, const char *path, uint64_t offset, uint64_t *end, int *is_inside)
{
	(void)cli;
	(void)path;
	(void)offset;
	*end = UINT64_MAX;
	*is_inside = 0;
	return 0;
}

int signature_wipe(struct cli *cli, const char *path, uint64_t offset, uint64_t size)
{
	(void)cli;
	(void)path;
	(void)offset;
	(void)size;
	return 0;
}
#endif
