/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Volumes without their roots and tables: every file reads as before from the remains, and nothing can be written. The
 * kernel tests do the same with larger volumes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <f2fskit/write.h>

#include "common/seed.h"
#include "format/flags.h"
#include "format/structs.h"

enum lost { SUPERBLOCKS = 1, PACKS = 2, SIT = 4, NAT = 8, SSA = 16 };

/* Everything that a walk finds: names, inode numbers, sizes, contents. */
static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ ((const uint8_t *)bytes)[i]) * 0x100000001B3u;
	return h;
}

static uint64_t digest_of(struct f2fs_volume *vol, unsigned *files)
{
	uint64_t sum = 0;

	*files = 0;
	for (f2fs_nid_t nid = 3;;) {
		struct f2fs_nat_info entry;
		struct f2fs_inode *inode;
		uint8_t bytes[5000];
		uint64_t h = 0xCBF29CE484222325u;
		size_t got = 0;

		if (f2fs_nat_next(vol, nid, &entry) != 0)
			break;
		nid = entry.nid + 1;
		if (entry.nid != entry.ino || f2fs_inode_open(vol, entry.nid, &inode) != 0)
			continue;
		++*files;
		h = hash(h, &entry.nid, sizeof(entry.nid));
		if (f2fs_inode_read(inode, 0, bytes, sizeof(bytes), &got) == 0)
			h = hash(h, bytes, got);
		f2fs_inode_close(inode);
		sum += h;
	}
	return sum;
}

static void wipe(struct f2fs_device *dev, f2fs_blk_t first, uint32_t count, uint32_t bits)
{
	assert_int_equal(f2fs_device_zero(dev, (uint64_t)first << bits, (uint64_t)count << bits), 0);
}

static void damage(struct seed *seed, unsigned lost, const struct f2fs_geometry *geo)
{
	const uint32_t bits = geo->block_bits, seg = F2FS_SEGMENT_BLOCKS;

	if (lost & SUPERBLOCKS)
		wipe(seed->dev, 0, 2, bits);
	if (lost & PACKS)
		wipe(seed->dev, geo->cp_blkaddr, 2 * seg, bits);
	if (lost & SIT)
		wipe(seed->dev, geo->sit_blkaddr, geo->segment_count_sit * seg, bits);
	if (lost & NAT)
		wipe(seed->dev, geo->nat_blkaddr, geo->segment_count_nat * seg, bits);
	if (lost & SSA)
		wipe(seed->dev, geo->ssa_blkaddr, geo->segment_count_ssa * seg, bits);
}

static void expect_the_same(const char *name, unsigned lost)
{
	const struct f2fs_open_options rescue = { F2FS_SIZED(f2fs_open_options), .mode = F2FS_MODE_RESCUE };
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct f2fs_geometry geo;
	struct f2fs_inode *root;
	struct seed seed;
	unsigned files, rescued;
	uint64_t before;

	assert_int_equal(seed_open(&seed, name, NULL), 0);
	before = digest_of(seed.vol, &files);
	assert_true(files > 5);
	geo = *f2fs_volume_geometry(seed.vol);
	f2fs_volume_close(seed.vol);
	seed.vol = NULL;
	damage(&seed, lost, &geo);
	assert_int_equal(f2fs_volume_open(seed.ctx, seed.dev, &rescue, &seed.vol), 0);
	if (lost & SUPERBLOCKS) {
		const struct f2fs_geometry *now = f2fs_volume_geometry(seed.vol);

		assert_int_equal(now->main_blkaddr, geo.main_blkaddr);
		assert_int_equal(now->segment_count_main, geo.segment_count_main);
		assert_int_equal(now->segment_count, geo.segment_count);
		assert_int_equal(now->segs_per_sec, geo.segs_per_sec);
		assert_int_equal(now->block_size, geo.block_size);
		assert_non_null(f2fs_volume_note(seed.vol, 0));
	}
	assert_true(digest_of(seed.vol, &rescued) == before);
	assert_int_equal(rescued, files);
	assert_int_equal(f2fs_inode_open(seed.vol, 3, &root), 0);
	assert_int_equal(f2fs_create(root, "new", 3, &spec, NULL), F2FS_ERR_READ_ONLY);
	f2fs_inode_close(root);
	seed_close(&seed);
}

static void one_kind_lost(void **state)
{
	(void)state;
	for (unsigned lost = SUPERBLOCKS; lost <= SSA; lost *= 2)
		expect_the_same("plain", lost);
}

