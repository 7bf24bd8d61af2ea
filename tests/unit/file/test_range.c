/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fallocate: its effect on the slots, and its refusals; the model test tests/stress/ranges covers contents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/fresh.h"
#include "format/inode.h"

#define FEATURES (F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_COMPRESSION)
#define PUNCH (F2FS_FALLOCATE_PUNCH_HOLE | F2FS_FALLOCATE_KEEP_SIZE)
#define BLOCK 4096u

static struct fresh v;
static struct f2fs_inode *file;

static int set_up(void **state)
{
	(void)state;
	fresh_open(&v, 64 << 20, FEATURES);
	file = fresh_make(&v, "file", 0100644);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	f2fs_inode_close(file);
	fresh_close(&v);
	return 0;
}

static struct f2fs_stat stat_of_file(void)
{
	struct f2fs_stat stat;

	assert_int_equal(f2fs_inode_stat(file, &stat), 0);
	return stat;
}

static void write_blocks(unsigned blocks)
{
	static uint8_t bytes[64 * BLOCK];

	memset(bytes, 0x5a, sizeof(bytes));
	assert_int_equal(f2fs_inode_write(file, 0, bytes, (size_t)blocks * BLOCK), 0);
}

static char kind_at(uint64_t block)
{
	f2fs_blk_t addr;

	assert_int_equal(f2fs_inode_block(file, block, &addr), 0);
	return addr == 0 ? '.' : addr == F2FS_NEW_ADDR ? 'n' : 'd';
}

static void check_map(const char *kinds)
{
	for (size_t i = 0; kinds[i]; i++)
		if (kind_at(i) != kinds[i])
			fail_msg("block %zu is %c, not %c of %s", i, kind_at(i), kinds[i], kinds);
}

static void reserved_blocks_stay_so(void **state)
{
	(void)state;
	assert_int_equal(f2fs_fallocate(file, 0, 5000, 10000), 0);
	assert_int_equal(stat_of_file().size, 15000);
	assert_false(stat_of_file().inline_flags & FLAG_i_inline_inline_data);
	fresh_reopen_keep(&v, &file, "/file");
	check_map(".nnn.");
	assert_int_equal(stat_of_file().blocks, 3 * 8);
	assert_int_equal(f2fs_fallocate(file, F2FS_FALLOCATE_KEEP_SIZE, 0, 10 * BLOCK), 0);
	assert_int_equal(stat_of_file().size, 15000);
	assert_true(stat_of_file().advise & FLAG_i_advise_keep_size);
	check_map("nnnnnnnnnn.");
	assert_int_equal(f2fs_inode_truncate(file, 15000), 0);
	check_map("nnnn.");
	assert_false(stat_of_file().advise & FLAG_i_advise_keep_size);
}

static void holes_as_the_kernel_leaves_them(void **state)
{
	(void)state;
	write_blocks(3);
	assert_int_equal(f2fs_inode_truncate(file, 9000), 0);
	/* the edge beyond the end is reserved, the one before is written (FORMAT files 4) */
	assert_int_equal(f2fs_fallocate(file, PUNCH, 4096, 30000), 0);
	fresh_reopen_keep(&v, &file, "/file");
	check_map("d.......n");
	assert_int_equal(stat_of_file().size, 9000);
	assert_int_equal(f2fs_fallocate(file, PUNCH, 100, 10), 0);
	assert_int_equal(f2fs_fallocate(file, PUNCH, 5000, 10), 0);
	assert_int_equal(f2fs_fallocate(file, PUNCH, 20000, 10), 0); /* past the end: nothing */
	fresh_reopen_keep(&v, &file, "/file");
	check_map("dd......n");
}

static void zero_range_frees_and_reserves(void **state)
{
	(void)state;
	write_blocks(6);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_fallocate(file, F2FS_FALLOCATE_ZERO_RANGE, BLOCK + 10, 3 * BLOCK), 0);
	fresh_reopen_keep(&v, &file, "/file");
	check_map("ddnndd");
	assert_int_equal(
		f2fs_fallocate(file, F2FS_FALLOCATE_ZERO_RANGE | F2FS_FALLOCATE_KEEP_SIZE, 5 * BLOCK, 5 * BLOCK), 0);
	check_map("ddnndnnnnn.");
	assert_int_equal(stat_of_file().size, 6 * BLOCK);
	assert_true(stat_of_file().advise & FLAG_i_advise_keep_size);
}

