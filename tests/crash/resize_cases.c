/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of all sizes with holes between them, and the findings that a check may have during a resize. */
#include "crash/resize_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash/tree_digest.h"

#define MIB ((uint64_t)1 << 20)

const struct resize_case resize_cases[RESIZE_CASES] = {
	{ .name = "shrink",
	  .device = 160 * MIB,
	  .size = 160 * MIB,
	  .target = 82 * MIB,
	  .files = 84,
	  .kept = 2,
	  .kinds = RESIZE_BIT(SHRINK) },
	{ .name = "extend",
	  .device = 140 * MIB,
	  .size = 128 * MIB,
	  .target = 140 * MIB,
	  .files = 10,
	  .kept = 3,
	  .kinds = RESIZE_BIT(EXTEND) },
	{ .name = "relayout",
	  .device = 3000 * MIB,
	  .size = 160 * MIB,
	  .target = 3000 * MIB,
	  .files = 30,
	  .kept = 3,
	  .kinds = RESIZE_BIT(RELAYOUT) },
	{ .name = "relayout, sections and checksums",
	  .device = 2600 * MIB,
	  .size = 320 * MIB,
	  .target = 2600 * MIB,
	  .files = 30,
	  .kept = 3,
	  .format = { .segs_per_sec = 2,
		      .feature = F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_INODE_CHECKSUM | F2FS_FEAT_SB_CHECKSUM,
		      .large_nat = 1 },
	  .kinds = RESIZE_BIT(RELAYOUT) },
	{ .name = "stages of a full volume",
	  .device = 12000 * MIB,
	  .size = 128 * MIB,
	  .target = 12000 * MIB,
	  .files = 34,
	  .kept = 4,
	  .kinds = RESIZE_BIT(RELAYOUT) | RESIZE_BIT(EXTEND) },
	{ .name = "smaller areas, in the end of the old SSA",
	  .device = 12000 * MIB,
	  .size = 12000 * MIB,
	  .target = 200 * MIB,
	  .files = 30,
	  .kept = 3,
	  .kinds = RESIZE_BIT(SHRINK) | RESIZE_BIT(REDUCE) },
	{ .name = "smaller areas, in emptied segments",
	  .device = 3000 * MIB,
	  .size = 3000 * MIB,
	  .target = 160 * MIB,
	  .files = 30,
	  .kept = 3,
	  .reduce_moves = 1,
	  .kinds = RESIZE_BIT(SHRINK) | RESIZE_BIT(REDUCE) },
	{ .name = "areas larger than the smaller volume",
	  .device = 12000 * MIB,
	  .size = 12000 * MIB,
	  .target = 80 * MIB,
	  .files = 30,
	  .kept = 2,
	  .format = { .feature = F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_INODE_CHECKSUM | F2FS_FEAT_SB_CHECKSUM,
		      .large_nat = 1 },
	  .kinds = RESIZE_BIT(SHRINK) | RESIZE_BIT(REDUCE) },
};

void resize_require(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static void write_file(struct f2fs_inode *root, unsigned number)
{
	static uint8_t bytes[1 << 21];
	const size_t length = ((size_t)number * 40503 % 2000 + 24) << 10;
	struct f2fs_inode *file;
	char name[16];

	snprintf(name, sizeof(name), "f%u", number);
	memset(bytes, (int)number + 1, length);
	resize_require(f2fs_create(root, name, strlen(name), &(struct f2fs_new){ F2FS_SIZED(f2fs_new),
										 .mode = 0100644 }, &file) == 0,
		"cannot create");
	resize_require(f2fs_inode_write(file, 0, bytes, length) == 0, "cannot write");
	f2fs_inode_close(file);
}

/* Files of all sizes, of which some go, so that there are holes everywhere. */
static void fill(struct f2fs_context *ctx, struct f2fs_device *dev, const struct resize_case *test)
{
	struct f2fs_volume *vol;
	struct f2fs_inode *root;
	char name[16];

	resize_require(f2fs_volume_open(ctx, dev, NULL, &vol) == 0, "cannot open");
	resize_require(f2fs_lookup(vol, "/", 0, &root) == 0, "no root");
	for (unsigned i = 0; i < test->files; i++) {
		write_file(root, i);
		if (i % 8 == 7)
			resize_require(f2fs_volume_commit(vol) == 0, "cannot commit");
	}
	for (unsigned i = 0; i < test->files; i++) {
		if (i % 4 < test->kept)
			continue;
		snprintf(name, sizeof(name), "f%u", i);
		resize_require(f2fs_remove(root, name, strlen(name)) == 0, "cannot remove");
	}
	f2fs_inode_close(root);
	resize_require(f2fs_volume_commit(vol) == 0, "cannot commit");
	f2fs_volume_close(vol);
}

struct f2fs_device *resize_make(struct f2fs_context *ctx, const struct resize_case *test)
{
	struct f2fs_mkfs_device target = { .size = test->size };
	struct f2fs_mkfs_options format = test->format;
	struct f2fs_device *dev;

	format.struct_size = sizeof(format);
	resize_require(f2fs_device_open_memory(ctx, test->device, &dev) == 0, "no device");
	target.device = dev;
	resize_require(f2fs_mkfs_write(ctx, &target, 1, &format, NULL) == 0, "cannot make the volume");
	fill(ctx, dev, test);
	return dev;
}

int resize_digest(struct f2fs_context *ctx, struct f2fs_device *dev, uint64_t *tree, uint32_t *segments)
{
	struct tree_digest digest = { 0 };
	struct f2fs_volume *vol;
	int err = f2fs_volume_open(ctx, dev, NULL, &vol);

	if (err)
		return err;
	err = tree_digest_files(vol, &digest);
	*tree = digest.fault ? 0 : digest.tree;
	*segments = f2fs_volume_geometry(vol)->segment_count;
	f2fs_volume_close(vol);
	return err;
}

/* Findings that a check may have meanwhile: roots of which one is half written, a count of free segments. */
static int is_expected(const char *name)
{
	static const char *const names[] = { "SB_DIFFER", "SB_COPY", "CP_PACK", "CP_UNFINISHED", "CP_FREE_SEGMENTS",
					     "RESIZE_NUMBERS", "RESIZE_HOP" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return 1;
	return 0;
}

static int take_problem(void *user, const struct f2fs_problem *problem)
{
	struct resize_found *out = user;

	out->last = problem->info->name;
	if (!is_expected(out->last))
		out->unexpected = out->last;
	return F2FS_DECIDE_SKIP;
}

int resize_case_check(struct f2fs_context *ctx, struct f2fs_device *dev, struct resize_found *out)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options),
						    .problem = take_problem, .user = out, .threads = 1 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	int err;

	*out = (struct resize_found){ 0 };
	err = f2fs_check(ctx, dev, &options, &result);
	out->found = result.found;
	return err;
}
