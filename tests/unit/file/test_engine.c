/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of writing: places of blocks, compression, discards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/comp.h"
#include "common/fresh.h"
#include "common/test_host.h"
#include "file/change.h"
#include "file/write.h"
#include "format/flags.h"
#include "log/space.h"
#include "log/txn.h"

#define MIB (1u << 20)

static struct fresh v;
static uint8_t bytes[2 * MIB];

static void configure(const struct f2fs_write_options *options)
{
	assert_int_equal(f2fs_volume_configure(v.vol, options), 0);
}

/* First block of a file. */
static f2fs_blk_t first_block(const char *path)
{
	struct f2fs_inode *inode;
	f2fs_blk_t addr;

	assert_int_equal(f2fs_lookup(v.vol, path, 0, &inode), 0);
	assert_int_equal(f2fs_inode_block(inode, 0, &addr), 0);
	f2fs_inode_close(inode);
	return addr;
}

static unsigned type_of_block(f2fs_blk_t addr)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(v.vol);
	struct f2fs_segment_info entry;

	assert_int_equal(f2fs_sit_lookup(v.vol, (addr - geo->main_blkaddr) / 512, &entry), 0);
	return entry.type;
}

static void write_file(const char *name, uint8_t fill, size_t size)
{
	struct f2fs_inode *inode;
	char path[64] = "/";

	strcat(path, name);
	memset(bytes, fill, size);
	if (f2fs_lookup(v.vol, path, 0, &inode) != 0)
		inode = fresh_make(&v, name, 0100644);
	assert_int_equal(f2fs_inode_write(inode, 0, bytes, size), 0);
	f2fs_inode_close(inode);
}

static void log_counts(void **state)
{
	static const struct {
		uint8_t logs;
		unsigned plain, cold, node;
	} rows[] = { { 6, F2FS_WARM_DATA, F2FS_COLD_DATA, F2FS_WARM_NODE },
		     { 4, F2FS_COLD_DATA, F2FS_COLD_DATA, F2FS_WARM_NODE },
		     { 2, F2FS_HOT_DATA, F2FS_HOT_DATA, F2FS_HOT_NODE } };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options), .logs = rows[i].logs };
		struct f2fs_nat_info entry;
		struct f2fs_inode *inode;

		fresh_open(&v, 64 * MIB, 0);
		configure(&options);
		write_file("a.bin", 'a', 100000);
		write_file("a.mp4", 'b', 100000);
		fresh_reopen(&v);
		assert_int_equal(type_of_block(first_block("/a.bin")), rows[i].plain);
		assert_int_equal(type_of_block(first_block("/a.mp4")), rows[i].cold);
		assert_int_equal(f2fs_lookup(v.vol, "/a.bin", 0, &inode), 0);
		assert_int_equal(f2fs_nat_lookup(v.vol, f2fs_inode_number(inode), &entry), 0);
		assert_int_equal(type_of_block(entry.block_addr), rows[i].node);
		f2fs_inode_close(inode);
		fresh_close(&v);
	}
}

