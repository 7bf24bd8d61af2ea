/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers that depend on the block size, and table addresses, against the format document. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/sample.h"

#define ROW(member, small, large, packed)                                                                              \
	{                                                                                                              \
#member, offsetof(struct f2fs_geometry, member),                                                       \
		{                                                                                                      \
			small, large, packed                                                                           \
		}                                                                                                      \
	}

/* FORMAT volume 1.2: 4 KiB, 16 KiB, 16 KiB with packed_ssa. */
static const struct number_row {
	const char *name;
	size_t offset;
	uint32_t value[3];
} numbers[] = {
	ROW(block_size, 4096, 16384, 16384),	   ROW(nat_per_block, 455, 1820, 1820),
	ROW(sit_per_block, 55, 221, 221),	   ROW(orphans_per_block, 1020, 4092, 4092),
	ROW(sum_size, 4096, 16384, 4096),	   ROW(sums_per_block, 1, 1, 4),
	ROW(journal_offset, 3584, 14336, 3584),	   ROW(journal_size, 507, 2043, 507),
	ROW(nat_journal_max, 38, 157, 38),	   ROW(sit_journal_max, 6, 26, 6),
	ROW(addrs_per_inode, 923, 3995, 3995),	   ROW(addrs_per_block, 1018, 4090, 4090),
	ROW(nids_per_block, 1018, 4090, 4090),	   ROW(dentries_per_block, 214, 856, 856),
	ROW(dentry_bitmap_size, 27, 107, 107),	   ROW(dentry_offset, 30, 120, 120),
	ROW(dentry_name_offset, 2384, 9536, 9536),
};

static void numbers_of_block_sizes(void **state)
{
	(void)state;
	for (unsigned column = 0; column < 3; column++) {
		struct f2fs_geometry geo;

		sample_geometry(&geo, column == 0 ? 12 : 14, column == 2 ? F2FS_FEAT_PACKED_SSA : 0);
		for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
			uint32_t value;

			memcpy(&value, (const uint8_t *)&geo + numbers[i].offset, sizeof(value));
			if (value != numbers[i].value[column])
				fail_msg("%s: %u, expected %u (column %u)", numbers[i].name, value,
					 numbers[i].value[column], column);
		}
	}
}

static void packed_ssa_means_nothing_at_4k(void **state)
{
	struct f2fs_geometry geo;

	(void)state;
	sample_geometry(&geo, 12, F2FS_FEAT_PACKED_SSA);
	assert_int_equal(geo.sums_per_block, 1);
	assert_int_equal(geo.sum_size, 4096);
}

static void numbers_of_the_worked_example(void **state)
{
	struct f2fs_geometry geo;

	(void)state;
	sample_geometry(&geo, 12, 0);
	assert_int_equal(geo.max_nid, 512 * 455);
	assert_int_equal(geo.nat_blocks, 512);
	assert_int_equal(geo.sit_blocks, 512);
	assert_int_equal(geo.sit_blocks_used, 1);
	assert_true(geo.end_blkaddr == 512 + 31 * 512);
	assert_int_equal(geo.nat_bits_blocks, 1);
	assert_int_equal(geo.sector_size, 512);
	assert_true(geometry_is_main(&geo, 4096));
	assert_false(geometry_is_main(&geo, 4095));
	assert_true(geometry_is_main(&geo, 16383));
	assert_false(geometry_is_main(&geo, 16384));
	assert_true(geometry_is_nid(&geo, 3));
	assert_false(geometry_is_nid(&geo, 2));
	assert_false(geometry_is_nid(&geo, 512 * 455));
	assert_int_equal(geometry_segment_of(&geo, 5632), 3);
	assert_int_equal(geometry_segment_start(&geo, 3), 5632);
}

static void addresses_of_table_blocks(void **state)
{
	struct f2fs_geometry geo;
	uint32_t offset = 1;

	(void)state;
	sample_geometry(&geo, 12, 0);
	/* FORMAT volume 5.2 */
	assert_int_equal(geometry_nat_block(&geo, 700, 0), 3772);
	assert_int_equal(geometry_nat_block(&geo, 700, 1), 4284);
	assert_int_equal(geometry_nat_block(&geo, 0, 1), 3072);
	assert_int_equal(geometry_sit_block(&geo, 5, 0), 1541);
	assert_int_equal(geometry_sit_block(&geo, 5, 1), 2053);
	assert_int_equal(geometry_ssa_block(&geo, 5, &offset), 3589);
	assert_int_equal(offset, 0);
	sample_geometry(&geo, 14, F2FS_FEAT_PACKED_SSA);
	assert_int_equal(geometry_ssa_block(&geo, 7, &offset), 3585);
	assert_int_equal(offset, 3 * 4096);
}

/* FORMAT volume 3.7: the largest tables, where 32 bits are short. */
static void huge_volumes(void **state)
{
	uint8_t sb[sb_SIZE];
	struct f2fs_geometry geo;

	(void)state;
	sample_superblock(sb, 12);
	sb_set_segment_count(sb, 7864319);
	sb_set_segment_count_sit(sb, 560);
	sb_set_segment_count_nat(sb, 120);
	sb_set_segment_count_ssa(sb, 15359);
	sb_set_segment_count_main(sb, 7848278);
	sb_set_main_blkaddr(sb, 8213504);
	sb_set_cp_payload(sb, 5);
	geometry_decode(&geo, sb);
	assert_int_equal(geo.max_nid, 60 * 512 * 455);
	assert_int_equal(geo.sit_blocks, 280 * 512);
	assert_int_equal(geo.sit_blocks_used, 142696);
	assert_true(geo.end_blkaddr == 512 + (uint64_t)7864319 * 512);
	/* more node ids than fit 32 bits: the last ones cannot be named */
	sb_set_segment_count_nat(sb, 2 * 20000);
	geometry_decode(&geo, sb);
	assert_int_equal(geo.max_nid, UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_block_sizes),
		cmocka_unit_test(packed_ssa_means_nothing_at_4k),
		cmocka_unit_test(numbers_of_the_worked_example),
		cmocka_unit_test(addresses_of_table_blocks),
		cmocka_unit_test(huge_volumes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