static void ranges_move(void **state)
{
	(void)state;
	write_blocks(4);
	assert_int_equal(f2fs_fallocate(file, F2FS_FALLOCATE_INSERT_RANGE, BLOCK, 2 * BLOCK), 0);
	check_map("d..ddd");
	assert_int_equal(stat_of_file().size, 6 * BLOCK);
	assert_int_equal(f2fs_fallocate(file, 0, 0, 10 * BLOCK), 0);
	check_map("dnndddnnnn");
	assert_int_equal(f2fs_fallocate(file, F2FS_FALLOCATE_COLLAPSE_RANGE, BLOCK, BLOCK), 0);
	check_map("dndddnnnn.");
	assert_int_equal(stat_of_file().size, 9 * BLOCK);
	fresh_reopen_keep(&v, &file, "/file");
	check_map("dndddnnnn.");
	assert_int_equal(stat_of_file().blocks, 9 * 8);
}

static void refused(void **state)
{
	const struct f2fs_compression how = { .algorithm = F2FS_COMPRESS_LZO };
	struct f2fs_inode *dir = fresh_make(&v, "dir", 040755), *packed = fresh_make(&v, "packed", 0100644);
	const uint64_t most = (uint64_t)4329687105536;

	(void)state;
	write_blocks(4);
	assert_int_equal(f2fs_fallocate(dir, 0, 0, 1), F2FS_ERR_IS_DIR);
	assert_int_equal(f2fs_fallocate(file, 0, 0, 0), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_fallocate(file, 0, UINT64_MAX, 2), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_fallocate(file, 0, most, 1), F2FS_ERR_TOO_BIG);
	assert_int_equal(f2fs_fallocate(file, F2FS_FALLOCATE_PUNCH_HOLE, 0, 1), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_fallocate(file, PUNCH | F2FS_FALLOCATE_ZERO_RANGE, 0, 1), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_fallocate(file, F2FS_FALLOCATE_COLLAPSE_RANGE | F2FS_FALLOCATE_KEEP_SIZE, 0, BLOCK),
			 F2FS_ERR_INVALID);
	assert_int_equal(f2fs_fallocate(file, F2FS_FALLOCATE_COLLAPSE_RANGE, 1, BLOCK), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_fallocate(file, F2FS_FALLOCATE_COLLAPSE_RANGE, BLOCK, 3 * BLOCK), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_fallocate(file, F2FS_FALLOCATE_INSERT_RANGE, 4 * BLOCK, BLOCK), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_fallocate(file, F2FS_FALLOCATE_INSERT_RANGE, BLOCK, 100), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_fallocate(file, F2FS_FALLOCATE_INSERT_RANGE, 0, most - BLOCK), F2FS_ERR_TOO_BIG);
	assert_int_equal(f2fs_fallocate(file, 0, 0, most / 2), F2FS_ERR_NOSPC);
	assert_int_equal(f2fs_compress_set(packed, &how), 0);
	assert_int_equal(f2fs_fallocate(packed, PUNCH, 0, BLOCK), F2FS_ERR_UNSUPPORTED);
	assert_int_equal(f2fs_fallocate(packed, 0, 0, BLOCK), 0);
	/* none of that has half-changed anything */
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	check_map("dddd.");
	f2fs_inode_close(dir);
	f2fs_inode_close(packed);
}

