/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checkpoint: checksum, each rule broken once, the places of bitmaps and parts of a pack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/sample.h"

static uint8_t cp[SAMPLE_BLOCK];

/* The worked example's own checksum: all other bytes of the sample are right, then. */
static void sample_is_the_worked_example(void **state)
{
	(void)state;
	sample_checkpoint(cp, 4096);
	assert_int_equal(checkpoint_stored_crc(cp), 0x8baadbcb);
	cp_set_checkpoint_ver(cp, 0);
	assert_int_equal(checkpoint_crc(cp, 4096), 0xdcc46b87);
}

static void block_is_checked_by_itself(void **state)
{
	(void)state;
	for (unsigned bs = 4096; bs <= 16384; bs *= 4) {
		sample_checkpoint(cp, bs);
		assert_int_equal(checkpoint_check_block(cp, bs), RULE_NONE);
		for (unsigned byte = 0; byte < bs; byte += 7) {
			cp[byte] ^= 0x40;
			assert_int_not_equal(checkpoint_check_block(cp, bs), RULE_NONE);
			cp[byte] ^= 0x40;
		}
		cp_set_checksum_offset(cp, bs - 3);
		assert_int_equal(checkpoint_check_block(cp, bs), RULE_CP_CHECKSUM_OFFSET);
		cp_set_checksum_offset(cp, 0xFFFFFFFF);
		assert_int_equal(checkpoint_check_block(cp, bs), RULE_CP_CHECKSUM_OFFSET);
		cp_set_checksum_offset(cp, 191);
		assert_int_equal(checkpoint_check_block(cp, bs), RULE_CP_CHECKSUM_OFFSET);
		/* a checksum in the middle covers what follows it, too, but not itself */
		cp_set_checksum_offset(cp, 192);
		sample_seal_checkpoint(cp, bs);
		assert_int_equal(checkpoint_check_block(cp, bs), RULE_NONE);
		cp[bs - 1] ^= 1;
		assert_int_equal(checkpoint_check_block(cp, bs), RULE_CP_CRC);
		sample_checkpoint(cp, bs);
		for (unsigned total = 0; total < 520; total++) {
			cp_set_cp_pack_total_block_count(cp, total);
			sample_seal_checkpoint(cp, bs);
			assert_int_equal(checkpoint_check_block(cp, bs),
					 total > 2 && total <= 512 ? RULE_NONE : RULE_CP_PACK_SIZE);
		}
	}
}

struct break_row {
	enum rule rule;
	struct sample_edit edits[3];
};

static const struct break_row breaks[] = {
	{ RULE_CP_META_SEGMENTS, { { "rsvd_segment_count", 0, 31 - 7 } } },
	{ RULE_CP_META_SEGMENTS, { { "rsvd_segment_count", 0, 0xFFFFFFFF } } },
	{ RULE_CP_OVERPROVISION, { { "overprov_segment_count", 0, 0 } } },
	{ RULE_CP_OVERPROVISION, { { "rsvd_segment_count", 0, 0 } } },
	{ RULE_CP_USER_BLOCKS, { { "user_block_count", 0, 0 } } },
	{ RULE_CP_USER_BLOCKS, { { "user_block_count", 0, 24 * 512 } } },
	{ RULE_CP_VALID_BLOCKS, { { "valid_block_count", 0, 5121 } } },
	{ RULE_CP_VALID_BLOCKS, { { "valid_block_count", 0, UINT64_MAX } } },
	{ RULE_CP_VALID_NODES, { { "valid_node_count", 0, 512 * 455 - 2 } } },
	{ RULE_CP_CURSEG_RANGE, { { "cur_node_segno", 0, 24 } } },
	{ RULE_CP_CURSEG_RANGE, { { "cur_node_segno", 2, NULL_SEGNO } } },
	{ RULE_CP_CURSEG_RANGE, { { "cur_data_segno", 1, 24 } } },
	{ RULE_CP_CURSEG_RANGE, { { "cur_data_blkoff", 2, 512 } } },
	{ RULE_CP_CURSEG_RANGE, { { "cur_node_blkoff", 1, 0xFFFF } } },
	{ RULE_CP_CURSEG_DISTINCT, { { "cur_node_segno", 0, 5 } } },
	{ RULE_CP_CURSEG_DISTINCT, { { "cur_data_segno", 0, 11 } } },
	{ RULE_CP_ALLOC_TYPE, { { "alloc_type", 5, 2 } } },
	{ RULE_CP_BITMAP_SIZE, { { "sit_ver_bitmap_bytesize", 0, 63 } } },
	{ RULE_CP_BITMAP_SIZE, { { "nat_ver_bitmap_bytesize", 0, 128 } } },
	{ RULE_CP_START_SUM, { { "cp_pack_start_sum", 0, 0 } } },
	{ RULE_CP_START_SUM, { { "cp_pack_start_sum", 0, 506 } } },
	{ RULE_CP_LARGE_NAT, { { "ckpt_flags", 0, 0x585 } } },
	{ RULE_CP_ERROR_FLAG, { { "ckpt_flags", 0, 0x8 } } },
};