/* The place of the first block of a file of 25 blocks, also after 8 of them were overwritten. */
static void temperatures(void **state)
{
	static const struct {
		struct f2fs_write_options options;
		unsigned first, again, media;
	} rows[] = {
		{ { .temperature = F2FS_TEMPERATURE_TABLE }, F2FS_WARM_DATA, F2FS_WARM_DATA, F2FS_COLD_DATA },
		{ { .temperature = F2FS_TEMPERATURE_SLIDES }, F2FS_COLD_DATA, F2FS_WARM_DATA, F2FS_COLD_DATA },
		{ { .temperature = F2FS_TEMPERATURE_KERNEL }, F2FS_WARM_DATA, F2FS_HOT_DATA, F2FS_COLD_DATA },
		{ { .logs = 4, .cold_apart = 1 }, F2FS_WARM_DATA, F2FS_WARM_DATA, F2FS_COLD_DATA },
		{ { .logs = 4, .cold_apart = 1, .temperature = F2FS_TEMPERATURE_SLIDES },
		  F2FS_COLD_DATA, F2FS_WARM_DATA, F2FS_COLD_DATA },
		{ { .logs = 4, .temperature = F2FS_TEMPERATURE_SLIDES }, F2FS_COLD_DATA, F2FS_COLD_DATA,
		  F2FS_COLD_DATA },
	};
	struct f2fs_counters counters = { F2FS_SIZED(f2fs_counters) };

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct f2fs_write_options options = rows[i].options;

		options.struct_size = sizeof(options);
		fresh_open(&v, 64 * MIB, 0);
		configure(&options);
		write_file("a.bin", 'a', 25 * 4096);
		write_file("a.mp4", 'b', 25 * 4096);
		f2fs_volume_counters(v.vol, &counters);
		assert_int_equal(counters.log_new[F2FS_COLD_DATA] + counters.log_new[F2FS_WARM_DATA], 50);
		fresh_reopen(&v);
		assert_int_equal(type_of_block(first_block("/a.bin")), rows[i].first);
		assert_int_equal(type_of_block(first_block("/a.mp4")), rows[i].media);
		configure(&options);
		write_file("a.bin", 'c', 8 * 4096);
		f2fs_volume_counters(v.vol, &counters);
		assert_int_equal(counters.log_updated[rows[i].again], 8);
		fresh_reopen(&v);
		assert_int_equal(type_of_block(first_block("/a.bin")), rows[i].again);
		fresh_close(&v);
	}
}

static void refusals(void **state)
{
	const struct f2fs_write_options wrong[] = {
		{ F2FS_SIZED(f2fs_write_options), .temperature = 3 },
		{ F2FS_SIZED(f2fs_write_options), .cold_apart = 2 },
		{ F2FS_SIZED(f2fs_write_options), .discard_unit = 3 },
	};
	struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options), .logs = 3 };

	(void)state;
	fresh_open(&v, 64 * MIB, 0);
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(f2fs_volume_configure(v.vol, &wrong[i]), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_volume_configure(v.vol, &options), F2FS_ERR_INVALID);
	options.logs = 0;
	options.low_sections = 101;
	assert_int_equal(f2fs_volume_configure(v.vol, &options), F2FS_ERR_INVALID);
	options.low_sections = 0;
	options.in_place = 3;
	assert_int_equal(f2fs_volume_configure(v.vol, &options), F2FS_ERR_INVALID);
	options.in_place = 0;
	options.has_compression = 1;
	assert_int_equal(f2fs_volume_configure(v.vol, &options), F2FS_ERR_UNSUPPORTED);
	write_file("a", 'a', 5);
	assert_int_equal(f2fs_volume_configure(v.vol, NULL), F2FS_ERR_STATE);
	assert_int_equal(f2fs_volume_trim(v.vol, 0, NULL), F2FS_ERR_STATE);
	/* closing without a commit forgets it, and gives all memory back */
	fresh_close(&v);
}

/* Nodes that a call frees leave memory at once, however many they are. */
static void freed_nodes_leave_memory(void **state)
{
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options) };
	const uint64_t stride = (uint64_t)1018 * 4096;
	struct f2fs_inode *inode;
	struct test_host host;
	size_t before;

	(void)state;
	test_host_init(&host);
	fresh_open_on(&v, &host.host, 128 * MIB, &options);
	inode = fresh_make(&v, "sparse", 0100644);
	for (unsigned i = 0; i < 3000; i++)
		assert_int_equal(f2fs_fallocate(inode, 0, (1 + i) * stride, 1), 0);
	fresh_reopen_keep(&v, &inode, "/sparse");
	before = host.live;
	host.peak = host.live;
	assert_int_equal(f2fs_inode_truncate(inode, 0), 0);
	/* 12 MB of nodes were read, which the volume's cache may keep, and freed one after the other */
	assert_true(host.peak - before < 14 * MIB);
	assert_true(v.vol->txn->node_count < 5 && v.vol->txn->dirty_count < 5);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	f2fs_inode_close(inode);
	fresh_close(&v);
}

