/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Placements: they hear of every event, streams have segments of their own and continue in them, blocks wait as long as
 * they may, and whatever a placement answers the volume is sound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/fresh.h"
#include "log/run.h"
#include "log/streams.h"

#define MIB (1u << 20)
#define BLOCK 4096u
#define STREAMS 4u
#define BLOCKS 8192u /* of the file */

static struct fresh v;
static uint8_t bytes[256 * BLOCK];
static uint32_t seed;

/* The placement's record: the place of each block of the file, plus one. */
static struct {
	uint32_t at[BLOCKS];
	f2fs_blk_t where[BLOCKS];
	uint64_t written, moved, freed;
	unsigned level; /* of blocks with an odd number */
	bool moves, answers_rubbish;
	f2fs_nid_t other; /* a file of which nothing is known; its blocks are of the last stream */
} book;

static unsigned classify(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	(void)user;
	if (ino == book.other)
		return STREAMS - 1;
	assert_int_equal(book.where[file_block], old);
	return book.answers_rubbish ? fresh_random(&seed) : (unsigned)(file_block % STREAMS);
}

static void written(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr)
{
	(void)user;
	if (ino == book.other)
		return;
	assert_int_equal(book.where[file_block], old);
	book.where[file_block] = addr;
	book.written++;
}

static uint32_t block_of(f2fs_blk_t addr)
{
	for (uint32_t i = 0; i < BLOCKS; i++)
		if (book.where[i] == addr)
			return i;
	fail_msg("nothing was written to block %u", (unsigned)addr);
	return 0;
}

static unsigned moving(void *user, f2fs_nid_t ino, f2fs_blk_t old)
{
	(void)user;
	(void)ino;
	return book.moves ? block_of(old) % STREAMS : F2FS_STREAM_NONE;
}

static void moved(void *user, f2fs_blk_t old, f2fs_blk_t addr)
{
	(void)user;
	book.where[block_of(old)] = addr;
	book.moved++;
}

static void freed(void *user, f2fs_blk_t addr)
{
	(void)user;
	book.where[block_of(addr)] = 0;
	book.freed++;
}

static unsigned delay(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	(void)user;
	if (ino == book.other)
		return 0;
	assert_int_equal(book.where[file_block], old);
	return file_block % 2 ? book.level : 0;
}

static const struct f2fs_placement placement = { F2FS_SIZED(f2fs_placement), .streams = STREAMS,
						 .classify = classify,
						 .written = written,
						 .moving = moving,
						 .moved = moved,
						 .freed = freed,
						 .delay = delay };

static struct f2fs_inode *begin_as(uint64_t mib, uint8_t logging, uint8_t at_once)
{
	const struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options),
						    .logging = logging, .commit_when_full = 1, .at_once = at_once };
	const struct f2fs_gc_options cleaning = { F2FS_SIZED(f2fs_gc_options) };

	memset(&book, 0, sizeof(book));
	seed = 7;
	fresh_open(&v, mib * MIB, 0);
	fresh_need(&v, f2fs_volume_configure(v.vol, &options), "configure");
	fresh_need(&v, f2fs_volume_set_gc(v.vol, &cleaning), "cleaning");
	fresh_need(&v, f2fs_volume_set_placement(v.vol, &placement), "placement");
	return fresh_make(&v, "data", 0100644);
}

static struct f2fs_inode *begin(uint64_t mib, uint8_t logging)
{
	return begin_as(mib, logging, 0);
}

static void write_block(struct f2fs_inode *inode, uint32_t block, uint32_t count, uint32_t value)
{
	for (uint32_t k = 0; k < count; k++) {
		const uint32_t number = (block + k) * 7 + value;

		memcpy(bytes + (size_t)k * BLOCK, &number, 4);
	}
	fresh_need(&v, f2fs_inode_write(inode, (uint64_t)block * BLOCK, bytes, (size_t)count * BLOCK), "write");
}

static void fill(struct f2fs_inode *inode, uint32_t blocks)
{
	for (uint32_t i = 0; i < blocks; i += 256)
		write_block(inode, i, blocks - i < 256 ? blocks - i : 256, 0);
}

static void overwrite(struct f2fs_inode *inode, uint32_t blocks, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const uint32_t n = 1 + fresh_random(&seed) % 3, at = fresh_random(&seed) % (blocks - n);

		write_block(inode, at, n, i);
	}
}

/* The volume is sound, and the placement knows where everything is. */
static void must_be_right(struct f2fs_inode *inode, uint32_t blocks)
{
	struct f2fs_check_result found = { F2FS_SIZED(f2fs_check_result) };

	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	for (uint32_t i = 0; i < blocks; i++) {
		f2fs_blk_t addr;

		fresh_need(&v, f2fs_inode_block(inode, i, &addr), "block");
		assert_int_equal(addr, book.where[i]);
	}
	fresh_need(&v, f2fs_check(v.ctx, v.dev, NULL, &found), "check");
	assert_int_equal(found.found, 0);
}

