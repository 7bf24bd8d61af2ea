/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cleaning by itself: changes of volumes that are nearly full, or have no free section, find room while users have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/fresh.h"
#include "log/run.h"

#define MIB (1u << 20)
#define BLOCK 4096u
#define STEP 256u

static struct fresh v;
static uint8_t bytes[STEP * BLOCK];
static uint32_t seed;

static void configure(uint8_t logging, bool commits, bool cleans)
{
	const struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options),
						    .logging = logging, .commit_when_full = commits };
	const struct f2fs_gc_options cleaning = { F2FS_SIZED(f2fs_gc_options) };

	fresh_need(&v, f2fs_volume_configure(v.vol, &options), "configure");
	fresh_need(&v, f2fs_volume_set_gc(v.vol, cleans ? &cleaning : NULL), "set cleaning");
}

static uint64_t room(void)
{
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };

	f2fs_volume_statfs(v.vol, &st);
	return st.user_blocks - st.valid_blocks;
}

/* One file with a share of what users may have; each block holds its number. */
static struct f2fs_inode *fill(unsigned percent, uint32_t *blocks)
{
	struct f2fs_inode *inode = fresh_make(&v, "data", 0100644);

	*blocks = (uint32_t)(room() * percent / 100);
	for (uint32_t i = 0; i < *blocks; i += STEP) {
		const uint32_t n = *blocks - i < STEP ? *blocks - i : STEP;

		for (uint32_t k = 0; k < n; k++) {
			const uint32_t number = i + k;

			memcpy(bytes + (size_t)k * BLOCK, &number, 4);
		}
		fresh_need(&v, f2fs_inode_write(inode, (uint64_t)i * BLOCK, bytes, (size_t)n * BLOCK), "fill");
	}
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	return inode;
}

static int overwrite(struct f2fs_inode *inode, uint32_t blocks, unsigned count)
{
	int err = 0;

	for (unsigned i = 0; i < count && !err; i++) {
		const uint32_t at = fresh_random(&seed) % blocks;

		memcpy(bytes, &at, 4);
		err = f2fs_inode_write(inode, (uint64_t)at * BLOCK, bytes, BLOCK);
	}
	return err;
}

static void must_be_whole(struct f2fs_inode **inode, uint32_t blocks)
{
	struct f2fs_check_result found = { F2FS_SIZED(f2fs_check_result) };

	fresh_reopen_keep(&v, inode, "/data");
	for (uint32_t i = 0; i < blocks; i++) {
		uint32_t number;
		size_t done;

		fresh_need(&v, f2fs_inode_read(*inode, (uint64_t)i * BLOCK, &number, 4, &done), "read");
		assert_int_equal(number, i);
	}
	fresh_need(&v, f2fs_check(v.ctx, v.dev, NULL, &found), "check");
	assert_int_equal(found.found, 0);
}

static void must_say(const char *words)
{
	if (!strstr(f2fs_context_error(v.ctx)->message, words))
		fail_msg("no \"%s\" in: %s", words, f2fs_context_error(v.ctx)->message);
}

/* Normal logging: without cleaning there is soon no free segment, with it changes continue at any share. */
static void normal_logging_goes_on(void **state)
{
	static const unsigned shares[] = { 60, 99 };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct f2fs_inode *inode;
		uint32_t blocks;

		seed = 1;
		fresh_open(&v, 100 * MIB, 0);
		configure(F2FS_LOGGING_NORMAL, true, true);
		inode = fill(shares[i], &blocks);
		fresh_need(&v, overwrite(inode, blocks, 3000), "overwrite");
		must_be_whole(&inode, blocks);
		f2fs_inode_close(inode);
		fresh_close(&v);
	}
}

/* Limits are for each run: a change that needs more has it run again. */
static void limits_leave_no_change_without_room(void **state)
{
	static const struct f2fs_gc_options limits[] = {
		{ F2FS_SIZED(f2fs_gc_options), .sections = 1 },
		{ F2FS_SIZED(f2fs_gc_options), .bytes = 1 },
		{ F2FS_SIZED(f2fs_gc_options), .blocks = 1, .free_goal = 1 },
		{ F2FS_SIZED(f2fs_gc_options), .sections = 1, .policy = 1 },
	};
	const struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options),
						    .logging = F2FS_LOGGING_NORMAL, .commit_when_full = 1 };

	(void)state;
	for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct f2fs_inode *inode;
		uint32_t blocks;

		seed = 3;
		fresh_open(&v, 100 * MIB, 0);
		fresh_need(&v, f2fs_volume_configure(v.vol, &options), "configure");
		fresh_need(&v, f2fs_volume_set_gc(v.vol, &limits[i]), "set cleaning");
		inode = fill(99, &blocks);
		fresh_need(&v, overwrite(inode, blocks, 2500), "overwrite");
		must_be_whole(&inode, blocks);
		f2fs_inode_close(inode);
		fresh_close(&v);
	}
}

