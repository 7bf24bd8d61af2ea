/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Node tree arithmetic against the tables of the format document, and against itself around each boundary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/sample.h"

/* The place of a file block: depth, slot, and the node offsets on the way (FORMAT files 1.5). */
static const struct path_row {
	uint32_t ai, ab;
	uint64_t block;
	unsigned depth;
	uint32_t index[4], offset[4];
} paths[] = {
	{ 923, 1018, 0, 0, { 0 }, { 0 } },
	{ 923, 1018, 922, 0, { 922 }, { 0 } },
	{ 923, 1018, 923, 1, { 0, 0 }, { 0, 1 } },
	{ 923, 1018, 1940, 1, { 0, 1017 }, { 0, 1 } },
	{ 923, 1018, 1941, 1, { 1, 0 }, { 0, 2 } },
	{ 923, 1018, 2959, 2, { 2, 0, 0 }, { 0, 3, 4 } },
	{ 923, 1018, 3977, 2, { 2, 1, 0 }, { 0, 3, 5 } },
	{ 923, 1018, 1039283, 2, { 3, 0, 0 }, { 0, 1022, 1023 } },
	{ 923, 1018, 2075607, 3, { 4, 0, 0, 0 }, { 0, 2041, 2042, 2043 } },
	{ 923, 1018, 3111931, 3, { 4, 1, 0, 0 }, { 0, 2041, 3061, 3062 } },
	{ 923, 1018, 1057053438, 3, { 4, 1017, 1017, 1017 }, { 0, 2041, 1038365, 1039383 } },
	{ 864, 1018, 864, 1, { 0, 0 }, { 0, 1 } },
	{ 864, 1018, 1882, 1, { 1, 0 }, { 0, 2 } },
	{ 864, 1018, 2900, 2, { 2, 0, 0 }, { 0, 3, 4 } },
	{ 864, 1018, 3918, 2, { 2, 1, 0 }, { 0, 3, 5 } },
	{ 864, 1018, 1039224, 2, { 3, 0, 0 }, { 0, 1022, 1023 } },
	{ 864, 1018, 2075548, 3, { 4, 0, 0, 0 }, { 0, 2041, 2042, 2043 } },
	{ 864, 1018, 3111872, 3, { 4, 1, 0, 0 }, { 0, 2041, 3061, 3062 } },
	{ 864, 1018, 1000, 1, { 0, 136 }, { 0, 1 } },
	{ 864, 1018, 3000, 2, { 2, 0, 100 }, { 0, 3, 4 } },
	{ 864, 1018, 3000000, 3, { 4, 0, 908, 108 }, { 0, 2041, 2042, 2951 } },
	/* compressed with clusters of 4 blocks: fewer slots in each node */
	{ 864, 1016, 864 + 2 * 1016, 2, { 2, 0, 0 }, { 0, 3, 4 } },
};

static void blocks_are_where_the_format_says(void **state)
{
	struct f2fs_geometry geo;
	struct node_path path;

	(void)state;
	sample_geometry(&geo, 12, 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const struct path_row *row = &paths[i];

		memset(&path, 0, sizeof(path));
		assert_true(node_path_of(&geo, row->ai, row->ab, row->block, &path));
		if (path.depth != row->depth ||
		    memcmp(path.index, row->index, (row->depth + 1) * sizeof(path.index[0])) != 0 ||
		    memcmp(path.node_offset, row->offset, (row->depth + 1) * sizeof(path.node_offset[0])) != 0)
			fail_msg("row %zu: depth %u, index %u %u %u %u, offset %u %u %u %u", i, path.depth,
				 path.index[0], path.index[1], path.index[2], path.index[3], path.node_offset[0],
				 path.node_offset[1], path.node_offset[2], path.node_offset[3]);
	}
	assert_false(node_path_of(&geo, 923, 1018, 1057053439, &path));
	assert_false(node_path_of(&geo, 864, 1018, 1057053380, &path));
	assert_false(node_path_of(&geo, 864, 1018, UINT64_MAX, &path));
}