static void pinned_blocks_stay(void **state)
{
	const struct f2fs_stat pin = { .inline_flags = FLAG_i_inline_pin_file }, unpin = { 0 };
	f2fs_blk_t before, after;

	(void)state;
	assert_int_equal(f2fs_inode_set(file, F2FS_SET_PIN, &pin), 0);
	assert_false(stat_of_file().inline_flags & FLAG_i_inline_inline_data);
	write_blocks(2);
	write_blocks(2); /* no checkpoint knows these blocks yet */
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_inode_block(file, 1, &before), 0);
	assert_int_equal(f2fs_inode_write(file, BLOCK + 1, "x", 1), F2FS_ERR_UNSUPPORTED);
	assert_int_equal(f2fs_fallocate(file, PUNCH, 0, BLOCK), F2FS_ERR_UNSUPPORTED);
	assert_int_equal(f2fs_inode_write(file, 2 * BLOCK, "x", 1), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_inode_block(file, 1, &after), 0);
	assert_int_equal(before, after);
	assert_int_equal(f2fs_inode_set(file, F2FS_SET_PIN, &unpin), 0);
	assert_int_equal(f2fs_inode_write(file, BLOCK + 1, "x", 1), 0);
}

/* The address of the first of count blocks that must follow each other. */
static f2fs_blk_t contiguous(uint64_t first, uint64_t count)
{
	f2fs_blk_t start, addr;

	assert_int_equal(f2fs_inode_block(file, first, &start), 0);
	for (uint64_t i = 1; i < count; i++) {
		assert_int_equal(f2fs_inode_block(file, first + i, &addr), 0);
		assert_int_equal(addr, start + i);
	}
	return start;
}

static void pinned_files_are_preallocated(void **state)
{
	const struct f2fs_stat pin = { .inline_flags = FLAG_i_inline_pin_file };
	const struct f2fs_write_options in_place = { F2FS_SIZED(f2fs_write_options), .in_place = F2FS_IN_PLACE_FULL };
	const uint32_t main_start = f2fs_volume_geometry(v.vol)->main_blkaddr;
	uint8_t byte[3] = { 9, 9, 9 };
	f2fs_blk_t start;
	size_t done;

	(void)state;
	assert_int_equal(f2fs_inode_write(file, 0, "inline", 6), 0);
	assert_int_equal(f2fs_inode_set(file, F2FS_SET_PIN, &pin), 0);
	assert_int_equal(f2fs_fallocate(file, 0, 5 * BLOCK, 513 * BLOCK), 0);
	start = contiguous(0, 1024);
	assert_int_equal((start - main_start) % 512, 0);
	assert_int_equal(stat_of_file().size, 518 * BLOCK);
	/* nothing moves while it is written, by whole blocks or by bytes */
	assert_int_equal(f2fs_inode_write(file, 100 * BLOCK + 7, "part", 4), 0);
	write_blocks(64);
	assert_int_equal(f2fs_inode_write(file, 0, "outside", 7), 0);
	fresh_reopen_keep(&v, &file, "/file");
	assert_int_equal(contiguous(0, 1024), start);
	assert_int_equal(f2fs_inode_read(file, 100 * BLOCK + 6, byte, 2, &done), 0);
	assert_int_equal(byte[0], 0);
	assert_int_equal(byte[1], 'p');
	/* a checkpoint has the blocks now */
	assert_int_equal(f2fs_inode_write(file, BLOCK, "x", 1), F2FS_ERR_UNSUPPORTED);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_volume_configure(v.vol, &in_place), 0);
	assert_int_equal(f2fs_inode_write(file, BLOCK, "x", 1), 0);
	/* a second range, and one that there is no room for */
	assert_int_equal(f2fs_fallocate(file, F2FS_FALLOCATE_KEEP_SIZE, 1030 * BLOCK, BLOCK), 0);
	assert_int_equal((contiguous(1024, 512) - main_start) % 512, 0);
	assert_int_equal(f2fs_fallocate(file, 0, 0, 50 << 20), F2FS_ERR_NOSPC);
	fresh_reopen_keep(&v, &file, "/file");
	assert_int_equal(contiguous(0, 1024), start);
	assert_int_equal(kind_at(1536), '.');
	assert_true(stat_of_file().inline_flags & FLAG_i_inline_pin_file);
}

/* What waits for a block that a checkpoint has is written elsewhere before the file is pinned. */
static void pinning_a_changed_file(void **state)
{
	const struct f2fs_stat pin = { .inline_flags = FLAG_i_inline_pin_file };
	f2fs_blk_t before, after;

	(void)state;
	write_blocks(2);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_inode_block(file, 0, &before), 0);
	assert_int_equal(f2fs_inode_write(file, 3, "changed", 7), 0);
	assert_int_equal(f2fs_inode_set(file, F2FS_SET_PIN, &pin), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_inode_block(file, 0, &after), 0);
	assert_int_not_equal(before, after);
}