/* Blocks that cleaning moves while a nearly full volume is overwritten. */
static uint64_t moved_by(const struct f2fs_gc_options *cleaning)
{
	const struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options),
						    .logging = F2FS_LOGGING_NORMAL, .commit_when_full = 1,
						    .at_once = 1 };
	struct f2fs_inode *inode;
	uint32_t blocks;
	uint64_t moved;

	seed = 5;
	fresh_open(&v, 200 * MIB, 0);
	fresh_need(&v, f2fs_volume_configure(v.vol, &options), "configure");
	fresh_need(&v, f2fs_volume_set_gc(v.vol, cleaning), "set cleaning");
	inode = fill(94, &blocks);
	fresh_need(&v, overwrite(inode, blocks, 4000), "overwrite");
	moved = v.vol->counters.gc_blocks;
	f2fs_inode_close(inode);
	fresh_close(&v);
	return moved;
}

/* The reserve is free space outside the sections in use, so these are fuller and cost more moves. */
static void little_is_won_at_a_time_where_little_is_unused(void **state)
{
	const struct f2fs_gc_options usual = { F2FS_SIZED(f2fs_gc_options) };
	const struct f2fs_gc_options four = { F2FS_SIZED(f2fs_gc_options), .free_goal = 4 };
	const uint64_t ours = moved_by(&usual), others = moved_by(&four);

	(void)state;
	if (ours == 0 || ours * 4 > others * 3)
		fail_msg("%llu blocks moved, %llu by four sections", (unsigned long long)ours,
			 (unsigned long long)others);
}

static void without_leave_it_says_so(void **state)
{
	struct f2fs_inode *inode;
	uint32_t blocks;

	(void)state;
	seed = 1;
	fresh_open(&v, 100 * MIB, 0);
	configure(F2FS_LOGGING_NORMAL, true, false);
	inode = fill(80, &blocks);
	assert_int_equal(overwrite(inode, blocks, 20000), F2FS_ERR_NOSPC);
	must_say("GC could free up to ");
	must_say("f2fs_volume_set_gc");
	f2fs_volume_rollback(v.vol);
	configure(F2FS_LOGGING_NORMAL, false, true);
	assert_int_equal(overwrite(inode, blocks, 20000), F2FS_ERR_NOSPC);
	must_say("commit_when_full");
	f2fs_volume_rollback(v.vol);
	/* between transactions it needs no leave */
	for (unsigned i = 0; i < 30; i++) {
		fresh_need(&v, overwrite(inode, blocks, 200), "overwrite");
		fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	}
	must_be_whole(&inode, blocks);
	f2fs_inode_close(inode);
	fresh_close(&v);
}

/* GC before the first change is no part of it: a rollback restores the old contents. */
static void all_or_nothing_holds(void **state)
{
	struct f2fs_inode *inode;
	uint32_t blocks;
	uint64_t version;

	(void)state;
	seed = 1;
	fresh_open(&v, 100 * MIB, 0);
	configure(F2FS_LOGGING_NORMAL, true, false);
	inode = fill(80, &blocks);
	while (overwrite(inode, blocks, 10) == 0)
		fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	f2fs_volume_rollback(v.vol);
	configure(F2FS_LOGGING_NORMAL, false, true);
	version = cp_checkpoint_ver(v.vol->view->cp);
	memset(bytes, 0xff, BLOCK);
	fresh_need(&v, f2fs_inode_write(inode, 0, bytes, BLOCK), "write");
	assert_true(cp_checkpoint_ver(v.vol->view->cp) > version);
	version = cp_checkpoint_ver(v.vol->view->cp);
	fresh_need(&v, f2fs_inode_write(inode, 5 * BLOCK, bytes, BLOCK), "write");
	assert_int_equal(cp_checkpoint_ver(v.vol->view->cp), version);
	f2fs_volume_rollback(v.vol);
	must_be_whole(&inode, blocks);
	f2fs_inode_close(inode);
	fresh_close(&v);
}

