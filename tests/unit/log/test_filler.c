/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Segments that are filled beside the logs: owners stay right, no barred or resting block is taken, reads see what
 * waits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bitmap.h"
#include "gc/gc.h"
#include "gc/live.h"
#include "gc/move_target.h"
#include "gc/mover.h"
#include "common/fresh.h"
#include "log/commit.h"
#include "log/filler.h"
#include "log/free_sections.h"
#include "log/run.h"
#include "log/segment_choose.h"
#include "log/segments.h"
#include "log/txn.h"
#include "volume/block_read.h"

#define MIB (1u << 20)
#define BLOCK 4096u
#define FILE_BLOCKS 700u

static struct fresh v;
static uint8_t bytes[FILE_BLOCKS * BLOCK];

static void fill_bytes(unsigned seed)
{
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i / BLOCK * 7 + i % 251 + seed);
}

/* Files "a" and "b" by turns, ten blocks each time; then "b" goes, so that segments have holes. */
static void open_with_holes(void)
{
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options),
						   .feature = F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_INODE_CHECKSUM };
	struct f2fs_inode *a, *b, *root;

	fresh_open_with(&v, 128 * MIB, &options);
	fill_bytes(1);
	a = fresh_make(&v, "a", 0100644);
	b = fresh_make(&v, "b", 0100644);
	for (unsigned i = 0; i < FILE_BLOCKS; i += 10) {
		assert_int_equal(f2fs_inode_write(a, (uint64_t)i * BLOCK, bytes + (size_t)i * BLOCK, 10 * BLOCK), 0);
		assert_int_equal(f2fs_inode_write(b, (uint64_t)i * BLOCK, bytes, 10 * BLOCK), 0);
	}
	f2fs_inode_close(a);
	f2fs_inode_close(b);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_lookup(v.vol, "/", 0, &root), 0);
	assert_int_equal(f2fs_remove(root, "b", 1), 0);
	f2fs_inode_close(root);
	fresh_reopen(&v);
	assert_int_equal(txn_begin(v.vol, NULL), 0);
}

static void must_be_sound(void)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options) };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	struct f2fs_inode *a;
	static uint8_t got[sizeof(bytes)];
	size_t done;

	assert_int_equal(f2fs_lookup(v.vol, "/a", 0, &a), 0);
	assert_int_equal(f2fs_inode_read(a, 0, got, sizeof(got), &done), 0);
	assert_int_equal(done, sizeof(bytes));
	assert_memory_equal(got, bytes, sizeof(bytes));
	f2fs_inode_close(a);
	assert_int_equal(f2fs_check(v.ctx, v.dev, &options, &result), 0);
	assert_int_equal(result.found, 0);
}

/* The first segment that holds data of "a" and no log; from on. */
static f2fs_seg_t find_segment(f2fs_seg_t from, unsigned least)
{
	for (f2fs_seg_t i = from; i < v.vol->geo.segment_count_main; i++) {
		struct segment *s;

		assert_int_equal(segment_get(v.vol->txn, i, &s), 0);
		if (s->valid >= least && s->valid < F2FS_SEGMENT_BLOCKS && s->type == F2FS_WARM_DATA &&
		    !segment_is_current(v.vol->txn, i))
			return i;
	}
	fail();
	return 0;
}

static f2fs_seg_t find_free(f2fs_seg_t from)
{
	bool is_free = false;

	while (!is_free)
		assert_int_equal(segment_section_is_free(v.vol->txn, from++, &is_free), 0);
	return from - 1;
}

/* Continues in a free segment when the first is full. */
static int put(void *user, const struct live_block *b, uint32_t want, const uint8_t *data, f2fs_blk_t *to,
	       uint32_t *got)
{
	int err = filler_put(user, live_owner(b), want, data, to, got);

	if (*got == 0) {
		assert_int_equal(filler_close(user), 0);
		assert_int_equal(filler_open(user, find_free(50), F2FS_COLD_DATA, 0), 0);
		err = filler_put(user, live_owner(b), want, data, to, got);
	}
	assert_int_equal(err, 0);
	assert_int_not_equal(*got, 0);
	return err;
}

/* Move a segment's data through a filler. */
static uint32_t move(struct filler *f, f2fs_seg_t segno)
{
	const struct move_target target = { .put = put, .user = f };
	static uint8_t buffer[F2FS_SEGMENT_BLOCKS * BLOCK];
	struct live live;
	uint32_t count;
	bool could_read;

	assert_int_equal(live_init(&live, v.vol), 0);
	live.target = &target;
	assert_int_equal(live_find(&live, segno), 0);
	assert_int_equal(live.verdict, LIVE_CONFIRMED);
	assert_int_equal(live_move(&live, buffer, &could_read), 0);
	assert_true(could_read);
	count = live.data;
	live_fini(&live);
	return count;
}