static void each_broken_rule_is_named(void **state)
{
	struct f2fs_geometry geo;

	(void)state;
	sample_geometry(&geo, 12, 0);
	sample_checkpoint(cp, 4096);
	assert_int_equal(checkpoint_check(cp, &geo), RULE_NONE);
	for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
		enum rule found;

		sample_checkpoint(cp, 4096);
		for (unsigned e = 0; e < 3 && breaks[i].edits[e].field; e++)
			sample_set("checkpoint", cp, breaks[i].edits[e].field, breaks[i].edits[e].index,
				   breaks[i].edits[e].value);
		found = checkpoint_check(cp, &geo);
		if (found != breaks[i].rule)
			fail_msg("row %zu (%s): expected %s, found %s", i, breaks[i].edits[0].field,
				 rule_row(breaks[i].rule)->name, found ? rule_row(found)->name : "none");
	}
}

/* The rules that need another geometry. */
static void rules_of_large_volumes(void **state)
{
	struct f2fs_geometry geo;

	(void)state;
	/* bitmaps of 4000 bytes do not fit the block without a payload, but do with one */
	sample_geometry(&geo, 12, 0);
	sample_checkpoint(cp, 4096);
	geo.sit_blocks = 2048 * 8;
	geo.nat_blocks = 2048 * 8;
	cp_set_sit_ver_bitmap_bytesize(cp, 2048);
	cp_set_nat_ver_bitmap_bytesize(cp, 2048);
	assert_int_equal(checkpoint_check(cp, &geo), RULE_CP_BITMAP_ROOM);
	geo.cp_payload = 1;
	cp_set_cp_pack_start_sum(cp, 1);
	assert_int_equal(checkpoint_check(cp, &geo), RULE_CP_START_SUM);
	cp_set_cp_pack_start_sum(cp, 2);
	assert_int_equal(checkpoint_check(cp, &geo), RULE_NONE);
	/* a SIT bitmap larger than the payload */
	geo.sit_blocks = 4097 * 8;
	cp_set_sit_ver_bitmap_bytesize(cp, 4097);
	assert_int_equal(checkpoint_check(cp, &geo), RULE_CP_BITMAP_ROOM);
	/* a NAT bitmap that would run out of the block into the payload, where the SIT's is */
	sample_geometry(&geo, 12, 0);
	sample_checkpoint(cp, 4096);
	geo.cp_payload = 1;
	cp_set_cp_pack_start_sum(cp, 2);
	geo.nat_blocks = 3904 * 8;
	cp_set_nat_ver_bitmap_bytesize(cp, 3904);
	assert_int_equal(checkpoint_check(cp, &geo), RULE_CP_BITMAP_ROOM);
	/* nat_bits of more than a pack */
	sample_geometry(&geo, 12, 0);
	sample_checkpoint(cp, 4096);
	geo.segment_count_nat = 2 * 10000;
	geo.segment_count = 40000;
	geo.nat_blocks = 10000 * 512;
	geo.cp_payload = 200;
	cp_set_nat_ver_bitmap_bytesize(cp, 640000);
	cp_set_cp_pack_start_sum(cp, 201);
	cp_set_ckpt_flags(cp, 0x585);
	cp_set_checksum_offset(cp, 192);
	assert_int_equal(checkpoint_check(cp, &geo), RULE_CP_NAT_BITS);
	cp_set_ckpt_flags(cp, 0x505);
	assert_int_equal(checkpoint_check(cp, &geo), RULE_NONE);
}