static void overwriting_in_place(void **state)
{
	struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options), .in_place = F2FS_IN_PLACE_ALWAYS };
	f2fs_blk_t before;
	struct f2fs_inode *inode;
	char byte;
	size_t done;

	(void)state;
	fresh_open(&v, 64 * MIB, 0);
	write_file("a", 'a', 40960);
	fresh_reopen(&v);
	before = first_block("/a");
	write_file("a", 'b', 40960);
	fresh_reopen(&v);
	assert_int_not_equal(first_block("/a"), before);
	configure(&options);
	before = first_block("/a");
	write_file("a", 'c', 40960);
	fresh_reopen(&v);
	assert_int_equal(first_block("/a"), before);
	assert_int_equal(f2fs_lookup(v.vol, "/a", 0, &inode), 0);
	assert_int_equal(f2fs_inode_read(inode, 40959, &byte, 1, &done), 0);
	assert_int_equal(byte, 'c');
	f2fs_inode_close(inode);

	/* only when space runs low: not on an empty volume */
	options.in_place = F2FS_IN_PLACE_FULL;
	configure(&options);
	write_file("a", 'd', 40960);
	fresh_reopen(&v);
	assert_int_not_equal(first_block("/a"), before);
	options.low_sections = 100;
	configure(&options);
	before = first_block("/a");
	write_file("a", 'e', 40960);
	fresh_reopen(&v);
	assert_int_equal(first_block("/a"), before);
	fresh_close(&v);
}

/* An fsync after contents were overwritten in place writes no node, but it flushes the device, once. */
static void fsync_in_place(void **state)
{
	struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options), .in_place = F2FS_IN_PLACE_ALWAYS };
	struct f2fs_counters before = { F2FS_SIZED(f2fs_counters) }, after = { F2FS_SIZED(f2fs_counters) };
	const uint64_t at[] = { 0, 4000 * 4096ull }; /* a slot of the inode, and one of a direct node */
	struct f2fs_inode *inode;

	(void)state;
	for (uint8_t at_once = 0; at_once < 2; at_once++) {
		fresh_open(&v, 64 * MIB, 0);
		inode = fresh_make(&v, "a", 0100644);
		for (size_t i = 0; i < 2; i++)
			assert_int_equal(f2fs_inode_write(inode, at[i], bytes, 4096), 0);
		f2fs_inode_close(inode);
		fresh_reopen(&v);
		options.at_once = at_once;
		configure(&options);
		assert_int_equal(f2fs_lookup(v.vol, "/a", 0, &inode), 0);
		for (size_t i = 0; i < 2; i++) {
			assert_int_equal(f2fs_inode_write(inode, at[i], bytes + i + 1, 4096), 0);
			f2fs_volume_counters(v.vol, &before);
			assert_int_equal(f2fs_fsync(inode, 0), 0);
			f2fs_volume_counters(v.vol, &after);
			assert_int_equal(after.flushes, before.flushes + 1);
			assert_int_equal(after.bytes[F2FS_WRITE_CHAIN], 0);
			assert_int_equal(after.bytes[F2FS_WRITE_NODE], before.bytes[F2FS_WRITE_NODE]);
			assert_int_equal(f2fs_fsync(inode, 0), 0);
			f2fs_volume_counters(v.vol, &after);
			assert_int_equal(after.flushes, before.flushes + 1);
		}
		assert_int_equal(after.bytes[F2FS_WRITE_DATA], 2 * 4096);
		f2fs_inode_close(inode);
		fresh_close(&v);
	}
}

