/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inodes: how i_addr is divided, the checksum, and each rule broken once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/sample.h"

#define ALL_EXTRA                                                                                                      \
	(F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_PROJECT_QUOTA | F2FS_FEAT_FLEXIBLE_INLINE_XATTR | F2FS_FEAT_INODE_CRTIME |   \
	 F2FS_FEAT_COMPRESSION)
#define INO 5u

static uint8_t block[SAMPLE_BLOCK];

/* FORMAT files 1.3, 3.1 and 3.3: extra words and xattr words -> slots, inline payload, where the attributes are. */
static const struct layout_row {
	unsigned bits;
	uint32_t extra, xattr, slots, inline_size, xattr_offset;
} layouts[] = {
	{ 12, 0, 0, 923, 3688, 4052 },	   { 12, 0, 50, 873, 3488, 3852 },    { 12, 9, 0, 914, 3652, 4052 },
	{ 12, 9, 50, 864, 3452, 3852 },	   { 12, 6, 0, 917, 3664, 4052 },     { 12, 3, 0, 920, 3676, 4052 },
	{ 12, 6, 50, 867, 3464, 3852 },	   { 12, 3, 50, 870, 3476, 3852 },    { 12, 1, 50, 872, 3484, 3852 },
	{ 14, 0, 0, 3995, 15976, 16340 },  { 14, 0, 50, 3945, 15776, 16140 }, { 14, 9, 0, 3986, 15940, 16340 },
	{ 14, 9, 50, 3936, 15740, 16140 },
};

static void layouts_of_the_document(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		const struct layout_row *row = &layouts[i];
		struct f2fs_geometry geo;
		struct inode_layout layout;
		struct f2fs_inode_layout public_layout;

		sample_geometry(&geo, row->bits, row->extra ? F2FS_FEAT_EXTRA_ATTR : 0);
		sample_inode(&geo, block, INO);
		if (row->extra)
			extra_set_i_extra_isize(block + INODE_ADDR_OFFSET, (uint16_t)(4 * row->extra));
		if (row->xattr)
			inode_set_i_inline(block, (uint8_t)(inode_i_inline(block) | FLAG_i_inline_inline_xattr));
		inode_layout(&geo, block, &layout);
		print_message("row %zu\n", i);
		assert_int_equal(layout.extra_words, row->extra);
		assert_int_equal(layout.xattr_words, row->xattr);
		assert_int_equal(layout.slots, row->slots);
		assert_int_equal(layout.node_slots, geo.addrs_per_block);
		assert_int_equal(layout.slot_offset, 360 + 4 * row->extra);
		assert_int_equal(layout.inline_offset, 364 + 4 * row->extra);
		assert_int_equal(layout.inline_size, row->inline_size);
		assert_int_equal(layout.xattr_offset, row->xattr_offset);
		assert_int_equal(layout.xattr_size, 4 * row->xattr);
		assert_false(layout.is_compressed);

		f2fs_inode_layout(&geo, block, &public_layout);
		assert_int_equal(public_layout.extra_offset + public_layout.extra_size, layout.slot_offset);
		assert_int_equal(public_layout.slot_offset, layout.slot_offset);
		assert_int_equal(public_layout.slots, row->slots);
		assert_int_equal(public_layout.inline_offset, layout.inline_offset);
		assert_int_equal(public_layout.inline_size, row->inline_size);
		assert_int_equal(public_layout.xattr_offset, row->xattr_offset);
		assert_int_equal(public_layout.xattr_size, 4 * row->xattr);
		assert_int_equal(public_layout.nid_offset, geo.block_size - 44);
		assert_int_equal(public_layout.footer_offset, geo.block_size - 24);
		assert_int_equal(public_layout.node_slots, geo.addrs_per_block);
		assert_int_equal(public_layout.cluster_blocks, 0);
	}
}