static void every_rule_was_broken(void **state)
{
	static const enum rule elsewhere[] = { RULE_CP_CHECKSUM_OFFSET, RULE_CP_CRC,	  RULE_CP_PACK_SIZE,
					       RULE_CP_BITMAP_ROOM,	RULE_CP_NAT_BITS, RULE_CP_FOOTER };
	const struct f2fs_rule *rule;

	(void)state;
	for (unsigned i = 0; (rule = f2fs_rule_at(i)) != NULL; i++) {
		bool seen = strcmp(rule->structure, "checkpoint") != 0;

		for (size_t j = 0; j < sizeof(breaks) / sizeof(breaks[0]); j++)
			seen = seen || breaks[j].rule == (enum rule)rule->id;
		for (size_t j = 0; j < sizeof(elsewhere) / sizeof(elsewhere[0]); j++)
			seen = seen || elsewhere[j] == (enum rule)rule->id;
		if (!seen)
			fail_msg("no test breaks %s", rule->name);
	}
}

static void read_only_volumes_need_less(void **state)
{
	struct f2fs_geometry geo;

	(void)state;
	sample_geometry(&geo, 12, F2FS_FEAT_RO);
	sample_checkpoint(cp, 4096);
	cp_set_rsvd_segment_count(cp, 0);
	cp_set_overprov_segment_count(cp, 0);
	for (unsigned i = 0; i < 3; i++) {
		cp_set_cur_node_segno(cp, i, 0);
		cp_set_cur_data_segno(cp, i, 0);
	}
	cp_set_user_block_count(cp, 25 * 512 - 1);
	assert_int_equal(checkpoint_check(cp, &geo), RULE_NONE);
	cp_set_user_block_count(cp, 25 * 512);
	assert_int_equal(checkpoint_check(cp, &geo), RULE_CP_USER_BLOCKS);
}

static void bitmaps_are_where_the_format_says(void **state)
{
	struct f2fs_geometry geo;
	uint32_t sit, nat;

	(void)state;
	sample_geometry(&geo, 12, 0);
	sample_checkpoint(cp, 4096);
	checkpoint_bitmaps(cp, &geo, &sit, &nat);
	assert_int_equal(sit, 192);
	assert_int_equal(nat, 256);
	geo.cp_payload = 2;
	checkpoint_bitmaps(cp, &geo, &sit, &nat);
	assert_int_equal(sit, 4096);
	assert_int_equal(nat, 192);
	cp_set_ckpt_flags(cp, 0x400);
	checkpoint_bitmaps(cp, &geo, &sit, &nat);
	assert_int_equal(nat, 196);
	assert_int_equal(sit, 260);
	geo.cp_payload = 0;
	checkpoint_bitmaps(cp, &geo, &sit, &nat);
	assert_int_equal(nat, 196);
	assert_int_equal(sit, 260);
	sample_geometry(&geo, 14, 0);
	geo.cp_payload = 1;
	cp_set_ckpt_flags(cp, 0);
	checkpoint_bitmaps(cp, &geo, &sit, &nat);
	assert_int_equal(sit, 16384);
	assert_int_equal(nat, 192);
}