/* With the threshold at all sections, blocks fill the holes of segments in use. */
static void holes_are_filled(void **state)
{
	struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options), .low_sections = 100 };
	struct f2fs_volume_stat before = { F2FS_SIZED(f2fs_volume_stat) }, after = { F2FS_SIZED(f2fs_volume_stat) };
	struct f2fs_inode *root;
	char name[] = "f0";

	(void)state;
	fresh_open(&v, 128 * MIB, 0);
	for (name[1] = '0'; name[1] < '9'; name[1]++)
		write_file(name, (uint8_t)name[1], 2 * MIB - 8192);
	fresh_reopen(&v);
	assert_int_equal(f2fs_lookup(v.vol, "/", 0, &root), 0);
	for (name[1] = '0'; name[1] < '8'; name[1] += 2)
		assert_int_equal(f2fs_remove(root, name, 2), 0);
	f2fs_inode_close(root);
	fresh_reopen(&v);
	configure(&options);
	f2fs_volume_statfs(v.vol, &before);
	for (name[0] = 'g', name[1] = '0'; name[1] < '4'; name[1]++)
		write_file(name, 'g', MIB);
	fresh_reopen(&v);
	f2fs_volume_statfs(v.vol, &after);
	assert_true(after.free_segments + 1 >= before.free_segments); /* (one more at most: where the log was) */
	fresh_close(&v);
}

/* The contents of a file of numbered blocks, for nearly_full(). */
static uint32_t *expected;

static void check_numbers(uint32_t blocks)
{
	struct f2fs_inode *inode;
	uint8_t block[4096];
	size_t done;

	assert_int_equal(f2fs_lookup(v.vol, "/full", 0, &inode), 0);
	for (uint32_t i = 0; i < blocks; i++) {
		assert_int_equal(f2fs_inode_read(inode, (uint64_t)i * 4096, block, 4096, &done), 0);
		assert_int_equal(get_le32(block), expected[i]);
	}
	f2fs_inode_close(inode);
}

/* Write a number, with the rest of a block or without. */
static int write_number(struct f2fs_inode *inode, uint32_t index, uint32_t number, bool is_whole)
{
	uint8_t block[4096] = { 0 };

	put_le32(block, number);
	return f2fs_inode_write(inode, (uint64_t)index * 4096, block, is_whole ? 4096 : 4);
}

/* A volume without a free block is overwritten again and again, all over, and loses nothing. */
static void nearly_full(void **state)
{
	static const struct {
		uint32_t segments;
		uint64_t mib;
		bool is_whole;
	} rows[] = { { 1, 100, true }, { 4, 400, true }, { 1, 100, false }, { 4, 400, false } };
	uint32_t seed = 1;

	(void)state;
	for (unsigned row = 0; row < 4; row++) {
		const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options),
							   .segs_per_sec = rows[row].segments };
		const bool whole = rows[row].is_whole;
		struct f2fs_volume_stat stat = { F2FS_SIZED(f2fs_volume_stat) };
		struct f2fs_inode *inode;
		uint32_t blocks = 0;
		int err = 0;

		fresh_open_with(&v, rows[row].mib * MIB, &options);
		expected = calloc(200000, sizeof(*expected));
		assert_non_null(expected);
		inode = fresh_make(&v, "full", 0100644);
		/* the last blocks are for nodes: commit before the write that does not fit */
		while (f2fs_volume_statfs(v.vol, &stat), !err) {
			if (blocks % 2000 == 0)
				assert_int_equal(f2fs_volume_commit(v.vol), 0);
			err = write_number(inode, blocks, blocks, true);
			if (!err)
				expected[blocks] = blocks;
			blocks += !err;
		}
		assert_int_equal(err, F2FS_ERR_NOSPC);
		/* the call changed nothing: earlier changes can be committed */
		assert_int_equal(f2fs_volume_commit(v.vol), 0);
		f2fs_volume_statfs(v.vol, &stat);
		assert_true(stat.free_blocks < 8);
		err = 0;
		for (unsigned round = 0; round < 40; round++) {
			for (unsigned i = 0; i < 300; i++) {
				seed = seed * 1664525u + 1013904223u;
				expected[(seed >> 8) % blocks] = seed;
				assert_int_equal(write_number(inode, (seed >> 8) % blocks, seed, whole), 0);
			}
			assert_int_equal(f2fs_volume_commit(v.vol), 0);
		}
		/* without commits it must end, with nothing lost; after one it continues */
		for (uint32_t i = 0; !err && i < blocks; i++)
			err = write_number(inode, i, expected[i], whole);
		assert_int_equal(err, F2FS_ERR_NOSPC);
		assert_int_equal(f2fs_volume_commit(v.vol), 0);
		assert_int_equal(write_number(inode, 0, expected[0], whole), 0);
		fresh_reopen_keep(&v, &inode, "/full");
		check_numbers(blocks);
		f2fs_inode_close(inode);
		free(expected);
		fresh_close(&v);
	}
}

