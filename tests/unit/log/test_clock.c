/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The volume's clock: its advance, its stored value, and the ages of segments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/fresh.h"
#include "log/run.h"
#include "log/segments.h"
#include "log/txn.h"

#define MIB (1u << 20)
#define START INT64_C(1700000000000000000)
#define SECOND INT64_C(1000000000)
#define DAY (24 * 60 * 60)

static struct fresh v;
static int64_t host_now;

static int64_t tell_now(void *user)
{
	(void)user;
	return host_now;
}

static void open_ticking(void)
{
	struct f2fs_host host = { F2FS_SIZED(f2fs_host) };
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options) };

	host.now_ns = tell_now;
	host_now = START;
	fresh_open_on(&v, &host, 64 * MIB, &options);
}

static uint64_t stored_clock(void)
{
	return cp_elapsed_time(v.vol->view->cp);
}

/* The mean age of the segment with a file's first block, as the device has it. */
static uint64_t mtime_of(const char *path, f2fs_seg_t *segno)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(v.vol);
	struct f2fs_segment_info entry;
	struct f2fs_inode *inode;
	f2fs_blk_t addr;

	assert_int_equal(f2fs_lookup(v.vol, path, 0, &inode), 0);
	assert_int_equal(f2fs_inode_block(inode, 0, &addr), 0);
	f2fs_inode_close(inode);
	*segno = geometry_segment_of(geo, addr);
	assert_int_equal(f2fs_sit_lookup(v.vol, *segno, &entry), 0);
	return entry.mtime;
}

static void write_file(const char *name, size_t size)
{
	static uint8_t bytes[4 * MIB];
	struct f2fs_inode *inode = fresh_make(&v, name, 0100644);

	assert_int_equal(f2fs_inode_write(inode, 0, bytes, size), 0);
	f2fs_inode_close(inode);
}

static void commits_store_what_went_by(void **state)
{
	const uint64_t first = (open_ticking(), stored_clock());

	(void)state;
	host_now += 1000 * SECOND + 5;
	assert_int_equal(f2fs_volume_clock(v.vol), first + 1000);
	write_file("a", 4096);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(stored_clock(), first + 1000);
	host_now += 999 * SECOND + 999999999; /* fractions add up over commits */
	write_file("b", 4096);
	fresh_reopen(&v);
	assert_int_equal(stored_clock(), first + 2000);
	/* a time at which the volume was not open does not count, nor does one that is dropped */
	host_now += 500 * SECOND;
	write_file("c", 4096);
	f2fs_volume_rollback(v.vol);
	assert_int_equal(stored_clock(), first + 2000);
	assert_int_equal(f2fs_volume_clock(v.vol), first + 2500);
	fresh_close(&v);
}

static void it_never_goes_back(void **state)
{
	uint64_t before;

	(void)state;
	open_ticking();
	host_now += 100 * SECOND;
	write_file("a", 4096);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	before = stored_clock();
	host_now = START - 5000 * SECOND;
	write_file("b", 4096);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(stored_clock(), before);
	host_now = INT64_MIN;
	assert_int_equal(f2fs_volume_clock(v.vol), before);
	fresh_close(&v);
}

static void it_stands_when_told(void **state)
{
	const struct f2fs_write_options still = { F2FS_SIZED(f2fs_write_options), .clock_stands = 1 },
					wrong = { F2FS_SIZED(f2fs_write_options), .clock_stands = 2 };
	uint64_t first;

	(void)state;
	open_ticking();
	first = stored_clock();
	assert_int_equal(f2fs_volume_configure(v.vol, &wrong), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_volume_configure(v.vol, &still), 0);
	host_now += 1000 * SECOND;
	write_file("a", 4096);
	assert_int_equal(f2fs_volume_elapse(v.vol, 7), 0);
	fresh_reopen(&v);
	assert_int_equal(stored_clock(), first + 7);
	fresh_close(&v);
}

static void time_can_be_let_go_by(void **state)
{
	uint64_t first, old, new;
	f2fs_seg_t old_segno, new_segno;

	(void)state;
	fresh_open(&v, 64 * MIB, 0); /* no clock at all */
	first = stored_clock();
	write_file("old", 4 * MIB);
	assert_int_equal(f2fs_volume_elapse(v.vol, 30 * DAY), 0);
	write_file("new", 4 * MIB);
	assert_int_equal(f2fs_volume_elapse(v.vol, UINT64_MAX), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_volume_elapse(v.vol, UINT64_C(1) << 54), F2FS_ERR_RANGE);
	fresh_reopen(&v);
	assert_int_equal(stored_clock(), first + 30 * DAY);
	old = mtime_of("/old", &old_segno);
	new = mtime_of("/new", &new_segno);
	assert_int_not_equal(old_segno, new_segno);
	assert_true(old < first + DAY);
	assert_true(new > first + 29 * DAY);
	fresh_close(&v);
}