/* Segments of data with holes are no help to nodes: they need free ones. */
static void nodes_find_room(void **state)
{
	(void)state;
	for (unsigned cleans = 0; cleans < 2; cleans++) {
		struct f2fs_inode *inode;
		uint32_t blocks;
		int err = 0;
		unsigned n = 0;

		fresh_open(&v, 300 * MIB, 0);
		configure(F2FS_LOGGING_ADAPTIVE, true, cleans);
		inode = fill(96, &blocks);
		/* half of the blocks, each second one */
		for (uint32_t i = 0; i < blocks - 40; i += 2)
			fresh_need(&v, f2fs_fallocate(inode, F2FS_FALLOCATE_PUNCH_HOLE | F2FS_FALLOCATE_KEEP_SIZE,
						      (uint64_t)i * BLOCK, BLOCK),
				   "punch");
		fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
		while (!err && room() > 100) {
			const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0040755 };
			struct f2fs_inode *root, *made;
			char name[20];

			snprintf(name, sizeof(name), "%u", n++);
			fresh_need(&v, f2fs_lookup(v.vol, "/", 0, &root), "root");
			err = f2fs_create(root, name, strlen(name), &spec, &made);
			f2fs_inode_close(root);
			if (!err)
				f2fs_inode_close(made);
		}
		if (cleans)
			fresh_need(&v, err, "create");
		else
			assert_int_equal(err, F2FS_ERR_NOSPC);
		f2fs_inode_close(inode);
		fresh_close(&v);
	}
}

/* Make a volume whose sections are all in use, each in part. */
static struct f2fs_inode *scatter(uint32_t *blocks)
{
	struct f2fs_inode *inode = fill(90, blocks);

	for (uint32_t i = 1; i < *blocks; i += 2)
		fresh_need(&v, f2fs_fallocate(inode, F2FS_FALLOCATE_PUNCH_HOLE | F2FS_FALLOCATE_KEEP_SIZE,
					      (uint64_t)i * BLOCK, BLOCK),
			   "punch");
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	return inode;
}

static int preallocate_into(struct f2fs_inode *file, uint64_t size)
{
	const struct f2fs_stat pin = { .inline_flags = FLAG_i_inline_pin_file };

	fresh_need(&v, f2fs_inode_set(file, F2FS_SET_PIN, &pin), "pin");
	return f2fs_fallocate(file, 0, 0, size);
}

static int preallocate(uint64_t size)
{
	struct f2fs_inode *file = fresh_make(&v, "pinned", 0100644);
	int err = preallocate_into(file, size);

	f2fs_inode_close(file);
	return err;
}

static void pinned_files_get_their_sections(void **state)
{
	struct f2fs_inode *inode;
	uint32_t blocks;

	(void)state;
	fresh_open(&v, 100 * MIB, 0);
	configure(F2FS_LOGGING_ADAPTIVE, true, false);
	inode = scatter(&blocks);
	assert_int_equal(preallocate(24 * MIB), F2FS_ERR_NOSPC);
	must_say("GC could free up to ");
	f2fs_volume_rollback(v.vol);
	configure(F2FS_LOGGING_ADAPTIVE, true, true);
	fresh_need(&v, preallocate(24 * MIB), "preallocate");
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	/* more than there is: the numbers are reported, and the volume does not change */
	f2fs_inode_close(inode);
	fresh_reopen(&v);
	configure(F2FS_LOGGING_ADAPTIVE, true, true);
	{
		struct f2fs_check_result found = { F2FS_SIZED(f2fs_check_result) };

		fresh_need(&v, f2fs_check(v.ctx, v.dev, NULL, &found), "check");
		assert_int_equal(found.found, 0);
	}
	fresh_close(&v);
}

static void what_cannot_be_won_is_told(void **state)
{
	const struct f2fs_gc_options none = { F2FS_SIZED(f2fs_gc_options), .used_limit = 1 };
	struct f2fs_inode *inode;
	uint32_t blocks;

	(void)state;
	fresh_open(&v, 100 * MIB, 0);
	configure(F2FS_LOGGING_ADAPTIVE, true, false);
	inode = scatter(&blocks);
	fresh_need(&v, f2fs_volume_set_gc(v.vol, &none), "set cleaning");
	assert_int_equal(preallocate(24 * MIB), F2FS_ERR_NOSPC);
	must_say("a pinned file needs 12 free sections");
	must_say("; GC emptied 0 sections: ");
	assert_int_equal(f2fs_volume_transaction(v.vol), F2FS_TRANSACTION_OPEN);
	f2fs_volume_rollback(v.vol);
	f2fs_inode_close(inode);
	fresh_close(&v);
}