/* Far past the end: through all heights of the node tree, to the last byte of the largest file. */
static void sparse_to_the_end(void **state)
{
	const uint64_t most = (uint64_t)4329687105536, places[] = { most - 1, (uint64_t)3111931 * BLOCK,
								    (uint64_t)1039283 * BLOCK, (uint64_t)2959 * BLOCK };
	uint8_t byte;
	size_t done;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(f2fs_inode_write(file, places[i], &"0123"[i], 1), 0);
	assert_int_equal(f2fs_inode_write(file, most, "x", 1), F2FS_ERR_TOO_BIG);
	assert_int_equal(f2fs_inode_truncate(file, most + 1), F2FS_ERR_TOO_BIG);
	fresh_reopen_keep(&v, &file, "/file");
	assert_int_equal(stat_of_file().size, most);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(f2fs_inode_read(file, places[i], &byte, 1, &done), 0);
		assert_int_equal(byte, "0123"[i]);
	}
	assert_int_equal(f2fs_fallocate(file, PUNCH, BLOCK, most - BLOCK), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(kind_at(places[i] / BLOCK), '.');
	assert_int_equal(f2fs_inode_truncate(file, 0), 0);
	fresh_reopen_keep(&v, &file, "/file");
	assert_int_equal(stat_of_file().blocks, 0);
}

/* Reserve all blocks that there are for a file, then set the last ones free again. */
static void fill_but(unsigned blocks)
{
	struct f2fs_inode *filler = fresh_make(&v, "filler", 0100644);
	uint64_t at = 0;

	for (uint64_t n = 8192; n > 0; n /= 2)
		while (f2fs_fallocate(filler, 0, at * BLOCK, n * BLOCK) == 0)
			at += n;
	assert_true(at > 64);
	assert_int_equal(f2fs_inode_truncate(filler, (at - blocks) * BLOCK), 0);
	f2fs_inode_close(filler);
}

static int grow(unsigned way)
{
	static const uint8_t bytes[9000] = { 1 };

	switch (way) {
	case 0:
		return f2fs_inode_write(file, 0, bytes, sizeof(bytes));
	case 1:
		return f2fs_inode_write(file, 5000, bytes, 100);
	case 2:
		return f2fs_inode_write(file, 5000000, bytes, 1);
	case 3:
		return f2fs_inode_truncate(file, 10000);
	default:
		return f2fs_fallocate(file, 0, 0, 20000);
	}
}

/* Contents that leave their inode need room, too: without it the change fails before it has changed anything. */
static void no_room_to_leave_the_inode(void **state)
{
	uint8_t contents[3000];
	unsigned refused_ways = 0;

	memset(contents, 0xff, sizeof(contents));
	for (unsigned way = 0; way < 5; way++)
		for (unsigned blocks = 0; blocks < 10; blocks++) {
			int err;

			set_up(state);
			assert_int_equal(f2fs_inode_write(file, 0, contents, sizeof(contents)), 0);
			fill_but(blocks);
			err = grow(way);
			assert_true(err == 0 || err == F2FS_ERR_NOSPC);
			assert_int_equal(f2fs_volume_transaction(v.vol), F2FS_TRANSACTION_OPEN);
			assert_int_equal(f2fs_volume_commit(v.vol), 0);
			refused_ways |= err ? 1u << way : 0;
			if (blocks == 9)
				assert_int_equal(err, 0);
			tear_down(state);
		}
	assert_int_equal(refused_ways & 0x17, 0x17); /* truncating takes a single block, which is there */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reserved_blocks_stay_so, set_up, tear_down),
		cmocka_unit_test_setup_teardown(holes_as_the_kernel_leaves_them, set_up, tear_down),
		cmocka_unit_test_setup_teardown(zero_range_frees_and_reserves, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ranges_move, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pinned_blocks_stay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pinned_files_are_preallocated, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pinning_a_changed_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sparse_to_the_end, set_up, tear_down),
		cmocka_unit_test(no_room_to_leave_the_inode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