static void cut_file(const char *path, uint64_t size)
{
	struct f2fs_inode *inode;

	assert_int_equal(f2fs_lookup(v.vol, path, 0, &inode), 0);
	assert_int_equal(f2fs_inode_truncate(inode, size), 0);
	f2fs_inode_close(inode);
}

/* Block by block, as the kernel's update_segment_mtime() has it. */
static void segments_have_the_mean(void **state)
{
	f2fs_seg_t segno;
	f2fs_blk_t start;
	struct segment *s;
	uint64_t mean = 0;

	(void)state;
	fresh_open(&v, 64 * MIB, 0);
	assert_int_equal(f2fs_volume_elapse(v.vol, 100), 0);
	assert_int_equal(txn_begin(v.vol, NULL), 0);
	segno = v.vol->geo.segment_count_main - 1;
	start = geometry_segment_start(&v.vol->geo, segno);
	assert_int_equal(segment_get(v.vol->txn, segno, &s), 0);
	assert_int_equal(s->valid, 0);
	for (uint32_t i = 0; i < 300; i++) {
		const bool is_valid = i < 200;

		v.vol->txn->now = 100 + i * 37;
		mean = mean ? (mean * s->valid + v.vol->txn->now) / (s->valid + 1u) : v.vol->txn->now;
		assert_int_equal(segment_mark(v.vol->txn, start + i % 200, is_valid), 0);
		assert_int_equal(s->mtime, mean);
	}
	/* the handed-on age counts only for blocks that are taken */
	v.vol->txn->moved_mtime = 5;
	assert_int_equal(segment_mark(v.vol->txn, start, true), 0);
	mean = (mean * 100 + 5) / 101;
	assert_int_equal(s->mtime, mean);
	assert_int_equal(segment_mark(v.vol->txn, start, false), 0);
	assert_int_equal(s->mtime, (mean * 101 + v.vol->txn->now) / 102);
	txn_of(v.vol)->moved_mtime = 0;
	/* damage: it comes out no later than now */
	s->mtime = UINT64_MAX;
	assert_int_equal(segment_mark(v.vol->txn, start, true), 0);
	assert_int_equal(s->mtime, v.vol->txn->now);
	txn_drop(v.vol);
	fresh_close(&v);
}

/* Cleaning by age hands the age on; by other policies moved blocks are new. */
static void age_is_handed_on(void **state)
{
	static const struct {
		unsigned policy;
		bool is_old;
	} rows[] = { { F2FS_GC_AGE, true }, { F2FS_GC_GREEDY, false }, { F2FS_GC_COST_BENEFIT, false } };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options), .policy = rows[i].policy,
							 .used_limit = 100 };
		struct f2fs_gc_result result = { F2FS_SIZED(f2fs_gc_result) };
		f2fs_seg_t before, after;
		uint64_t first;

		fresh_open(&v, 64 * MIB, 0);
		first = stored_clock();
		/* a segment of the oldest, with a hole; all within a week: then nothing has to be older */
		assert_int_equal(f2fs_volume_elapse(v.vol, DAY), 0);
		write_file("old", MIB);
		write_file("more", MIB);
		assert_int_equal(f2fs_volume_elapse(v.vol, DAY), 0);
		write_file("new", 4 * MIB);
		fresh_reopen(&v);
		mtime_of("/old", &before);
		assert_int_equal(f2fs_volume_elapse(v.vol, DAY), 0);
		cut_file("/more", MIB - 40960);
		assert_int_equal(f2fs_volume_commit(v.vol), 0);
		assert_int_equal(f2fs_gc(v.vol, &options, &result), 0);
		assert_true(result.sections > 0);
		if (mtime_of("/old", &after) <= first + 2 * DAY)
			assert_true(rows[i].is_old);
		else
			assert_false(rows[i].is_old);
		assert_int_not_equal(before, after);
		fresh_close(&v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commits_store_what_went_by),
		cmocka_unit_test(it_never_goes_back),
		cmocka_unit_test(it_stands_when_told),
		cmocka_unit_test(time_can_be_let_go_by),
		cmocka_unit_test(segments_have_the_mean),
		cmocka_unit_test(age_is_handed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