static void a_free_segment_is_filled(void **state)
{
	struct filler f;
	f2fs_seg_t from, to;
	uint32_t before, moved;
	struct f2fs_segment_info sit;
	uint8_t entries[SUMMARY_BYTES], type;
	int source;

	(void)state;
	open_with_holes();
	from = find_segment(0, 100);
	to = find_free(40);
	before = v.vol->txn->free_segments;
	assert_int_equal(filler_begin(&f, v.vol->txn), 0);
	assert_int_equal(filler_open(&f, to, F2FS_COLD_DATA, 0), 0);
	assert_int_equal(v.vol->txn->free_segments, before - 1);
	moved = move(&f, from);
	assert_true(moved >= 100);
	{ /* what waits is read as it will be */
		struct f2fs_inode *a;
		static uint8_t got[sizeof(bytes)];
		size_t done;

		assert_true(f.buffer_count > 0);
		assert_int_equal(f2fs_lookup(v.vol, "/a", 0, &a), 0);
		assert_int_equal(f2fs_inode_read(a, 0, got, sizeof(got), &done), 0);
		assert_memory_equal(got, bytes, sizeof(bytes));
		f2fs_inode_close(a);
		assert_int_equal(f.buffer_count, 0);
	}
	assert_int_equal(filler_end(&f), 0);
	assert_int_equal(v.vol->txn->free_segments, before - 1);
	assert_int_equal(txn_commit(v.vol), 0);
	assert_int_equal(f2fs_sit_lookup(v.vol, to, &sit), 0);
	assert_int_equal(sit.valid_blocks, moved);
	assert_int_equal(sit.type, F2FS_COLD_DATA);
	assert_int_equal(f2fs_ssa_read(v.vol, to, entries, &type, &source), 0);
	assert_int_equal(type, 0);
	for (uint32_t i = 0; i < moved; i++) {
		struct f2fs_block_identity who;

		assert_true(msb_test(sit.valid_map, i));
		assert_int_equal(f2fs_block_identify(v.vol, geometry_segment_start(&v.vol->geo, to) + i, &who), 0);
		assert_true(who.is_owned);
	}
	must_be_sound();
	fresh_close(&v);
}

static void holes_are_filled_between_what_stays(void **state)
{
	struct filler f;
	f2fs_seg_t from, to;
	struct f2fs_segment_info before, after;
	uint8_t old[SUMMARY_BYTES], entries[SUMMARY_BYTES], type;
	int source;
	uint32_t holes = 0;

	(void)state;
	open_with_holes();
	to = find_segment(0, 100);
	from = find_segment(to + 1, 50);
	assert_int_equal(f2fs_sit_lookup(v.vol, to, &before), 0);
	assert_int_equal(f2fs_ssa_read(v.vol, to, old, &type, &source), 0);
	assert_int_equal(filler_begin(&f, v.vol->txn), 0);
	assert_int_equal(filler_open(&f, to, F2FS_WARM_DATA, 64), 0);
	assert_true(move(&f, from) > 50);
	for (uint32_t i = 64; i < F2FS_SEGMENT_BLOCKS; i++)
		holes += !msb_test(before.valid_map, i);
	/* left open: the commit closes it */
	assert_int_equal(txn_commit(v.vol), 0);
	assert_null(f.txn);
	assert_int_equal(filler_end(&f), 0);
	assert_int_equal(f2fs_sit_lookup(v.vol, to, &after), 0);
	assert_int_equal(after.valid_blocks, before.valid_blocks + holes);
	assert_int_equal(after.type, before.type);
	assert_int_equal(f2fs_ssa_read(v.vol, to, entries, &type, &source), 0);
	for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS; i++) {
		if (msb_test(before.valid_map, i)) {
			assert_true(msb_test(after.valid_map, i));
			assert_memory_equal(entries + i * sum_SIZE, old + i * sum_SIZE, sum_SIZE);
		}
		if (i < 64)
			assert_int_equal(msb_test(after.valid_map, i), msb_test(before.valid_map, i));
	}
	assert_int_equal(f2fs_sit_lookup(v.vol, from, &after), 0);
	assert_int_equal(after.valid_blocks, 0);
	must_be_sound();
	fresh_close(&v);
}

static void blocks_of_the_checkpoint_are_not_taken(void **state)
{
	struct filler f;
	f2fs_seg_t segno;
	struct segment *s;
	uint8_t ckpt[64];
	uint32_t got;
	f2fs_blk_t addr;

	(void)state;
	open_with_holes();
	segno = find_segment(0, 100);
	assert_int_equal(segment_get(v.vol->txn, segno, &s), 0);
	/* given back in this transaction: they rest */
	for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS; i++)
		if (msb_test(s->cur, i))
			assert_int_equal(
				segment_mark(v.vol->txn, geometry_segment_start(&v.vol->geo, segno) + i, false), 0);
	memcpy(ckpt, s->ckpt, sizeof(ckpt));
	assert_int_equal(filler_begin(&f, v.vol->txn), 0);
	assert_int_equal(filler_open(&f, segno, F2FS_WARM_DATA, 0), 0);
	for (uint32_t taken = 0;; taken += got) {
		assert_int_equal(filler_put(&f, (struct owner){ .nid = 4 }, 3, NULL, &addr, &got), 0);
		for (uint32_t i = 0; i < got; i++)
			assert_false(msb_test(ckpt, (addr + i - v.vol->geo.main_blkaddr) % F2FS_SEGMENT_BLOCKS));
		if (got == 0) {
			assert_int_equal(taken, F2FS_SEGMENT_BLOCKS - s->ckpt_valid);
			break;
		}
	}
	txn_drop(v.vol);
	filler_drop(&f);
	must_be_sound();
	fresh_close(&v);
}