/* FORMAT files 3.4: inodes that reserve room for attributes. */
static void reserved_attribute_words(void **state)
{
	struct f2fs_geometry geo;
	struct inode_layout layout;

	(void)state;
	sample_geometry(&geo, 12, F2FS_FEAT_EXTRA_ATTR);
	sample_inode(&geo, block, INO);
	inode_set_i_inline(block, FLAG_i_inline_extra_attr | FLAG_i_inline_inline_data);
	inode_layout(&geo, block, &layout);
	assert_int_equal(layout.xattr_words, 0);
	/* an inline directory reserves 50 words even if it does not use them */
	inode_set_i_inline(block, FLAG_i_inline_extra_attr | FLAG_i_inline_inline_dentry);
	inode_layout(&geo, block, &layout);
	assert_int_equal(layout.xattr_words, 50);
	assert_int_equal(layout.xattr_size, 0);
	/* with the feature the inode decides, used or not */
	sample_geometry(&geo, 12, ALL_EXTRA);
	extra_set_i_inline_xattr_size(block + INODE_ADDR_OFFSET, 100);
	inode_set_i_inline(block, FLAG_i_inline_extra_attr);
	inode_layout(&geo, block, &layout);
	assert_int_equal(layout.xattr_words, 100);
	assert_int_equal(layout.xattr_size, 0);
	assert_int_equal(layout.slots, 923 - 9 - 100);
	inode_set_i_inline(block, FLAG_i_inline_extra_attr | FLAG_i_inline_inline_xattr);
	inode_layout(&geo, block, &layout);
	assert_int_equal(layout.xattr_size, 400);
	assert_int_equal(layout.xattr_offset, 360 + 4 * 823);
}

static void compressed_files_use_whole_clusters(void **state)
{
	struct f2fs_geometry geo;
	struct inode_layout layout;
	uint8_t *extra = block + INODE_ADDR_OFFSET;

	(void)state;
	sample_geometry(&geo, 12, F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_COMPRESSION);
	sample_inode(&geo, block, INO);
	inode_set_i_flags(block, FLAG_i_flags_compr);
	for (unsigned bits = 2; bits <= 8; bits++) {
		extra_set_i_log_cluster_size(extra, (uint8_t)bits);
		inode_layout(&geo, block, &layout);
		assert_true(layout.is_compressed);
		assert_int_equal(layout.cluster_blocks, 1 << bits);
		assert_int_equal(layout.slots, (914 >> bits) << bits);
		assert_int_equal(layout.node_slots, (1018 >> bits) << bits);
		/* the inline area is not cut: it is computed from the words */
		assert_int_equal(layout.inline_size, 4 * (914 - 1));
	}
	extra_set_i_extra_isize(extra, 24);
	inode_layout(&geo, block, &layout);
	assert_false(layout.is_compressed);
	extra_set_i_extra_isize(extra, 36);
	inode_set_i_mode(block, 0040755);
	inode_layout(&geo, block, &layout);
	assert_false(layout.is_compressed);
}

/* Nothing may be outside the block, whatever the inode says. */
static void layouts_of_rubbish_stay_inside(void **state)
{
	(void)state;
	srand(3);
	for (unsigned round = 0; round < 30000; round++) {
		struct f2fs_geometry geo;
		struct inode_layout l;

		sample_geometry(&geo, round % 2 ? 12 : 14, round % 3 ? ALL_EXTRA : (uint32_t)rand());
		sample_inode(&geo, block, INO);
		for (unsigned i = 0; i < 30; i++)
			block[rand() % 400] = (uint8_t)rand();
		inode_layout(&geo, block, &l);
		assert_true(l.slot_offset + 4 * l.slots <= geo.block_size - 44);
		assert_true(l.inline_offset + l.inline_size <= geo.block_size - 44);
		assert_true(l.xattr_offset + l.xattr_size <= geo.block_size - 44);
		assert_true(l.inline_offset + l.inline_size <= l.xattr_offset);
		assert_true(l.slot_offset >= 360);
		assert_true(!l.is_compressed || (l.cluster_blocks >= 4 && l.node_slots % l.cluster_blocks == 0));
	}
}

