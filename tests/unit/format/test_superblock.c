/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Superblock rules: each rule broken once on an otherwise valid superblock is the one that is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/sample.h"
#include "format/rules.h"

struct break_row {
	enum rule rule;
	struct sample_edit edits[4];
};

#define FEATURE(bits)                                                                                                  \
	{                                                                                                              \
		"feature", 0, bits                                                                                     \
	}

static const struct break_row breaks[] = {
	{ RULE_SB_MAGIC, { { "magic", 0, 0xF2F52011 } } },
	{ RULE_SB_CRC, { FEATURE(F2FS_FEAT_SB_CHECKSUM), { "checksum_offset", 0, 3068 }, { "crc", 0, 1 } } },
	{ RULE_SB_CRC, { FEATURE(F2FS_FEAT_SB_CHECKSUM), { "checksum_offset", 0, 3064 } } },
	{ RULE_SB_BLOCKSIZE, { { "log_blocksize", 0, 13 } } },
	{ RULE_SB_BLOCKSIZE, { { "log_blocksize", 0, 0xFFFFFFFF } } },
	{ RULE_SB_SEGMENT_BLOCKS, { { "log_blocks_per_seg", 0, 8 } } },
	{ RULE_SB_SECTORSIZE, { { "log_sectorsize", 0, 8 } } },
	{ RULE_SB_SECTORSIZE, { { "log_sectorsize", 0, 13 } } },
	{ RULE_SB_SECTORSIZE, { { "log_sectors_per_block", 0, 2 } } },
	{ RULE_SB_SECTORSIZE, { { "log_sectors_per_block", 0, 0xFFFFFFFF } } },
	{ RULE_SB_SEGMENT_COUNT, { { "segment_count", 0, 8 } } },
	{ RULE_SB_SEGMENT_COUNT, { { "segment_count", 0, 8388609 } } },
	{ RULE_SB_SECTION_COUNT, { { "section_count", 0, 0 } } },
	{ RULE_SB_SECTION_COUNT, { { "section_count", 0, 25 } } },
	{ RULE_SB_SECTION_COUNT, { { "segs_per_sec", 0, 0 } } },
	{ RULE_SB_SECTION_COUNT, { { "segs_per_sec", 0, 32 } } },
	{ RULE_SB_MAIN_SECTIONS, { { "segs_per_sec", 0, 2 } } },
	{ RULE_SB_MAIN_SECTIONS, { { "section_count", 0, 23 } } },
	{ RULE_SB_SECTIONS_FIT,
	  { { "segs_per_sec", 0, 12 }, { "segment_count_main", 0, 36 }, { "section_count", 0, 3 } } },
	{ RULE_SB_SEGMENTS_FIT, { { "block_count", 0, 31 * 512 - 1 } } },
	{ RULE_SB_SEGMENTS_FIT, { { "block_count", 0, 0 } } },
	{ RULE_SB_ZONE, { { "secs_per_zone", 0, 0 } } },
	{ RULE_SB_ZONE, { { "secs_per_zone", 0, 25 } } },
	{ RULE_SB_EXTENSIONS, { { "extension_count", 0, 65 } } },
	{ RULE_SB_EXTENSIONS, { { "extension_count", 0, 61 } } },
	{ RULE_SB_EXTENSIONS, { { "extension_count", 0, 0xFFFFFFFF } } },
	{ RULE_SB_PAYLOAD, { { "cp_payload", 0, 504 } } },
	{ RULE_SB_RESERVED_INO, { { "root_ino", 0, 4 } } },
	{ RULE_SB_RESERVED_INO, { { "node_ino", 0, 0 } } },
	{ RULE_SB_RESERVED_INO, { { "meta_ino", 0, 1 } } },
	{ RULE_SB_AREAS, { { "cp_blkaddr", 0, 513 } } },
	{ RULE_SB_AREAS, { { "sit_blkaddr", 0, 1535 } } },
	{ RULE_SB_AREAS, { { "nat_blkaddr", 0, 2561 } } },
	{ RULE_SB_AREAS, { { "ssa_blkaddr", 0, 0 } } },
	{ RULE_SB_AREAS, { { "main_blkaddr", 0, 4608 } } },
	{ RULE_SB_AREAS, { { "segment_count_ckpt", 0, 0x800002 } } },
	{ RULE_SB_MAIN_END, { { "segment_count", 0, 30 } } },
	{ RULE_SB_AREA_SIZES, { FEATURE(0), { "segment_count_ssa", 0, 0 }, { "main_blkaddr", 0, 3584 } } },
	{ RULE_SB_ENCODING, { FEATURE(F2FS_FEAT_CASEFOLD), { "s_encoding", 0, 0 } } },
	{ RULE_SB_ENCODING, { FEATURE(F2FS_FEAT_CASEFOLD), { "s_encoding", 0, 2 } } },
};

static void apply(uint8_t *sb, const struct sample_edit *edits)
{
	for (unsigned i = 0; i < 4 && edits[i].field; i++)
		sample_set("superblock", sb, edits[i].field, edits[i].index, edits[i].value);
}

static void each_broken_rule_is_named(void **state)
{
	uint8_t sb[sb_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
		enum rule found;

		sample_superblock(sb, 12);
		apply(sb, breaks[i].edits);
		found = superblock_check(sb);
		if (found != breaks[i].rule)
			fail_msg("row %zu (%s): expected %s, found %s", i, breaks[i].edits[0].field,
				 rule_row(breaks[i].rule)->name, found ? rule_row(found)->name : "none");
	}
}