static void several_lost(void **state)
{
	(void)state;
	expect_the_same("plain", PACKS | SIT | NAT | SSA);
	expect_the_same("plain", SUPERBLOCKS | PACKS);
	expect_the_same("features", SUPERBLOCKS | SIT);
	expect_the_same("sections", SUPERBLOCKS | NAT);
	expect_the_same("large-blocks", SUPERBLOCKS | NAT | SIT);
	expect_the_same("large-nat-bitmap", PACKS | NAT);
}

/* A magic number or a checksum that is gone does not make the rest of a superblock worthless. */
static void a_superblock_without_its_magic(void **state)
{
	const struct f2fs_open_options rescue = { F2FS_SIZED(f2fs_open_options), .mode = F2FS_MODE_RESCUE };
	uint8_t before[sb_SIZE];
	struct seed seed;
	unsigned copy;

	(void)state;
	assert_int_equal(seed_open(&seed, "plain", NULL), 0);
	memcpy(before, f2fs_volume_superblock(seed.vol, &copy), sb_SIZE);
	f2fs_volume_close(seed.vol);
	seed.vol = NULL;
	wipe(seed.dev, 0, 1, 12);
	assert_int_equal(f2fs_device_zero(seed.dev, 4096 + SB_OFFSET, 4), 0);
	assert_int_equal(f2fs_volume_open(seed.ctx, seed.dev, NULL, &seed.vol), F2FS_ERR_NOT_F2FS);
	assert_int_equal(f2fs_volume_open(seed.ctx, seed.dev, &rescue, &seed.vol), 0);
	assert_memory_equal(f2fs_volume_superblock(seed.vol, &copy), before, sb_SIZE);
	seed_close(&seed);
}

/* Anything but an F2FS volume is not made into one. */
static void nothing_to_rescue(void **state)
{
	const struct f2fs_open_options rescue = { F2FS_SIZED(f2fs_open_options), .mode = F2FS_MODE_RESCUE };
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
	struct f2fs_context *ctx;
	uint8_t bytes[4096];

	(void)state;
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	assert_int_equal(f2fs_device_open_memory(ctx, 64 << 20, &dev), 0);
	assert_int_equal(f2fs_volume_open(ctx, dev, &rescue, &vol), F2FS_ERR_NOT_F2FS);
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7);
	for (uint64_t at = 0; at < 64 << 20; at += 65536)
		assert_int_equal(f2fs_device_write(dev, at, bytes, sizeof(bytes)), 0);
	assert_int_equal(f2fs_volume_open(ctx, dev, &rescue, &vol), F2FS_ERR_NOT_F2FS);
	assert_int_equal(f2fs_context_error(ctx)->code, F2FS_ERR_NOT_F2FS);
	f2fs_device_close(dev);
	f2fs_context_close(ctx);
}

/* A device without holes that counts how often it is asked for them. */
struct asked {
	struct f2fs_device *inner;
	unsigned extents;
};

static int read_asked(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	return f2fs_device_readv(((struct asked *)self)->inner, offset, iov, count);
}

static int count_extent(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	struct asked *asked = self;

	asked->extents++;
	*length = f2fs_device_info(asked->inner)->size - offset;
	*is_hole = 0;
	return 0;
}

/* Some hosts take long to answer: one answer holds for its whole range, not for a chunk. */
static void holes_are_asked_for_once(void **state)
{
	const struct f2fs_device_ops ops = { F2FS_SIZED(f2fs_device_ops), .read = read_asked, .extent = count_extent };
	const struct f2fs_open_options rescue = { F2FS_SIZED(f2fs_open_options), .mode = F2FS_MODE_RESCUE };
	struct f2fs_device_info info = { .sector_size = 512 };
	struct f2fs_geometry geo;
	struct f2fs_device *dev;
	struct seed seed;
	struct asked asked;

	(void)state;
	assert_int_equal(seed_open(&seed, "plain", NULL), 0);
	geo = *f2fs_volume_geometry(seed.vol);
	f2fs_volume_close(seed.vol);
	damage(&seed, SIT | NAT, &geo);
	asked = (struct asked){ .inner = seed.dev };
	info.size = f2fs_device_info(seed.dev)->size;
	assert_int_equal(f2fs_device_open_custom(seed.ctx, &ops, &asked, &info, &dev), 0);
	assert_int_equal(f2fs_volume_open(seed.ctx, dev, &rescue, &seed.vol), 0);
	assert_int_equal(asked.extents, 1);
	f2fs_device_close(dev);
	seed_close(&seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holes_are_asked_for_once),
		cmocka_unit_test(one_kind_lost),
		cmocka_unit_test(several_lost),
		cmocka_unit_test(a_superblock_without_its_magic),
		cmocka_unit_test(nothing_to_rescue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