/* The two directions agree, and every node on the way to a slot but the last is indirect. */
static void check_round_trip(const struct f2fs_geometry *geo, uint32_t ai, uint32_t ab, uint64_t block)
{
	struct node_path path;
	uint32_t slot;

	if (!node_path_of(geo, ai, ab, block, &path))
		return;
	slot = path.index[path.depth];
	assert_true(slot < (path.depth == 0 ? ai : ab));
	assert_true(node_first_block(geo, ai, ab, path.node_offset[path.depth]) + slot == block);
	for (unsigned l = 1; l <= path.depth; l++) {
		assert_int_equal(node_offset_is_direct(geo, path.node_offset[l]), l == path.depth);
		if (l < path.depth)
			assert_true(path.index[l] < geo->nids_per_block);
	}
}

static void first_block_is_the_inverse(void **state)
{
	(void)state;
	for (unsigned bits = 12; bits <= 14; bits += 2) {
		struct f2fs_geometry geo;
		uint64_t n, end;

		sample_geometry(&geo, bits, 0);
		n = geo.nids_per_block;
		for (unsigned cluster = 1; cluster <= 256; cluster *= 4) {
			const uint32_t ai = (geo.addrs_per_inode - 59) / cluster * cluster;
			const uint32_t ab = geo.addrs_per_block / cluster * cluster;
			const uint64_t edges[] = { ai,
						   ai + ab,
						   ai + 2 * (uint64_t)ab,
						   ai + (2 + n) * ab,
						   ai + (2 + 2 * n) * ab,
						   ai + (2 + 3 * n) * ab };

			end = ai + (2 + 2 * n + n * n) * ab;
			for (size_t e = 0; e < sizeof(edges) / sizeof(edges[0]); e++)
				for (int64_t d = -2000; d < 2000; d += 13)
					check_round_trip(&geo, ai, ab, edges[e] + (uint64_t)d);
			for (uint64_t b = 0; b < end; b += end / 5000 + 1)
				check_round_trip(&geo, ai, ab, b);
			check_round_trip(&geo, ai, ab, end - 1);
			assert_int_equal(node_max_file_blocks(&geo, ab), end - ai < ((uint64_t)1 << 44) >> bits
										 ? end - ai
										 : ((uint64_t)1 << 44) >> bits);
		}
	}
}

static void kinds_of_offsets(void **state)
{
	static const uint32_t indirect[] = { 3, 1022, 2041, 2042, 3061, 4080 };
	static const uint32_t direct[] = { 0, 1, 2, 4, 1021, 1023, 2040, 2043, 3060, 3062 };
	struct f2fs_geometry geo;

	(void)state;
	sample_geometry(&geo, 12, 0);
	for (size_t i = 0; i < sizeof(indirect) / sizeof(indirect[0]); i++)
		assert_false(node_offset_is_direct(&geo, indirect[i]));
	for (size_t i = 0; i < sizeof(direct) / sizeof(direct[0]); i++)
		assert_true(node_offset_is_direct(&geo, direct[i]));
	assert_false(node_offset_is_direct(&geo, XATTR_NODE_OFFSET));
	assert_int_equal(f2fs_node_is_direct(&geo, direct[0]), 1);
	assert_int_equal(f2fs_node_is_direct(&geo, indirect[0]), 0);
	/* sizes of the document: 4 329 687 105 536 bytes, and 16 TiB */
	assert_true(node_max_file_blocks(&geo, 1018) == 1057052516u);
	sample_geometry(&geo, 14, 0);
	assert_true(node_max_file_blocks(&geo, 4090) == 1u << 30);
}

static void footer_is_at_the_end(void **state)
{
	static uint8_t block[SAMPLE_BLOCK];
	struct f2fs_geometry geo;

	(void)state;
	sample_geometry(&geo, 12, 0);
	memset(block, 0, sizeof(block));
	put_le32(block + 4072, 7);
	put_le32(block + 4080, 0x5C39);
	put_le32(block + 4052 + 16, 99);
	assert_int_equal(footer_nid(node_footer(&geo, block)), 7);
	assert_int_equal(node_offset_of(node_footer(&geo, block)), 2951);
	assert_int_equal(inode_nid(&geo, block, 4), 99);
	sample_geometry(&geo, 14, 0);
	inode_set_nid(&geo, block, 0, 5);
	assert_int_equal(get_le32(block + 16384 - 44), 5);
	assert_ptr_equal(node_footer(&geo, block), block + 16360);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_where_the_format_says),
		cmocka_unit_test(first_block_is_the_inverse),
		cmocka_unit_test(kinds_of_offsets),
		cmocka_unit_test(footer_is_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