/* Rules that need more than four edits. */
static void rules_of_several_fields(void **state)
{
	uint8_t sb[sb_SIZE];

	(void)state;
	sample_superblock(sb, 12);
	for (unsigned i = 0; i < 3; i++) {
		uint8_t *dev = sb_devs_w(sb) + i * sbdev_SIZE;

		sbdev_path_w(dev)[0] = '/';
		sbdev_set_total_segments(dev, i == 0 ? 11 : 10);
	}
	assert_int_equal(superblock_device_count(sb), 3);
	assert_int_equal(superblock_check(sb), RULE_NONE);
	sbdev_set_total_segments(sb_devs_w(sb), 10);
	assert_int_equal(superblock_check(sb), RULE_SB_DEVICES);
	sbdev_set_total_segments(sb_devs_w(sb), 0xFFFFFFFF);
	assert_int_equal(superblock_check(sb), RULE_SB_DEVICES);
	/* an empty path ends the table */
	sbdev_set_total_segments(sb_devs_w(sb), 31);
	sbdev_path_w(sb_devs_w(sb) + sbdev_SIZE)[0] = 0;
	assert_int_equal(superblock_device_count(sb), 1);
	assert_int_equal(superblock_check(sb), RULE_NONE);
	/* all eight entries in use */
	for (unsigned i = 0; i < 8; i++)
		sbdev_path_w(sb_devs_w(sb) + i * sbdev_SIZE)[0] = '/';
	assert_int_equal(superblock_device_count(sb), 8);

	/* everything moved down onto the superblocks */
	sample_superblock(sb, 12);
	sb_set_segment0_blkaddr(sb, 1);
	sb_set_cp_blkaddr(sb, 1);
	sb_set_sit_blkaddr(sb, 1025);
	sb_set_nat_blkaddr(sb, 2049);
	sb_set_ssa_blkaddr(sb, 3073);
	sb_set_main_blkaddr(sb, 3585);
	assert_int_equal(superblock_check(sb), RULE_SB_SEGMENT0);
}

static void every_rule_was_broken(void **state)
{
	const struct f2fs_rule *rule;

	(void)state;
	for (unsigned i = 0; (rule = f2fs_rule_at(i)) != NULL; i++) {
		/* the three that rules_of_several_fields and the opening of a volume are about */
		bool seen =
			rule->id == RULE_SB_DEVICES || rule->id == RULE_SB_SEGMENT0 || rule->id == RULE_SB_DEVICE_SIZE;

		for (size_t j = 0; j < sizeof(breaks) / sizeof(breaks[0]); j++)
			seen = seen || breaks[j].rule == (enum rule)rule->id;
		if (strcmp(rule->structure, "superblock") == 0 && !seen)
			fail_msg("no test breaks %s", rule->name);
	}
}

static void valid_ones_pass(void **state)
{
	uint8_t sb[sb_SIZE];

	(void)state;
	sample_superblock(sb, 12);
	assert_int_equal(superblock_check(sb), RULE_NONE);
	sample_superblock(sb, 14);
	assert_int_equal(superblock_check(sb), RULE_NONE);
	sb_set_log_sectorsize(sb, 12);
	sb_set_log_sectors_per_block(sb, 2);
	assert_int_equal(superblock_check(sb), RULE_NONE);
	/* unknown features are ignored, as the kernel does */
	sb_set_feature(sb, 0xFF000000);
	assert_int_equal(superblock_check(sb), RULE_NONE);
	sb_set_feature(sb, F2FS_FEAT_SB_CHECKSUM);
	sb_set_checksum_offset(sb, 3068);
	sb_set_crc(sb, superblock_crc(sb));
	assert_int_equal(superblock_check(sb), RULE_NONE);
	for (uint32_t byte = 0; byte < sb_SIZE; byte++) {
		sb[byte] ^= 0x10;
		assert_int_not_equal(superblock_check(sb), RULE_NONE);
		sb[byte] ^= 0x10;
	}
	/* a volume for reading only has no SSA */
	sample_superblock(sb, 12);
	sb_set_feature(sb, F2FS_FEAT_RO);
	sb_set_segment_count_ssa(sb, 0);
	sb_set_main_blkaddr(sb, 3584);
	assert_int_equal(superblock_check(sb), RULE_NONE);
	/* the largest tables of extensions and payload */
	sample_superblock(sb, 12);
	sb_set_extension_count(sb, 60);
	sb_set_cp_payload(sb, 503);
	assert_int_equal(superblock_check(sb), RULE_NONE);
}

/* Random bytes with a good magic must never get through to arithmetic that goes wrong (run under sanitizers). */
static void random_superblocks_are_survived(void **state)
{
	uint8_t sb[sb_SIZE];

	(void)state;
	srand(7);
	for (unsigned round = 0; round < 20000; round++) {
		sample_superblock(sb, round % 2 ? 12 : 14);
		for (unsigned n = 0; n < 1 + round % 4; n++)
			sb[rand() % 110] = (uint8_t)rand();
		if (superblock_check(sb) == RULE_NONE) {
			struct f2fs_geometry geo;

			geometry_decode(&geo, sb);
			assert_true(geo.end_blkaddr <= UINT32_MAX);
			assert_true(geo.max_nid > ROOT_INO);
			assert_true(geometry_nat_block(&geo, geo.nat_blocks - 1, 1) < geo.ssa_blkaddr);
			assert_true(geometry_sit_block(&geo, geo.sit_blocks_used - 1, 1) < geo.nat_blkaddr);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_broken_rule_is_named),	   cmocka_unit_test(rules_of_several_fields),
		cmocka_unit_test(every_rule_was_broken),	   cmocka_unit_test(valid_ones_pass),
		cmocka_unit_test(random_superblocks_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