/* Zoned volumes have no holes to fill: all that is freed comes back by cleaning. */
static void zoned_volumes_go_on(void **state)
{
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .feature = F2FS_FEAT_LOST_FOUND };
	const struct f2fs_zone_options zones = { F2FS_SIZED(f2fs_zone_options),
						 .zone_bytes = 4 * MIB, .conventional = 12 };

	(void)state;
	for (unsigned cleans = 0; cleans < 2; cleans++) {
		struct f2fs_inode *inode;
		uint32_t blocks;
		int err;

		seed = 1;
		fresh_open_zoned(&v, 256 * MIB, &options, &zones);
		configure(F2FS_LOGGING_ADAPTIVE, true, cleans);
		inode = fill(70, &blocks);
		err = overwrite(inode, blocks, 20000);
		if (cleans) {
			fresh_need(&v, err, "overwrite");
			must_be_whole(&inode, blocks);
		} else {
			assert_int_equal(err, F2FS_ERR_NOSPC);
		}
		f2fs_inode_close(inode);
		fresh_close(&v);
	}
}

/* ---- writing and cleaning at random, held against a model ---- */

struct model {
	struct f2fs_inode *inode;
	uint32_t blocks;
	uint32_t *now; /* what each block holds, 0: a hole */
	uint32_t last;
};

static void must_match(struct model *m)
{
	static uint8_t piece[STEP * BLOCK];
	struct f2fs_check_result found = { F2FS_SIZED(f2fs_check_result) };

	fresh_reopen_keep(&v, &m->inode, "/data");
	for (uint32_t i = 0; i < m->blocks; i += STEP) {
		size_t done;

		fresh_need(&v, f2fs_inode_read(m->inode, (uint64_t)i * BLOCK, piece, sizeof(piece), &done), "read");
		for (uint32_t k = 0; k < STEP && i + k < m->blocks; k++) {
			uint32_t number;

			memcpy(&number, piece + (size_t)k * BLOCK, 4);
			assert_int_equal(number, m->now[i + k]);
		}
	}
	fresh_need(&v, f2fs_check(v.ctx, v.dev, NULL, &found), "check");
	assert_int_equal(found.found, 0);
}

/* Write up to 64 blocks, as far as there is room for those that are new, with a few nodes. */
static void write_some(struct model *m)
{
	const uint32_t at = fresh_random(&seed) % (m->blocks - 64), want = 1 + fresh_random(&seed) % 64;
	const uint64_t left = room();
	uint32_t n = 0, fresh = 0;

	for (; n < want; n++) {
		fresh += m->now[at + n] == 0;
		if (fresh > 0 && fresh + 3 > left)
			break;
		m->now[at + n] = ++m->last;
		memcpy(bytes + (size_t)n * BLOCK, &m->last, 4);
	}
	if (n > 0)
		fresh_need(&v, f2fs_inode_write(m->inode, (uint64_t)at * BLOCK, bytes, (size_t)n * BLOCK), "write");
}

static void punch_some(struct model *m)
{
	const uint32_t at = fresh_random(&seed) % (m->blocks - 64), n = 1 + fresh_random(&seed) % 64;

	fresh_need(&v, f2fs_fallocate(m->inode, F2FS_FALLOCATE_PUNCH_HOLE | F2FS_FALLOCATE_KEEP_SIZE,
				      (uint64_t)at * BLOCK, (uint64_t)n * BLOCK),
		   "punch");
	memset(m->now + at, 0, n * sizeof(*m->now));
}

static void clean_some(void)
{
	const struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options), .policy = fresh_random(&seed) % 4,
						 .used_limit = 100, .sections = 1 + fresh_random(&seed) % 8,
						 .target = fresh_random(&seed) % 4 };
	struct f2fs_gc_result result = { F2FS_SIZED(f2fs_gc_result) };

	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	fresh_need(&v, f2fs_gc(v.vol, &options, &result), "clean");
	assert_int_equal(result.unconfirmed + result.unreadable, 0);
}

static void go_at_random(struct model *m, bool commits, unsigned steps)
{
	for (unsigned i = 0; i < steps; i++) {
		const unsigned what = fresh_random(&seed) % 100;

		if (what < 70)
			write_some(m);
		else if (what < 80)
			punch_some(m);
		else if (what < 84)
			fresh_need(&v, f2fs_fsync(m->inode, 0), "fsync");
		else if (what < 90)
			clean_some();
		else if (what < 96 || !commits)
			fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
		if (!commits && i % 4 == 0)
			fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	}
}

