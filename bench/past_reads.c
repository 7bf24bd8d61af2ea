/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measure listing the versions of one file in a large volume: past_reads [GIB]. Makes a volume that holds no contents
 * but has all tables, fills it to 90 % with files of 1 GiB, rewrites one small file now and then, and counts the reads
 * of listing its versions. The device reports no holes, so the search cannot skip any.
 */
#include <f2fskit/f2fskit.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lab/hollow.h"

enum { PIECE = 4 << 20, REWRITES = 10 };

static uint8_t zeros[PIECE];

struct counted {
	struct f2fs_device *inner;
	uint64_t reads, bytes;
};

static void check(int rc, const char *what)
{
	if (!rc)
		return;
	fprintf(stderr, "past_reads: %s: %d\n", what, rc);
	exit(1);
}

static int read_counted(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct counted *c = self;

	c->reads++;
	for (unsigned i = 0; i < count; i++)
		c->bytes += iov[i].length;
	return f2fs_device_readv(c->inner, offset, iov, count);
}

static int tell_no_holes(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	const struct counted *c = self;

	*length = f2fs_device_info(c->inner)->size - offset;
	*is_hole = 0;
	return 0;
}

static void write_file(struct f2fs_volume *vol, const char *name, size_t length, uint64_t size)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct f2fs_inode *root, *file;
	int rc;

	check(f2fs_lookup(vol, "/", 0, &root), "root");
	rc = f2fs_create(root, name, length, &spec, &file);
	if (rc == F2FS_ERR_EXISTS)
		rc = f2fs_lookup(vol, name, 0, &file);
	check(rc, "create");
	f2fs_inode_close(root);
	for (uint64_t at = 0; at < size; at += PIECE)
		check(f2fs_inode_write(file, at, zeros, size - at < PIECE ? (size_t)(size - at) : PIECE), "write");
	f2fs_inode_close(file);
	check(f2fs_volume_commit(vol), "commit");
}

static void fill(struct f2fs_context *ctx, struct f2fs_device *dev, unsigned gib)
{
	const struct f2fs_write_options writing = { F2FS_SIZED(f2fs_write_options),
						    .logging = F2FS_LOGGING_NORMAL, .commit_when_full = 1 };
	struct f2fs_volume *vol;

	check(f2fs_volume_open(ctx, dev, NULL, &vol), "open");
	check(f2fs_volume_configure(vol, &writing), "options");
	for (unsigned i = 0; i < gib * 9 / 10; i++) {
		char name[20];

		write_file(vol, name, (size_t)snprintf(name, sizeof(name), "file-%u", i), 1u << 30);
		if (i % (gib * 9 / 10 / REWRITES + 1) == 0)
			write_file(vol, "the-one", 7, 100000);
	}
	f2fs_volume_close(vol);
}

static int see(void *user, const struct f2fs_version *version)
{
	unsigned *count = user;

	(void)version;
	++*count;
	return 0;
}

int main(int argc, char **argv)
{
	static const struct f2fs_device_ops ops = { F2FS_SIZED(f2fs_device_ops),
						    .read = read_counted, .extent = tell_no_holes };
	const unsigned gib = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .label = "bench" };
	struct f2fs_past_options search = { F2FS_SIZED(f2fs_past_options) };
	struct f2fs_mkfs_device device = { 0 };
	struct counted counted = { 0 };
	struct timespec start, end;
	struct f2fs_device_info info;
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
	struct f2fs_inode *file;
	struct f2fs_past *past;
	unsigned versions = 0;

	check(f2fs_context_open(NULL, &ctx), "context");
	check(lab_hollow_open(ctx, (uint64_t)gib << 30, &counted.inner), "device");
	device.device = counted.inner;
	check(f2fs_mkfs_write(ctx, &device, 1, &options, NULL), "mkfs");
	fill(ctx, counted.inner, gib);
	info = *f2fs_device_info(counted.inner);
	info.caps &= ~(uint32_t)F2FS_DEVICE_WRITE;
	check(f2fs_device_open_custom(ctx, &ops, &counted, &info, &dev), "counting device");
	clock_gettime(CLOCK_MONOTONIC, &start);
	check(f2fs_volume_open(ctx, dev, NULL, &vol), "open again");
	check(f2fs_lookup(vol, "/the-one", 0, &file), "look up");
	search.ino = f2fs_inode_number(file);
	f2fs_inode_close(file);
	check(f2fs_past_open(vol, &search, &past), "search");
	check(f2fs_past_list_versions(past, search.ino, see, &versions), "versions");
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%u versions in %u GiB: %llu reads, %.1f MiB, %.3f s\n", versions, gib,
	       (unsigned long long)counted.reads, (double)counted.bytes / 1048576,
	       (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9);
	f2fs_past_close(past);
	f2fs_volume_close(vol);
	f2fs_device_close(dev);
	f2fs_device_close(counted.inner);
	f2fs_context_close(ctx);
	return 0;
}