/* There and back is the same; each bitmap keeps its bytes, and the part after them is zero. */
static void bitmaps_move_whole(void **state)
{
	static const struct {
		uint32_t payload, sit, nat;
	} rows[] = { { 0, 64, 64 }, { 0, 64, 3836 }, { 1, 3904, 3840 }, { 2, 8192, 3900 }, { 2, 64, 64 } };
	static uint8_t all[SAMPLE_BLOCK], moved[SAMPLE_BLOCK], back[SAMPLE_BLOCK];
	struct f2fs_geometry geo;

	(void)state;
	sample_geometry(&geo, 12, 0);
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		const size_t size = 4096 * (1 + (size_t)rows[r].payload);
		uint32_t sit, nat;

		geo.cp_payload = rows[r].payload;
		memset(all, 0, sizeof(all));
		sample_checkpoint(all, 4096);
		memset(all + cp_SIZE, 0, size - cp_SIZE);
		cp_set_sit_ver_bitmap_bytesize(all, rows[r].sit);
		cp_set_nat_ver_bitmap_bytesize(all, rows[r].nat);
		checkpoint_bitmaps(all, &geo, &sit, &nat);
		for (uint32_t i = 0; i < rows[r].sit; i++)
			all[sit + i] = (uint8_t)(1 + i % 101);
		for (uint32_t i = 0; i < rows[r].nat; i++)
			all[nat + i] = (uint8_t)(128 + i % 103);
		assert_true(checkpoint_bitmaps_fit(all, &geo, false) && checkpoint_bitmaps_fit(all, &geo, true));
		memcpy(moved, all, size);
		checkpoint_move_bitmaps(moved, all, &geo, true);
		assert_int_equal(cp_checksum_offset(moved), 192);
		checkpoint_bitmaps(moved, &geo, &sit, &nat);
		assert_true(nat == 196 && sit == 196 + rows[r].nat && sit + rows[r].sit <= size);
		for (uint32_t i = 0; i < rows[r].sit; i++)
			assert_int_equal(moved[sit + i], 1 + i % 101);
		for (uint32_t i = 0; i < rows[r].nat; i++)
			assert_int_equal(moved[nat + i], 128 + i % 103);
		assert_true(is_zero(moved + sit + rows[r].sit, size - sit - rows[r].sit));
		memcpy(back, moved, size);
		checkpoint_move_bitmaps(back, moved, &geo, false);
		assert_memory_equal(back, all, size);
	}
	geo.cp_payload = 1;
	cp_set_nat_ver_bitmap_bytesize(all, 5760);
	cp_set_sit_ver_bitmap_bytesize(all, 512);
	assert_true(checkpoint_bitmaps_fit(all, &geo, true) && !checkpoint_bitmaps_fit(all, &geo, false));
}

/* Pack layouts: flags, total, start_sum, payload -> orphan blocks, data summaries, node summaries. */
static const struct pack_row {
	uint32_t flags, total, start_sum, payload;
	uint32_t orphans, data_start, data_blocks, node_start;
	bool has_nodes;
} packs[] = {
	{ 0x005, 6, 1, 0, 0, 1, 1, 2, true },  /* made by mkfs: compact, unmounted */
	{ 0x0c6, 4, 2, 0, 1, 2, 1, 0, false }, /* power cut with one orphan block, compact */
	{ 0x0c0, 5, 1, 0, 0, 1, 3, 1, false }, /* three normal data summaries, no node summaries */
	{ 0x0c0, 8, 4, 0, 0, 4, 3, 4, false }, /* normal, start_sum after a hole of stale blocks */
	{ 0x0c4, 4, 1, 0, 0, 1, 2, 0, false }, /* compact in two blocks */
	{ 0x001, 8, 1, 0, 0, 1, 3, 4, true },  /* what fsck writes: normal, unmounted */
	{ 0x020, 8, 1, 0, 0, 1, 3, 4, true },  /* fastboot has node summaries as well */
	{ 0x003, 12, 5, 2, 2, 5, 3, 8, true }, /* payload, then orphans, then summaries */
	{ 0x007, 11, 6, 2, 3, 6, 1, 7, true }, /* the same, compact */
	{ 0x001, 11, 6, 2, 0, 4, 3, 7, true }, /* no orphans: start_sum is not used for normal ones */
};