static void end(struct f2fs_inode *inode)
{
	f2fs_inode_close(inode);
	fresh_close(&v);
}

/* Each segment holds blocks of one stream. */
static void must_be_apart(uint32_t blocks)
{
	static int stream_of[100000];

	memset(stream_of, 0xff, sizeof(stream_of));
	for (uint32_t i = 0; i < blocks; i++) {
		const f2fs_seg_t segno = geometry_segment_of(&v.vol->geo, book.where[i]);

		if (stream_of[segno] >= 0 && stream_of[segno] != (int)(i % STREAMS))
			fail_msg("segment %u holds blocks of streams %d and %u", (unsigned)segno, stream_of[segno],
				 (unsigned)(i % STREAMS));
		stream_of[segno] = (int)(i % STREAMS);
	}
}

static void streams_are_apart_and_go_on(void **state)
{
	struct f2fs_inode *inode = begin(200, F2FS_LOGGING_NORMAL);
	struct f2fs_stream_stat stat = { F2FS_SIZED(f2fs_stream_stat) };

	(void)state;
	fill(inode, 1024);
	for (unsigned i = 0; i < 20; i++) {
		overwrite(inode, 1024, 20);
		fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	}
	must_be_right(inode, 1024);
	must_be_apart(1024);
	f2fs_volume_streams(v.vol, &stat);
	assert_int_equal(stat.refused, 0);
	/* 256 blocks each, and some 200 in twenty transactions: two segments each, not twenty */
	assert_true(stat.segments >= STREAMS && stat.segments <= 2 * STREAMS);
	for (unsigned i = 0; i < STREAMS; i++)
		assert_true(stat.blocks[i] > 256);
	end(inode);
}

static void gc_reports_moved_blocks(void **state)
{
	(void)state;
	for (unsigned moves = 0; moves < 2; moves++) {
		struct f2fs_inode *inode = begin_as(120, F2FS_LOGGING_NORMAL, 1);
		const uint32_t blocks = 5000;

		book.moves = moves;
		fill(inode, blocks);
		overwrite(inode, blocks, 12000);
		assert_true(book.moved > 500);
		must_be_right(inode, blocks);
		end(inode);
	}
}

static void little_room_is_no_failure(void **state)
{
	static const uint8_t ways[] = { F2FS_LOGGING_ADAPTIVE, F2FS_LOGGING_NORMAL, F2FS_LOGGING_THREADED };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct f2fs_inode *inode = begin(120, ways[i]);
		struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
		uint32_t blocks;

		book.moves = true;
		f2fs_volume_statfs(v.vol, &st);
		blocks = (uint32_t)(st.user_blocks - st.valid_blocks) * 97 / 100;
		blocks = blocks < BLOCKS ? blocks : BLOCKS;
		fill(inode, blocks);
		overwrite(inode, blocks, 6000);
		must_be_right(inode, blocks);
		end(inode);
	}
}

static void rubbish_is_no_failure(void **state)
{
	struct f2fs_inode *inode = begin(120, F2FS_LOGGING_ADAPTIVE);

	(void)state;
	book.answers_rubbish = true;
	fill(inode, 5000);
	overwrite(inode, 5000, 5000);
	must_be_right(inode, 5000);
	end(inode);
}

static void frees_are_reported(void **state)
{
	struct f2fs_inode *inode = begin(120, F2FS_LOGGING_ADAPTIVE);

	(void)state;
	fill(inode, 3000);
	fresh_need(&v, f2fs_inode_truncate(inode, 1000 * (uint64_t)BLOCK), "truncate");
	assert_int_equal(book.freed, 2000);
	must_be_right(inode, 3000);
	end(inode);
}

/* A transaction that was rolled back: streams continue from the last commit. */
static void discarding_is_no_harm(void **state)
{
	struct f2fs_inode *inode = begin(120, F2FS_LOGGING_ADAPTIVE);
	struct f2fs_check_result found = { F2FS_SIZED(f2fs_check_result) };

	(void)state;
	fill(inode, 2000);
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	for (unsigned i = 0; i < 10; i++) {
		f2fs_blk_t where[BLOCKS];

		memcpy(where, book.where, sizeof(where));
		overwrite(inode, 2000, 300 * i);
		f2fs_volume_rollback(v.vol);
		memcpy(book.where, where, sizeof(where));
		overwrite(inode, 2000, 100);
		must_be_right(inode, 2000);
	}
	f2fs_inode_close(inode);
	fresh_need(&v, f2fs_check(v.ctx, v.dev, NULL, &found), "check");
	assert_int_equal(found.found, 0);
	fresh_close(&v);
}

static void must_read(struct f2fs_inode *inode, uint32_t block, uint32_t value)
{
	uint32_t number;
	size_t done;

	fresh_need(&v, f2fs_inode_read(inode, (uint64_t)block * BLOCK, &number, 4, &done), "read");
	assert_int_equal(number, block * 7 + value);
}