/* Is a block on the device all zeros? */
static bool is_punched(f2fs_blk_t addr)
{
	uint8_t block[4096];

	assert_int_equal(f2fs_device_read(v.dev, (uint64_t)addr * 4096, block, 4096), 0);
	for (unsigned i = 0; i < 4096; i++)
		if (block[i])
			return false;
	return true;
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Fill a new volume up to a share of what users may have, with one file. */
static struct f2fs_inode *fill_volume(const struct f2fs_write_options *options, unsigned percent, uint32_t *blocks)
{
	struct f2fs_inode *inode;
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };

	fresh_open(&v, 100 * MIB, 0);
	configure(options);
	inode = fresh_make(&v, "data", 0100644);
	f2fs_volume_statfs(v.vol, &st);
	*blocks = (uint32_t)((st.user_blocks - st.valid_blocks) * percent / 100);
	memset(bytes, 1, sizeof(bytes));
	for (uint32_t i = 0, n; i < *blocks; i += n) {
		n = *blocks - i < 256 ? *blocks - i : 256;
		assert_int_equal(f2fs_inode_write(inode, (uint64_t)i * 4096, bytes, (size_t)n * 4096), 0);
	}
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	return inode;
}

/* Overwrite blocks at random, each with its number; blocks that found no room are written again after a commit. */
static unsigned overwrite(struct f2fs_inode *inode, uint32_t blocks, unsigned count, size_t length)
{
	static uint32_t block[1024];
	unsigned refused = 0;
	uint32_t seed = 7;

	for (unsigned i = 0; i < count; i++) {
		const uint32_t at = next_random(&seed) % blocks;
		int err;

		block[0] = at;
		err = f2fs_inode_write(inode, (uint64_t)at * 4096, block, length);
		if (err == F2FS_ERR_NOSPC) {
			refused++;
			assert_int_equal(f2fs_volume_commit(v.vol), 0);
			err = f2fs_inode_write(inode, (uint64_t)at * 4096, block, length);
		}
		assert_int_equal(err, 0);
	}
	return refused;
}

static void check_contents(struct f2fs_inode *inode, uint32_t blocks)
{
	for (uint32_t i = 0; i < blocks; i++) {
		uint32_t number;
		size_t done;

		assert_int_equal(f2fs_inode_read(inode, (uint64_t)i * 4096, &number, 4, &done), 0);
		assert_true(number == i || number == 0x01010101);
	}
}

/* A volume that is nearly full, overwritten without a commit: blocks that were freed rest until there is one. */
static void room_for_overwriting(void **state)
{
	static const unsigned shares[] = { 60, 90, 99 };

	(void)state;
	for (unsigned row = 0; row < 12; row++) {
		const bool commits = row & 1;
		const struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options),
							    .commit_when_full = commits };
		uint32_t blocks;
		struct f2fs_inode *inode = fill_volume(&options, shares[row / 4], &blocks);
		const unsigned refused = overwrite(inode, blocks, 30000, row & 2 ? 4 : 4096);

		if (commits) {
			assert_int_equal(refused, 0);
			assert_in_range(cp_checkpoint_ver(v.vol->view->cp), 8, 80); /* and not one for each change */
		} else {
			assert_true(refused > 0);
		}
		fresh_reopen_keep(&v, &inode, "/data");
		check_contents(inode, blocks);
		f2fs_inode_close(inode);
		fresh_close(&v);
	}
}

