/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NAT, SIT and SSA of volumes that the kernel wrote: they agree with each other, with the checkpoint and the journals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bitmap.h"
#include "common/seed.h"
#include "format/flags.h"
#include "format/structs.h"

static const char *const seeds[] = { "plain",	   "features",	       "directories", "orphans",   "fastboot",
				     "compressed", "large-nat-bitmap", "sections",    "read-only", "borders" };
#define EACH_SEED(i) (unsigned i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)

static void node_ids_in_use_are_those_counted(void **state)
{
	(void)state;
	for
		EACH_SEED(i)
		{
			struct f2fs_nat_info entry, again;
			struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
			struct seed seed;
			uint32_t nodes = 0, inodes = 0;
			f2fs_nid_t nid = 0;
			int rc;

			assert_int_equal(seed_open(&seed, seeds[i], NULL), 0);
			while ((rc = f2fs_nat_next(seed.vol, nid, &entry)) == 0) {
				assert_true(entry.nid >= nid && entry.block_addr != 0);
				assert_int_equal(f2fs_nat_lookup(seed.vol, entry.nid, &again), 0);
				assert_int_equal(entry.block_addr, again.block_addr);
			assert_int_equal(entry.ino, again.ino);
			assert_int_equal(entry.version, again.version);
			assert_int_equal(entry.source, again.source);
			assert_int_equal(entry.table_block, again.table_block);
				nid = entry.nid + 1;
				nodes += entry.nid >= 3;
				inodes += entry.nid >= 3 && entry.ino == entry.nid;
			}
			assert_int_equal(rc, F2FS_ERR_NOT_FOUND);
			f2fs_volume_statfs(seed.vol, &st);
			assert_int_equal(nodes, st.valid_nodes);
			assert_int_equal(inodes, st.valid_inodes);
			seed_close(&seed);
		}
}

/* f2fs_nat_read gives what f2fs_nat_lookup gives, across blocks and over the journal. */
static void raw_entries_are_the_same(void **state)
{
	static uint8_t raw[1500 * nat_SIZE];

	(void)state;
	for
		EACH_SEED(i)
		{
			struct seed seed;

			assert_int_equal(seed_open(&seed, seeds[i], NULL), 0);
			for (f2fs_nid_t first = 0; first < 500; first += 450) {
				assert_int_equal(f2fs_nat_read(seed.vol, first, 1500, raw), 0);
				for (uint32_t k = 0; k < 1500; k++) {
					struct f2fs_nat_info entry;

					assert_int_equal(f2fs_nat_lookup(seed.vol, first + k, &entry), 0);
					assert_int_equal(nat_block_addr(raw + k * nat_SIZE), entry.block_addr);
					assert_int_equal(nat_ino(raw + k * nat_SIZE), entry.ino);
					assert_int_equal(nat_version(raw + k * nat_SIZE), entry.version);
				}
			}
			seed_close(&seed);
		}
}

static void ranges_of_tables(void **state)
{
	const struct f2fs_geometry *geo;
	struct f2fs_nat_info nat;
	struct f2fs_segment_info sit;
	struct f2fs_block_owner sum;
	uint8_t raw[100];
	struct seed seed;

	(void)state;
	assert_int_equal(seed_open(&seed, "plain", NULL), 0);
	geo = f2fs_volume_geometry(seed.vol);
	assert_int_equal(f2fs_nat_lookup(seed.vol, geo->max_nid, &nat), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_nat_lookup(seed.vol, 0xFFFFFFFF, &nat), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_nat_read(seed.vol, geo->max_nid - 1, 2, raw), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_nat_read(seed.vol, 0xFFFFFFFF, 0xFFFFFFFF, raw), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_nat_read(seed.vol, geo->max_nid - 1, 1, raw), 0);
	assert_int_equal(f2fs_nat_next(seed.vol, geo->max_nid, &nat), F2FS_ERR_NOT_FOUND);
	assert_int_equal(f2fs_sit_lookup(seed.vol, geo->segment_count_main, &sit), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_sit_read(seed.vol, geo->segment_count_main - 1, 2, raw), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_ssa_lookup(seed.vol, geo->segment_count_main, 0, &sum), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_ssa_lookup(seed.vol, 0, 512, &sum), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_block_read(seed.vol, (f2fs_blk_t)geo->end_blkaddr, 1, raw), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_block_read(seed.vol, 0, 0xFFFFFFFF, raw), F2FS_ERR_RANGE);
	seed_close(&seed);
}

/* The maps of the SIT add up to the checkpoint's counts; node blocks are in node segments. */
static void maps_add_up(void **state)
{
	(void)state;
	for
		EACH_SEED(i)
		{
			struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
			struct seed seed;
			uint64_t valid = 0, nodes = 0;

			assert_int_equal(seed_open(&seed, seeds[i], NULL), 0);
			for (f2fs_seg_t s = 0; s < f2fs_volume_geometry(seed.vol)->segment_count_main; s++) {
				struct f2fs_segment_info entry;
				uint8_t raw[sit_SIZE];

				assert_int_equal(f2fs_sit_lookup(seed.vol, s, &entry), 0);
				assert_int_equal(entry.valid_blocks, bitmap_popcount(entry.valid_map, 64));
				assert_true(entry.type < F2FS_LOG_COUNT);
				valid += entry.valid_blocks;
				nodes += entry.type >= F2FS_HOT_NODE ? entry.valid_blocks : 0;
				assert_int_equal(f2fs_sit_read(seed.vol, s, 1, raw), 0);
				assert_int_equal(sit_vblocks(raw) & 0x3ff, entry.valid_blocks);
				assert_memory_equal(sit_valid_map(raw), entry.valid_map, 64);
			}
			f2fs_volume_statfs(seed.vol, &st);
			assert_true(valid <= st.valid_blocks); /* those reserved and not written have no place */
			assert_true(nodes == st.valid_nodes);
			seed_close(&seed);
		}
}