static uint64_t requests(void)
{
	struct f2fs_counters counters = { F2FS_SIZED(f2fs_counters) };
	uint64_t sum = 0;

	f2fs_volume_counters(v.vol, &counters);
	for (unsigned i = 0; i < F2FS_WRITE_CAUSES; i++)
		sum += counters.requests[i];
	return sum;
}

/* Blocks that wait in streams are read from there; an fsync writes those of its own file only. */
static void reading_writes_nothing(void **state)
{
	struct f2fs_inode *inode = begin(120, F2FS_LOGGING_ADAPTIVE), *other;
	struct f2fs_stream_stat stat = { F2FS_SIZED(f2fs_stream_stat) };
	uint64_t before;

	(void)state;
	other = fresh_make(&v, "other", 0100644);
	book.other = f2fs_inode_number(other);
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	write_block(inode, 0, 1, 0);
	fresh_need(&v, f2fs_inode_write(other, 0, bytes, 50 * BLOCK), "write");
	for (uint32_t i = 0; i < 100; i++)
		write_block(inode, i, 1, 0);
	before = requests();
	for (uint32_t i = 0; i < 100; i++)
		must_read(inode, i, 0);
	assert_int_equal(requests(), before);
	f2fs_volume_streams(v.vol, &stat);
	assert_int_equal(stat.submissions, 0);
	/* blocks 0, 4, 8, ... wait in the first stream, and so on; of the other file nothing is in the first three */
	fresh_need(&v, f2fs_fsync(other, 0), "fsync");
	f2fs_volume_streams(v.vol, &stat);
	assert_int_equal(stat.submissions, 1);
	fresh_need(&v, f2fs_fsync(inode, 0), "fsync");
	f2fs_volume_streams(v.vol, &stat);
	assert_int_equal(stat.submissions, STREAMS);
	assert_int_equal(stat.partial, STREAMS);
	must_be_right(inode, 100);
	f2fs_inode_close(other);
	end(inode);
}

static void blocks_wait(void **state)
{
	struct f2fs_inode *inode = begin(200, F2FS_LOGGING_ADAPTIVE);
	struct f2fs_stream_stat stat = { F2FS_SIZED(f2fs_stream_stat) };

	(void)state;
	book.level = 3;
	fill(inode, 2048);
	f2fs_volume_streams(v.vol, &stat);
	assert_int_equal(stat.held, 1024);
	assert_int_equal(book.written, 1024);
	for (unsigned i = 1; i <= 5; i++) { /* again and again: written once */
		for (uint32_t k = 1; k < 100; k += 2)
			write_block(inode, k, 1, i);
	}
	must_read(inode, 1, 5);
	must_read(inode, 101, 0);
	f2fs_volume_streams(v.vol, &stat);
	assert_int_equal(stat.saved, 250);
	assert_int_equal(book.written, 1024);
	must_be_right(inode, 2048);
	assert_int_equal(book.written, 2048);
	must_read(inode, 1, 5);
	/* too many to wait: rounds end, and the oldest are written */
	fill(inode, BLOCKS);
	fill(inode, BLOCKS);
	assert_true(v.vol->txn->waiting_blocks <= 4096 + 256);
	must_be_right(inode, BLOCKS);
	end(inode);
}

static void must_refuse(const struct f2fs_placement *p, int code)
{
	assert_int_equal(f2fs_volume_set_placement(v.vol, p), code);
}

static void what_cannot_be_is_refused(void **state)
{
	struct f2fs_placement p = placement;
	struct f2fs_inode *inode = begin(120, F2FS_LOGGING_ADAPTIVE);

	(void)state;
	must_refuse(&p, F2FS_ERR_STATE);
	must_refuse(NULL, F2FS_ERR_STATE);
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	p.streams = 0;
	must_refuse(&p, F2FS_ERR_INVALID);
	p.streams = F2FS_STREAMS + 1;
	must_refuse(&p, F2FS_ERR_INVALID);
	p.streams = F2FS_STREAMS;
	must_refuse(&p, F2FS_ERR_NOSPC); /* 88 free sections are needed */
	p.streams = 1;
	p.classify = NULL;
	must_refuse(&p, F2FS_ERR_INVALID);
	assert_ptr_equal(v.vol->streams->placement.classify, classify); /* the old placement stays */
	fresh_need(&v, f2fs_volume_set_placement(v.vol, NULL), "none");
	assert_null(v.vol->streams);
	f2fs_inode_close(inode);
	fresh_close(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_are_apart_and_go_on),	 cmocka_unit_test(gc_reports_moved_blocks),
		cmocka_unit_test(little_room_is_no_failure),	 cmocka_unit_test(rubbish_is_no_failure),
		cmocka_unit_test(frees_are_reported),		 cmocka_unit_test(discarding_is_no_harm),
		cmocka_unit_test(reading_writes_nothing),	 cmocka_unit_test(blocks_wait),
		cmocka_unit_test(what_cannot_be_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