/* A file that takes most of a volume gets new contents, by one call. */
static void room_for_replacing(void **state)
{
	const struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options), .commit_when_full = 1 };
	uint32_t blocks;
	struct f2fs_inode *inode = fill_volume(&options, 90, &blocks);
	uint8_t *contents = malloc((size_t)blocks * 4096);

	(void)state;
	assert_non_null(contents);
	memset(contents, 2, (size_t)blocks * 4096);
	assert_int_equal(f2fs_inode_truncate(inode, 0), 0);
	assert_int_equal(f2fs_inode_write(inode, 0, contents, (size_t)blocks * 4096), 0);
	/* over itself, at places that are no whole blocks */
	assert_int_equal(f2fs_inode_write(inode, 100, contents, (size_t)blocks * 4096 - 200), 0);
	fresh_reopen_keep(&v, &inode, "/data");
	for (uint32_t i = 0; i < blocks; i++) {
		uint32_t number;
		size_t done;

		assert_int_equal(f2fs_inode_read(inode, (uint64_t)i * 4096, &number, 4, &done), 0);
		assert_int_equal(number, 0x02020202);
	}
	/* without room, later writes are kept or not, but the volume is sound and can be committed */
	assert_int_equal(f2fs_inode_write(inode, (uint64_t)blocks * 4096, contents, (size_t)blocks * 4096),
			 F2FS_ERR_NOSPC);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	free(contents);
	f2fs_inode_close(inode);
	fresh_close(&v);
}

static void discard_and_trim(void **state)
{
	const struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options), .discard = 1 };
	f2fs_blk_t first, second;
	uint64_t trimmed = 0;

	(void)state;
	fresh_open(&v, 64 * MIB, 0);
	write_file("a", 'a', MIB);
	fresh_reopen(&v);
	first = first_block("/a");
	write_file("a", 'b', MIB);
	fresh_reopen(&v);
	assert_false(is_punched(first)); /* nobody asked */
	second = first_block("/a");
	assert_int_equal(f2fs_volume_trim(v.vol, 1u << 30, &trimmed), 0);
	assert_true(trimmed == 0);
	assert_int_equal(f2fs_volume_trim(v.vol, 0, &trimmed), 0);
	assert_true(trimmed > 20 * MIB);
	assert_true(is_punched(first) && is_punched(first + 255));
	assert_false(is_punched(second));

	configure(&options);
	write_file("a", 'c', MIB);
	assert_false(is_punched(second)); /* the checkpoint in force still has it */
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_true(is_punched(second) && is_punched(second + 255));
	fresh_reopen(&v);
	assert_false(is_punched(first_block("/a")));
	fresh_close(&v);
}

/* A commit discards segments, or sections of two, when all of them is free and no log is in them. */
static void discard_units(void **state)
{
	static const struct {
		uint8_t unit;
		uint8_t segment, both; /* is segment 0 discarded when it is free, and when segment 1 is free, too */
	} rows[] = { { F2FS_DISCARD_UNIT_SEGMENT, 1, 1 }, { F2FS_DISCARD_UNIT_SECTION, 0, 1 } };
	const struct f2fs_mkfs_options sections = { F2FS_SIZED(f2fs_mkfs_options), .segs_per_sec = 2 };

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options), .discard = 1,
							    .discard_unit = rows[i].unit };
		f2fs_blk_t a, c;

		fresh_open_with(&v, 128 * MIB, &sections);
		configure(&options);
		write_file("a", 'a', MIB);
		write_file("b", 'b', MIB);
		assert_int_equal(f2fs_volume_commit(v.vol), 0);
		a = first_block("/a");
		assert_int_equal(first_block("/b"), a + 256);
		/* half a segment is free */
		write_file("a", 'c', 2 * MIB);
		assert_int_equal(f2fs_volume_commit(v.vol), 0);
		c = first_block("/a");
		assert_int_equal(c, a + 512);
		assert_false(is_punched(a));
		/* the whole segment, with the half that an earlier commit freed */
		write_file("b", 'd', MIB);
		assert_int_equal(f2fs_volume_commit(v.vol), 0);
		assert_int_equal(is_punched(a) && is_punched(a + 511), rows[i].segment);
		assert_false(is_punched(c));
		/* its section: segment c is free, too, and no log is in it */
		write_file("a", 'e', 2 * MIB);
		assert_int_equal(f2fs_volume_commit(v.vol), 0);
		assert_int_equal(is_punched(a) && is_punched(c) && is_punched(c + 511), rows[i].both);
		assert_false(is_punched(first_block("/a")));
		fresh_close(&v);
	}
	assert_int_equal(f2fs_discard_unit_find("segment"), F2FS_DISCARD_UNIT_SEGMENT);
	assert_int_equal(f2fs_discard_unit_find("zone"), -1);
	assert_string_equal(f2fs_discard_unit_name(F2FS_DISCARD_UNIT_SECTION), "section");
	assert_null(f2fs_discard_unit_name(3));
}