/* Contents that are read straight to where they are written from, in runs between blocks in use. */
static void contents_are_put_in_place(void **state)
{
	static f2fs_blk_t places[F2FS_SEGMENT_BLOCKS];
	static uint8_t block[BLOCK];
	struct filler f;
	uint32_t count, got, taken = 0;
	uint8_t *to;

	(void)state;
	open_with_holes();
	assert_int_equal(filler_begin(&f, v.vol->txn), 0);
	assert_int_equal(filler_reserve(&f, 5, &to, &count), 0);
	assert_int_equal(count, 0); /* none is open */
	assert_int_equal(filler_open(&f, find_segment(0, 100), F2FS_WARM_DATA, 0), 0);
	for (;; taken += got) {
		assert_int_equal(filler_reserve(&f, 7, &to, &count), 0);
		if (count == 0)
			break;
		for (uint32_t i = 0; i < count; i++)
			memset(to + (size_t)i * BLOCK, (int)(taken + i) & 255, BLOCK);
		if (taken > 0 && taken % 3 == 0) /* what waits is written before it is read: the place may change */
			assert_int_equal(volume_read(v.vol, places[taken - 1], 0, block, BLOCK), 0);
		assert_int_equal(filler_put(&f, (struct owner){ .nid = 4 }, count, to, &places[taken], &got), 0);
		assert_int_equal(got, count);
		for (uint32_t i = 1; i < got; i++)
			places[taken + i] = places[taken] + i;
	}
	assert_true(taken > 20);
	assert_int_equal(filler_close(&f), 0);
	for (uint32_t i = 0; i < taken; i++) {
		assert_int_equal(volume_read(v.vol, places[i], 0, block, BLOCK), 0);
		assert_int_equal(block[0], i & 255);
		assert_int_equal(block[BLOCK - 1], i & 255);
	}
	f.is_rehearsal = true;
	assert_int_equal(filler_open(&f, find_free(30), F2FS_WARM_DATA, 0), 0);
	assert_int_equal(filler_reserve(&f, 600, &to, &count), 0);
	assert_int_equal(count, F2FS_SEGMENT_BLOCKS);
	assert_null(to);
	txn_drop(v.vol);
	filler_drop(&f);
	must_be_sound();
	fresh_close(&v);
}

static void what_cannot_be_filled_is_refused(void **state)
{
	struct filler f, other;
	f2fs_seg_t full_of_holes, free_one, log;
	f2fs_seg_t chosen;
	uint8_t alloc_type;

	(void)state;
	open_with_holes();
	full_of_holes = find_segment(0, 100);
	free_one = find_free(30);
	log = v.vol->txn->heads[F2FS_WARM_DATA].segno;
	assert_int_equal(filler_begin(&f, v.vol->txn), 0);
	assert_int_equal(filler_begin(&other, v.vol->txn), 0);
	assert_int_equal(filler_open(&f, log, F2FS_WARM_DATA, 0), F2FS_ERR_STATE);
	assert_int_equal(filler_open(&f, full_of_holes, F2FS_WARM_NODE, 0), F2FS_ERR_STATE);
	assert_int_equal(filler_open(&f, full_of_holes, F2FS_WARM_DATA, 0), 0);
	assert_int_equal(filler_open(&f, free_one, F2FS_WARM_DATA, 0), F2FS_ERR_STATE);
	/* no log goes where a filler is */
	v.vol->txn->vol->write.low_sections = 100;
	v.vol->txn->heads[F2FS_WARM_DATA].alloc_type = 1;
	assert_int_equal(segment_choose(v.vol->txn, F2FS_WARM_DATA, log, &chosen, &alloc_type), 0);
	assert_int_not_equal(chosen, full_of_holes);
	/* one that is barred stays so */
	assert_int_equal(segments_bar(v.vol->txn, free_one, free_one + 1), 0);
	assert_int_equal(filler_open(&other, free_one, F2FS_WARM_DATA, 0), 0);
	assert_int_equal(filler_close(&other), 0);
	{
		struct segment *s;

		assert_int_equal(segment_get(v.vol->txn, free_one, &s), 0);
		assert_true(s->is_barred);
		assert_int_equal(segment_get(v.vol->txn, full_of_holes, &s), 0);
		assert_true(s->is_barred);
		assert_int_equal(filler_close(&f), 0);
		assert_false(s->is_barred);
	}
	assert_int_equal(filler_end(&f), 0);
	assert_int_equal(filler_end(&other), 0);
	assert_null(v.vol->txn->fillers);
	txn_drop(v.vol);
	fresh_close(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_free_segment_is_filled),
		cmocka_unit_test(holes_are_filled_between_what_stays),
		cmocka_unit_test(blocks_of_the_checkpoint_are_not_taken),
		cmocka_unit_test(contents_are_put_in_place),
		cmocka_unit_test(what_cannot_be_filled_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
