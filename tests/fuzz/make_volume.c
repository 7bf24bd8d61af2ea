/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * make_volume IMAGE BLOCK_SIZE [FEATURES [several]]: a small volume with one of each kind of file, made and filled by
 * the library itself. For volumes that no available kernel can write: blocks of 16 KiB, packed SSA; and for a row of
 * three devices in one file.
 */
#include <f2fskit/f2fskit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct f2fs_context *ctx;

static void must(int rc, const char *what)
{
	if (rc == 0)
		return;
	fprintf(stderr, "%s: %s\n", what, f2fs_context_error(ctx)->message);
	exit(1);
}

static struct f2fs_inode *make(struct f2fs_inode *dir, const char *name, uint32_t mode, const char *target)
{
	struct f2fs_new spec = { F2FS_SIZED(f2fs_new),
				 .mode = mode, .target = target, .target_length = target ? strlen(target) : 0 };
	struct f2fs_inode *inode;

	spec.mtime.seconds = 1700000000;
	must(f2fs_create(dir, name, strlen(name), &spec, &inode), name);
	return inode;
}

static void make_file(struct f2fs_inode *dir, const char *name, uint64_t offset, size_t size)
{
	struct f2fs_inode *inode = make(dir, name, 0100644, NULL);
	char *bytes = malloc(size + 1);

	if (!bytes)
		exit(1);
	for (size_t i = 0; i < size; i++)
		bytes[i] = "0123456789abcdef"[i % 16];
	if (size > 0)
		must(f2fs_inode_write(inode, offset, bytes, size), name);
	free(bytes);
	f2fs_inode_close(inode);
}

static void fill(struct f2fs_volume *vol)
{
	static const unsigned sizes[] = { 0, 5, 3000, 15000, 16384, 40000 };
	struct f2fs_inode *root, *dir, *inode;
	char name[300];

	must(f2fs_lookup(vol, "/", 0, &root), "root");
	dir = make(root, "tree", 0040755, NULL);
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		snprintf(name, sizeof(name), "size-%u", sizes[i]);
		make_file(dir, name, 0, sizes[i]);
	}
	make_file(dir, "far", (uint64_t)1 << 32, 10);
	make_file(dir, "farther", (uint64_t)1 << 40, 10);
	f2fs_inode_close(make(dir, "link", 0120777, "size-5"));
	f2fs_inode_close(make(dir, "fifo", 0010644, NULL));
	inode = make(dir, "attributes", 0100644, NULL);
	must(f2fs_xattr_set(inode, "user.color", "green", 5), "user.color");
	memset(name, 'v', sizeof(name));
	must(f2fs_xattr_set(inode, "trusted.large", name, sizeof(name)), "trusted.large");
	must(f2fs_link(dir, "second-name", 11, inode), "second-name");
	f2fs_inode_close(inode);
	f2fs_inode_close(dir);
	dir = make(root, "many", 0040755, NULL);
	for (unsigned i = 0; i < 900; i++) {
		snprintf(name, sizeof(name), "name-%04u-%s", i, i % 7 ? "" : "with-more-than-a-few-letters-in-it");
		make_file(dir, name, 0, 0);
	}
	for (unsigned i = 0; i < 900; i++) {
		snprintf(name, sizeof(name), "name-%04u-%s", i, i % 7 ? "" : "with-more-than-a-few-letters-in-it");
		if (i % 40)
			must(f2fs_remove(dir, name, strlen(name)), name);
	}
	f2fs_inode_close(dir);
	f2fs_inode_close(root);
	must(f2fs_volume_commit(vol), "commit");
}

#define DEVICES 3u
#define SIZE ((uint64_t)256 << 20)

/* The windows of the file that are the devices. */
static void slice(struct f2fs_device *dev, struct f2fs_mkfs_device *out, struct f2fs_device **further)
{
	static const char *const paths[DEVICES] = { "/dev/first", "/dev/second", "/dev/third" };
	const uint64_t ends[DEVICES + 1] = { 0, SIZE / 4, SIZE / 2, SIZE };

	for (unsigned i = 0; i < DEVICES; i++) {
		must(f2fs_device_open_slice(dev, ends[i], ends[i + 1] - ends[i], &out[i].device), "slice");
		out[i].path = paths[i];
		if (i > 0)
			further[i - 1] = out[i].device;
	}
}

int main(int argc, char **argv)
{
	struct f2fs_mkfs_device devices[DEVICES] = { { 0 } };
	struct f2fs_device *further[DEVICES];
	struct f2fs_open_options open = { F2FS_SIZED(f2fs_open_options), .devices = further };
	const unsigned count = argc > 4 ? DEVICES : 1;
	struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options),
					     .time = 1700000000, .has_time = 1, .checkpoint_version = 7 };
	struct f2fs_volume *vol;
	struct f2fs_device *dev;

	if (argc < 3)
		return 2;
	options.block_size = (uint32_t)strtoul(argv[2], NULL, 0);
	options.feature = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 0) : 0;
	if (f2fs_context_open(NULL, &ctx) != 0)
		return 1;
	must(f2fs_device_create(ctx, argv[1], SIZE, F2FS_OPEN_CREATE, &dev), argv[1]);
	devices[0].device = dev;
	if (count > 1)
		slice(dev, devices, further);
	open.device_count = count - 1;
	must(f2fs_mkfs_write(ctx, devices, count, &options, NULL), "mkfs");
	must(f2fs_volume_open(ctx, devices[0].device, count > 1 ? &open : NULL, &vol), "open");
	fill(vol);
	f2fs_volume_close(vol);
	for (unsigned i = 0; count > 1 && i < count; i++)
		f2fs_device_close(devices[i].device);
	f2fs_device_close(dev);
	f2fs_context_close(ctx);
	return 0;
}