/* The vector of FORMAT files 2.6 and 15: /dir/small.txt of the worked example. */
static void checksum_of_the_worked_example(void **state)
{
	static const uint8_t uuid[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
					  0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
	const uint32_t seed = crc_f2fs(0xFFFFFFFF, uuid, 16);
	static const uint8_t ino[4] = { 5 }, generation[4] = { 0xd7, 0x29, 0x67, 0x0d };
	struct f2fs_geometry geo;
	uint32_t c;

	(void)state;
	assert_int_equal(seed, 0x7BF88A64);
	c = crc_f2fs(seed, ino, 4);
	assert_int_equal(c, 0x748ACD31);
	assert_int_equal(crc_f2fs(c, generation, 4), 0x9FF622A1);

	sample_geometry(&geo, 12, F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_INODE_CHECKSUM);
	sample_inode(&geo, block, INO);
	assert_true(inode_has_checksum(&geo, block));
	extra_set_i_inode_checksum(block + INODE_ADDR_OFFSET, inode_checksum(&geo, block, seed));
	assert_int_equal(inode_check(&geo, block, INO, seed), RULE_NONE);
	/* it covers every byte but its own four, and does not depend on those */
	for (uint32_t at = 0; at < 4096; at++) {
		block[at] ^= 0x80;
		if (at / 4 == 368 / 4)
			assert_int_equal(inode_checksum(&geo, block, seed),
					 extra_i_inode_checksum(block + 360) ^ 0x80u << (at % 4 * 8));
		else if (at != 3 && at / 2 != 360 / 2) /* EXTRA_ATTR and i_extra_isize: is there one at all */
			assert_int_equal(inode_check(&geo, block, INO, seed), RULE_INODE_CHECKSUM);
		block[at] ^= 0x80;
	}
	extra_set_i_extra_isize(block + INODE_ADDR_OFFSET, 8);
	assert_false(inode_has_checksum(&geo, block));
	sample_geometry(&geo, 12, F2FS_FEAT_EXTRA_ATTR);
	assert_false(inode_has_checksum(&geo, block));
}

enum where { INODE, EXTRA, FOOTER };
static const struct rule_row {
	enum rule rule;
	uint32_t feature;
	f2fs_nid_t nid;
	struct {
		enum where where;
		struct sample_edit edit;
	} edits[4];
} breaks[] = {
	{ RULE_INODE_BLOCKS, 0, INO, { { INODE, { "i_blocks", 0, 0 } } } },
	{ RULE_INODE_FOOTER, 0, INO, { { FOOTER, { "ino", 0, 6 } } } },
	{ RULE_INODE_XATTR_NID, 0, INO, { { INODE, { "i_xattr_nid", 0, INO } } } },
	{ RULE_INODE_XATTR_NID, 0, INO, { { INODE, { "i_xattr_nid", 0, 512 * 455 } } } },
	{ RULE_INODE_XATTR_NID, 0, INO, { { INODE, { "i_xattr_nid", 0, 2 } } } },
	{ RULE_INODE_EXTRA, 0, INO, { { INODE, { "i_inline", 0, 0x20 } } } },
	{ RULE_INODE_EXTRA, ALL_EXTRA, INO, { { EXTRA, { "i_extra_isize", 0, 0 } } } },
	{ RULE_INODE_EXTRA, ALL_EXTRA, INO, { { EXTRA, { "i_extra_isize", 0, 38 } } } },
	{ RULE_INODE_EXTRA, ALL_EXTRA, INO, { { EXTRA, { "i_extra_isize", 0, 40 } } } },
	{ RULE_INODE_FEATURES, F2FS_FEAT_PROJECT_QUOTA, INO, { { INODE, { "i_links", 0, 1 } } } },
	{ RULE_INODE_FEATURES, F2FS_FEAT_COMPRESSION, INO, { { INODE, { "i_links", 0, 1 } } } },
	{ RULE_INODE_COMPRESS,
	  ALL_EXTRA,
	  INO,
	  { { INODE, { "i_flags", 0, 4 } }, { EXTRA, { "i_log_cluster_size", 0, 1 } } } },
	{ RULE_INODE_COMPRESS,
	  ALL_EXTRA,
	  INO,
	  { { INODE, { "i_flags", 0, 4 } }, { EXTRA, { "i_log_cluster_size", 0, 9 } } } },
	{ RULE_INODE_COMPRESS,
	  ALL_EXTRA,
	  INO,
	  { { INODE, { "i_flags", 0, 4 } },
	    { EXTRA, { "i_log_cluster_size", 0, 2 } },
	    { EXTRA, { "i_compress_algorithm", 0, 4 } } } },
	{ RULE_INODE_COMPRESS,
	  ALL_EXTRA,
	  INO,
	  { { INODE, { "i_flags", 0, 4 } },
	    { EXTRA, { "i_log_cluster_size", 0, 2 } },
	    { EXTRA, { "i_compr_blocks", 0, 1 } } } },
	{ RULE_INODE_COMPRESS, /* LZO has no levels */
	  ALL_EXTRA,
	  INO,
	  { { INODE, { "i_flags", 0, 4 } },
	    { EXTRA, { "i_log_cluster_size", 0, 2 } },
	    { EXTRA, { "i_compress_flag", 0, 0x100 } } } },
	{ RULE_INODE_COMPRESS, /* LZ4 has 3 to 12 */
	  ALL_EXTRA,
	  INO,
	  { { INODE, { "i_flags", 0, 4 } },
	    { EXTRA, { "i_log_cluster_size", 0, 2 } },
	    { EXTRA, { "i_compress_algorithm", 0, 1 } },
	    { EXTRA, { "i_compress_flag", 0, 0x200 } } } },
	{ RULE_INODE_COMPRESS, /* ZSTD up to 22 */
	  ALL_EXTRA,
	  INO,
	  { { INODE, { "i_flags", 0, 4 } },
	    { EXTRA, { "i_log_cluster_size", 0, 2 } },
	    { EXTRA, { "i_compress_algorithm", 0, 2 } },
	    { EXTRA, { "i_compress_flag", 0, 0x1700 } } } },
	{ RULE_INODE_INLINE_XATTR, ALL_EXTRA, INO, { { EXTRA, { "i_inline_xattr_size", 0, 904 } } } },
	{ RULE_INODE_INLINE_XATTR,
	  ALL_EXTRA,
	  INO,
	  { { INODE, { "i_inline", 0, 0x21 } }, { EXTRA, { "i_inline_xattr_size", 0, 5 } } } },
	{ RULE_INODE_INLINE_DATA, 0, INO, { { INODE, { "i_inline", 0, 2 } }, { INODE, { "i_size", 0, 3689 } } } },
	{ RULE_INODE_INLINE_DATA, 0, INO, { { INODE, { "i_inline", 0, 2 } }, { INODE, { "i_mode", 0, 0010644 } } } },
	{ RULE_INODE_INLINE_DATA, 0, INO, { { INODE, { "i_inline", 0, 2 } }, { INODE, { "i_advise", 0, 4 } } } },
	{ RULE_INODE_INLINE_DATA, 0, INO, { { INODE, { "i_inline", 0, 2 } }, { INODE, { "i_advise", 0, 0x40 } } } },
	{ RULE_INODE_INLINE_DENTRY, 0, INO, { { INODE, { "i_inline", 0, 4 } } } },
	{ RULE_INODE_CASEFOLD,
	  0,
	  INO,
	  { { INODE, { "i_flags", 0, 0x40000000 } }, { INODE, { "i_mode", 0, 0040755 } } } },
	{ RULE_INODE_EXTENT, 0, INO, { { INODE, { "i_ext_len", 0, 1 } }, { INODE, { "i_ext_blk", 0, 4095 } } } },
	{ RULE_INODE_EXTENT, 0, INO, { { INODE, { "i_ext_len", 0, 2 } }, { INODE, { "i_ext_blk", 0, 16383 } } } },
	{ RULE_INODE_EXTENT,
	  0,
	  INO,
	  { { INODE, { "i_ext_len", 0, 0xFFFFFFFF } }, { INODE, { "i_ext_blk", 0, 4096 } } } },
	{ RULE_INODE_MODE, 0, INO, { { INODE, { "i_mode", 0, 0644 } } } },
	{ RULE_INODE_MODE, 0, INO, { { INODE, { "i_mode", 0, 0xFFFF } } } },
	{ RULE_INODE_ROOT, 0, 3, { { INODE, { "i_size", 0, 4096 } } } },
	{ RULE_INODE_ROOT, 0, 3, { { INODE, { "i_mode", 0, 0040755 } } } },
	{ RULE_INODE_ROOT,
	  0,
	  3,
	  { { INODE, { "i_mode", 0, 0040755 } }, { INODE, { "i_size", 0, 4096 } }, { INODE, { "i_links", 0, 0 } } } },
	{ RULE_DIR_DEPTH, 0, INO, { { INODE, { "i_mode", 0, 0040755 } }, { INODE, { "i_current_depth", 0, 64 } } } },
	/* and what must be borne */
	{ RULE_NONE, 0, INO, { { INODE, { "i_ext_len", 0, 1 } }, { INODE, { "i_ext_blk", 0, 16383 } } } },
	{ RULE_NONE, 0, INO, { { INODE, { "i_ext_blk", 0, 7 } } } },
	{ RULE_NONE, 0, INO, { { INODE, { "i_inline", 0, 2 } }, { INODE, { "i_size", 0, 3688 } } } },
	{ RULE_NONE, /* owns blocks: the inconsistency shows later */
	  0,
	  INO,
	  { { INODE, { "i_inline", 0, 2 } }, { INODE, { "i_size", 0, 3689 } }, { INODE, { "i_blocks", 0, 2 } } } },
	{ RULE_NONE, ALL_EXTRA, INO, { { EXTRA, { "i_inline_xattr_size", 0, 903 } } } },
	{ RULE_NONE,
	  0,
	  3,
	  { { INODE, { "i_mode", 0, 0040755 } }, { INODE, { "i_size", 0, 4096 } }, { INODE, { "i_links", 0, 2 } } } },
	{ RULE_NONE, 0, INO, { { INODE, { "i_links", 0, 0 } } } },
	{ RULE_NONE,
	  ALL_EXTRA,
	  INO,
	  { { INODE, { "i_flags", 0, 4 } },
	    { EXTRA, { "i_log_cluster_size", 0, 8 } },
	    { EXTRA, { "i_compress_algorithm", 0, 1 } },
	    { EXTRA, { "i_compress_flag", 0, 0xC01 } } } },
};

static void apply(const struct f2fs_geometry *geo, const struct rule_row *row)
{
	for (unsigned e = 0; e < 4 && row->edits[e].edit.field; e++) {
		const struct sample_edit *edit = &row->edits[e].edit;

		if (row->edits[e].where == EXTRA)
			sample_set("inode_extra", block + INODE_ADDR_OFFSET, edit->field, 0, edit->value);
		else if (row->edits[e].where == FOOTER)
			sample_set("node_footer", node_footer_w(geo, block), edit->field, 0, edit->value);
		else
			sample_set("inode", block, edit->field, 0, edit->value);
	}
}

static void each_broken_rule_is_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
		const struct rule_row *row = &breaks[i];
		struct f2fs_geometry geo;
		enum rule found;

		sample_geometry(&geo, 12, row->feature);
		sample_inode(&geo, block, row->nid);
		apply(&geo, row);
		found = inode_check(&geo, block, row->nid, 0);
		if (found != row->rule)
			fail_msg("row %zu (%s): expected %s, found %s", i, row->edits[0].edit.field,
				 row->rule ? rule_row(row->rule)->name : "none",
				 found ? rule_row(found)->name : "none");
	}
}

static void types_of_modes(void **state)
{
	static const uint16_t modes[8] = { 0, 0100000, 0040000, 0020000, 0060000, 0010000, 0140000, 0120000 };

	(void)state;
	for (unsigned type = 0; type < 8; type++) {
		assert_int_equal(f2fs_type_of_mode(modes[type]), type);
		assert_int_equal(f2fs_type_of_mode(modes[type] | 07777), type);
		assert_int_equal(f2fs_mode_of_type(type), modes[type]);
	}
	assert_int_equal(f2fs_type_of_mode(0170000), 0);
	assert_int_equal(f2fs_mode_of_type(8), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts_of_the_document),
		cmocka_unit_test(reserved_attribute_words),
		cmocka_unit_test(compressed_files_use_whole_clusters),
		cmocka_unit_test(layouts_of_rubbish_stay_inside),
		cmocka_unit_test(checksum_of_the_worked_example),
		cmocka_unit_test(each_broken_rule_is_named),
		cmocka_unit_test(types_of_modes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