static unsigned is_compressed(const char *name, unsigned *algorithm)
{
	struct f2fs_inode *inode = fresh_make(&v, name, 0100644);
	struct f2fs_stat st;

	assert_int_equal(f2fs_inode_stat(inode, &st), 0);
	f2fs_inode_close(inode);
	*algorithm = st.compress_algorithm;
	return st.is_compressed;
}

static void names_decide(void **state)
{
	const struct f2fs_compression zstd = { .algorithm = F2FS_COMPRESS_ZSTD, .level = 3, .log_cluster = 4 };
	struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options),
					      .compress_names = "txt, log", .plain_names = "bin" };
	struct f2fs_inode *root;
	unsigned algorithm;

	(void)state;
	if (!comp_can_compress(COMP_LZ4) || !comp_can_compress(COMP_ZSTD))
		skip();
	fresh_open(&v, 64 * MIB, F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_COMPRESSION);
	assert_int_equal(f2fs_lookup(v.vol, "/", 0, &root), 0);
	configure(&options);
	assert_int_equal(is_compressed("a.TXT", &algorithm), 1);
	assert_int_equal(algorithm, F2FS_COMPRESS_LZ4);
	assert_int_equal(is_compressed("a.log.gz", &algorithm), 1);
	assert_int_equal(is_compressed("a.txtx", &algorithm), 0);
	assert_int_equal(is_compressed(".txt", &algorithm), 0);
	assert_int_equal(is_compressed("a", &algorithm), 0);
	/* a directory hands down how it is */
	assert_int_equal(f2fs_compress_set(root, &zstd), 0);
	assert_int_equal(is_compressed("b", &algorithm), 1);
	assert_int_equal(algorithm, F2FS_COMPRESS_ZSTD);
	assert_int_equal(is_compressed("b.bin", &algorithm), 0);
	f2fs_inode_close(root);
	fresh_close(&v);
}

/* A call that fails after it has freed a block has failed half-way, whatever else it did. */
static void a_freed_block_bars_the_commit(void **state)
{
	struct change change;
	f2fs_blk_t addr;

	(void)state;
	fresh_open(&v, 64 * MIB, 0);
	write_file("file", 1, 5 * 4096);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	addr = first_block("/file");
	assert_int_equal(change_begin(&change, v.vol), 0);
	assert_int_equal(block_free(txn_of(v.vol), addr), 0);
	assert_int_equal(change_end(&change, F2FS_ERR_NOMEM), F2FS_ERR_NOMEM);
	assert_int_equal(f2fs_volume_commit(v.vol), F2FS_ERR_STATE);
	f2fs_volume_rollback(v.vol);
	assert_int_equal(first_block("/file"), addr);
	fresh_close(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log_counts),
		cmocka_unit_test(temperatures),
		cmocka_unit_test(refusals),
		cmocka_unit_test(freed_nodes_leave_memory),
		cmocka_unit_test(overwriting_in_place),
		cmocka_unit_test(fsync_in_place),
		cmocka_unit_test(holes_are_filled),
		cmocka_unit_test(room_for_overwriting),
		cmocka_unit_test(room_for_replacing),
		cmocka_unit_test(discard_and_trim),
		cmocka_unit_test(discard_units),
		cmocka_unit_test(names_decide),
		cmocka_unit_test(nearly_full),
		cmocka_unit_test(a_freed_block_bars_the_commit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