/* Whatever is written, as long as users have room for it: never NOSPC, however it is logged, with sections of any
 * size. */
static void full_volumes_take_what_users_have_room_for(void **state)
{
	static const struct {
		uint8_t logging, commits;
		uint32_t segments;
		unsigned steps;
		uint8_t target;
	} rows[] = { { F2FS_LOGGING_ADAPTIVE, true, 1, 1500, F2FS_GC_TO_LOG },
		     { F2FS_LOGGING_NORMAL, true, 1, 700, F2FS_GC_TO_LOG },
		     { F2FS_LOGGING_ADAPTIVE, false, 1, 700, F2FS_GC_TO_LOG },
		     { F2FS_LOGGING_ADAPTIVE, true, 4, 700, F2FS_GC_TO_LOG },
		     { F2FS_LOGGING_NORMAL, true, 1, 700, F2FS_GC_TO_HOLES },
		     { F2FS_LOGGING_ADAPTIVE, true, 4, 700, F2FS_GC_TO_HOLES },
		     { F2FS_LOGGING_NORMAL, true, 1, 700, F2FS_GC_TO_ADAPTIVE } };

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options),
							   .segs_per_sec = rows[i].segments };
		const struct f2fs_gc_options cleaning = { F2FS_SIZED(f2fs_gc_options), .target = rows[i].target };
		struct model m = { 0 };

		seed = i + 1;
		fresh_open_with(&v, (rows[i].segments > 1 ? 300 : 100) * (uint64_t)MIB, &options);
		configure(rows[i].logging, rows[i].commits, true);
		fresh_need(&v, f2fs_volume_set_gc(v.vol, &cleaning), "set cleaning");
		m.blocks = (uint32_t)room();
		m.now = calloc(m.blocks, sizeof(*m.now));
		m.inode = fresh_make(&v, "data", 0100644);
		fresh_need(&v, f2fs_inode_truncate(m.inode, (uint64_t)m.blocks * BLOCK), "truncate");
		for (uint32_t k = 0; k < m.blocks && room() > STEP + 20; k += STEP) {
			for (uint32_t n = 0; n < STEP; n++) {
				m.now[k + n] = ++m.last;
				memcpy(bytes + (size_t)n * BLOCK, &m.last, 4);
			}
			fresh_need(&v, f2fs_inode_write(m.inode, (uint64_t)k * BLOCK, bytes, sizeof(bytes)), "fill");
		}
		fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
		go_at_random(&m, rows[i].commits, rows[i].steps);
		must_match(&m);
		f2fs_inode_close(m.inode);
		free(m.now);
		fresh_close(&v);
	}
}

static void options_are_checked(void **state)
{
	const struct f2fs_gc_options wrong[] = {
		{ F2FS_SIZED(f2fs_gc_options), .policy = 99 },
		{ F2FS_SIZED(f2fs_gc_options), .used_limit = 101 },
		{ F2FS_SIZED(f2fs_gc_options), .dry_run = 1 },
		{ F2FS_SIZED(f2fs_gc_options), .target = F2FS_GC_TO_ADAPTIVE + 1 },
	};
	const struct f2fs_write_options bad[] = {
		{ F2FS_SIZED(f2fs_write_options), .logging = 3 },
		{ F2FS_SIZED(f2fs_write_options), .low_is_exact = 2 },
	};

	(void)state;
	fresh_open(&v, 64 * MIB, 0);
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(f2fs_volume_set_gc(v.vol, &wrong[i]), F2FS_ERR_INVALID);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(f2fs_volume_configure(v.vol, &bad[i]), F2FS_ERR_INVALID);
	for (unsigned i = 0; f2fs_logging_name(i); i++)
		assert_int_equal(f2fs_logging_find(f2fs_logging_name(i)), (int)i);
	assert_int_equal(f2fs_logging_find("other"), -1);
	fresh_close(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal_logging_goes_on),
		cmocka_unit_test(limits_leave_no_change_without_room),
		cmocka_unit_test(little_is_won_at_a_time_where_little_is_unused),
		cmocka_unit_test(without_leave_it_says_so),
		cmocka_unit_test(all_or_nothing_holds),
		cmocka_unit_test(nodes_find_room),
		cmocka_unit_test(pinned_files_get_their_sections),
		cmocka_unit_test(what_cannot_be_won_is_told),
		cmocka_unit_test(zoned_volumes_go_on),
		cmocka_unit_test(full_volumes_take_what_users_have_room_for),
		cmocka_unit_test(options_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