/* Every valid block is what its summary says, and its owner points at it. */
static void every_block_has_its_owner(void **state)
{
	(void)state;
	for
		EACH_SEED(i)
		{
			const struct f2fs_geometry *geo;
			struct seed seed;

			if (strcmp(seeds[i], "read-only") == 0) /* no SSA */
				continue;
			assert_int_equal(seed_open(&seed, seeds[i], NULL), 0);
			geo = f2fs_volume_geometry(seed.vol);
			for (f2fs_blk_t a = geo->main_blkaddr; a < geo->end_blkaddr; a++) {
				struct f2fs_block_identity id;

				assert_int_equal(f2fs_block_identify(seed.vol, a, &id), 0);
				assert_int_equal(id.area, F2FS_AREA_MAIN);
				assert_int_equal(id.is_node, id.type >= F2FS_HOT_NODE || !id.is_valid ? id.is_node : 0);
				if (!id.is_valid)
					continue;
				if (!id.is_owned)
					fail_msg("%s: block %u is not owned by node %u", seeds[i], a, id.nid);
				assert_true(id.ino >= 3);
				assert_true(id.is_node || id.file_block != F2FS_NO_BLOCK);
			}
			seed_close(&seed);
		}
}

static void areas_of_blocks(void **state)
{
	static const struct {
		f2fs_blk_t block;
		int area;
		uint32_t index;
	} rows[] = {
		{ 0, F2FS_AREA_SUPERBLOCK, 0 }, { 1, F2FS_AREA_SUPERBLOCK, 1 },	  { 2, F2FS_AREA_NONE, 0 },
		{ 511, F2FS_AREA_NONE, 0 },	{ 512, F2FS_AREA_CHECKPOINT, 0 }, { 1535, F2FS_AREA_CHECKPOINT, 1023 },
		{ 1536, F2FS_AREA_SIT, 0 },	{ 2560, F2FS_AREA_NAT, 0 },	  { 3584, F2FS_AREA_SSA, 0 },
		{ 4095, F2FS_AREA_SSA, 511 },	{ 4096, F2FS_AREA_MAIN, 0 },
	};
	struct f2fs_block_identity id;
	struct seed seed;

	(void)state;
	assert_int_equal(seed_open(&seed, "plain", NULL), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(f2fs_block_identify(seed.vol, rows[i].block, &id), 0);
		assert_int_equal(id.area, rows[i].area);
		assert_int_equal(id.index, rows[i].index);
	}
	assert_int_equal(f2fs_block_identify(seed.vol, 16384, &id), F2FS_ERR_RANGE);
	assert_string_equal(f2fs_area_name(F2FS_AREA_NAT), "NAT");
	assert_string_equal(f2fs_area_name(7), "?");
	assert_string_equal(f2fs_area_name(-1), "?");
	seed_close(&seed);
}

static void orphans_and_chains_are_reported(void **state)
{
	struct f2fs_inode *inode;
	struct f2fs_stat st;
	struct seed seed;
	uint64_t nodes;

	(void)state;
	assert_int_equal(seed_open(&seed, "orphans", NULL), 0);
	assert_int_equal(f2fs_orphan_count(seed.vol), 30);
	for (uint32_t i = 0; i < 30; i++) {
		assert_int_equal(f2fs_inode_open(seed.vol, f2fs_orphan_at(seed.vol, i), &inode), 0);
		assert_int_equal(f2fs_inode_stat(inode, &st), 0);
		assert_int_equal(st.nlink, 0);
		f2fs_inode_close(inode);
	}
	assert_int_equal(f2fs_orphan_at(seed.vol, 30), 0);
	assert_int_equal(f2fs_volume_pending(seed.vol, &nodes), 0);
	assert_int_equal(nodes, 0);
	seed_close(&seed);
	assert_int_equal(seed_open(&seed, "fsync-chain", NULL), 0);
	assert_int_equal(f2fs_volume_pending(seed.vol, &nodes), 0);
	assert_true(nodes >= 1);
	assert_int_equal(f2fs_lookup(seed.vol, "/new", 0, &inode), F2FS_ERR_NOT_FOUND); /* as of the checkpoint */
	assert_int_equal(f2fs_lookup(seed.vol, "/kept", 0, &inode), 0);
	f2fs_inode_close(inode);
	seed_close(&seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(node_ids_in_use_are_those_counted),
		cmocka_unit_test(raw_entries_are_the_same),
		cmocka_unit_test(ranges_of_tables),
		cmocka_unit_test(maps_add_up),
		cmocka_unit_test(every_block_has_its_owner),
		cmocka_unit_test(areas_of_blocks),
		cmocka_unit_test(orphans_and_chains_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