static void pack_parts_are_where_the_format_says(void **state)
{
	struct f2fs_geometry geo;

	(void)state;
	sample_geometry(&geo, 12, 0);
	sample_checkpoint(cp, 4096);
	for (size_t i = 0; i < sizeof(packs) / sizeof(packs[0]); i++) {
		const struct pack_row *row = &packs[i];
		struct pack_layout pack;

		geo.cp_payload = row->payload;
		cp_set_ckpt_flags(cp, row->flags);
		cp_set_cp_pack_total_block_count(cp, row->total);
		cp_set_cp_pack_start_sum(cp, row->start_sum);
		checkpoint_pack_layout(cp, &geo, &pack);
		print_message("row %zu\n", i);
		assert_int_equal(pack.orphan_start, 1 + row->payload);
		assert_int_equal(pack.orphan_blocks, row->orphans);
		assert_int_equal(pack.data_start, row->data_start);
		assert_int_equal(pack.data_blocks, row->data_blocks);
		assert_int_equal(pack.has_nodes, row->has_nodes);
		if (row->has_nodes)
			assert_int_equal(pack.node_start, row->node_start);
	}
}

static void versions_of_nodes(void **state)
{
	(void)state;
	sample_checkpoint(cp, 4096);
	assert_true(checkpoint_node_version(cp) == 0x6b8b4567);
	assert_true(checkpoint_is_recoverable(cp, 0x6b8b4567));
	assert_false(checkpoint_is_recoverable(cp, 0x16b8b4567));
	cp_set_ckpt_flags(cp, FLAG_ckpt_flags_crc);
	sample_seal_checkpoint(cp, 4096);
	assert_true(checkpoint_node_version(cp) == ((uint64_t)checkpoint_stored_crc(cp) << 32 | 0x6b8b4567));
	assert_false(checkpoint_is_recoverable(cp, 0x6b8b4567));
	assert_true(checkpoint_is_recoverable(cp, checkpoint_node_version(cp)));
	/* an OR: bits of a version above 2^32 merge with the checksum */
	cp_set_checkpoint_ver(cp, 0xFF6b8b4567);
	assert_true(checkpoint_node_version(cp) == (((uint64_t)checkpoint_stored_crc(cp) << 32) | 0xFF6b8b4567u));
	cp_set_ckpt_flags(cp, FLAG_ckpt_flags_crc | FLAG_ckpt_flags_allow_nocrc);
	assert_true(checkpoint_is_recoverable(cp, 0x123456786b8b4567));
	assert_false(checkpoint_is_recoverable(cp, 0x123456786b8b4568));
}

static void logs_in_order_of_types(void **state)
{
	static const uint32_t segno[6] = { 3, 11, 5, 0, 1, 2 };

	(void)state;
	sample_checkpoint(cp, 4096);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(checkpoint_log_segno(cp, i), segno[i]);
		assert_int_equal(checkpoint_log_blkoff(cp, i), i == F2FS_HOT_DATA || i == F2FS_HOT_NODE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sample_is_the_worked_example),
		cmocka_unit_test(block_is_checked_by_itself),
		cmocka_unit_test(each_broken_rule_is_named),
		cmocka_unit_test(rules_of_large_volumes),
		cmocka_unit_test(every_rule_was_broken),
		cmocka_unit_test(read_only_volumes_need_less),
		cmocka_unit_test(bitmaps_are_where_the_format_says),
		cmocka_unit_test(bitmaps_move_whole),
		cmocka_unit_test(pack_parts_are_where_the_format_says),
		cmocka_unit_test(versions_of_nodes),
		cmocka_unit_test(logs_in_order_of_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
