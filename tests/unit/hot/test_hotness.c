/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Placements that learn: with any of them the volume is sound and has the right contents. M2H's sidecar comes back only
 * for the same state of the same volume. Failures only make them know less.
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
#include "log/streams.h"

#define MIB (1u << 20)
#define BLOCK 4096u
#define MANY 60000u /* blocks, of a volume that is nearly full with them */
#define FEW 16000u

static struct fresh v;
static struct f2fs_hotness *hot;
static uint8_t bytes[256 * BLOCK];
static uint32_t value[MANY];
static uint32_t blocks;
static uint32_t seed;

static void set_up(const struct f2fs_hotness_options *o)
{
	const struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options), .logging = F2FS_LOGGING_NORMAL,
						     .commit_when_full = 1,
						     .at_once = 1 };
	const struct f2fs_gc_options cleaning = { F2FS_SIZED(f2fs_gc_options),
						  .policy = o ? F2FS_GC_HOTNESS : F2FS_GC_GREEDY };

	fresh_need(&v, f2fs_volume_configure(v.vol, &options), "configure");
	fresh_need(&v, f2fs_volume_set_gc(v.vol, &cleaning), "cleaning");
	if (o)
		fresh_need(&v, f2fs_hotness_open(v.vol, o, &hot), "hotness");
}

static struct f2fs_inode *begin(const struct f2fs_hotness_options *o, uint32_t count)
{
	struct f2fs_inode *inode;

	seed = 3;
	hot = NULL;
	blocks = count;
	memset(value, 0, sizeof(value));
	fresh_open(&v, 360 * MIB, 0);
	set_up(o);
	inode = fresh_make(&v, "data", 0100644);
	for (uint32_t i = 0; i < blocks; i += 250) {
		for (uint32_t k = 0; k < 250; k++) {
			value[i + k] = i + k;
			memcpy(bytes + (size_t)k * BLOCK, &value[i + k], 4);
		}
		fresh_need(&v, f2fs_inode_write(inode, (uint64_t)i * BLOCK, bytes, 250 * BLOCK), "fill");
	}
	return inode;
}

static void overwrite(struct f2fs_inode *inode, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		/* a tenth, anywhere, takes nine of ten writes */
		const uint32_t at = fresh_random(&seed) % 10 ? fresh_random(&seed) % (blocks / 10) * 7 % blocks
						       : fresh_random(&seed) % blocks;

		value[at] = fresh_random(&seed);
		memcpy(bytes, &value[at], 4);
		fresh_need(&v, f2fs_inode_write(inode, (uint64_t)at * BLOCK, bytes, BLOCK), "write");
	}
}

/* Products of three even numbers: blocks are of all degrees of heat, so that distances foretell what comes. */
static void overwrite_skewed(struct f2fs_inode *inode, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const uint64_t near = fresh_random(&seed) % blocks;
		const uint64_t nearer = near * (fresh_random(&seed) % blocks) / blocks;
		const uint32_t at = (uint32_t)(nearer * (fresh_random(&seed) % blocks) / blocks);

		value[at] = fresh_random(&seed);
		memcpy(bytes, &value[at], 4);
		fresh_need(&v, f2fs_inode_write(inode, (uint64_t)at * BLOCK, bytes, BLOCK), "write");
	}
}

static void must_be_right(struct f2fs_inode *inode)
{
	struct f2fs_check_result found = { F2FS_SIZED(f2fs_check_result) };

	for (unsigned times = 0; times < 2; times++) {
		for (uint32_t i = 0; i < blocks; i++) {
			uint32_t number;
			size_t done;

			fresh_need(&v, f2fs_inode_read(inode, (uint64_t)i * BLOCK, &number, 4, &done), "read");
			assert_int_equal(number, value[i]);
		}
		fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	}
	fresh_need(&v, f2fs_check(v.ctx, v.dev, NULL, &found), "check");
	assert_int_equal(found.found, 0);
}

static uint64_t moved(void)
{
	struct f2fs_counters c = { F2FS_SIZED(f2fs_counters) };

	f2fs_volume_counters(v.vol, &c);
	return c.bytes[F2FS_WRITE_MOVED_DATA] / BLOCK;
}

static void end(struct f2fs_inode *inode)
{
	f2fs_inode_close(inode);
	fresh_need(&v, f2fs_hotness_close(hot), "close");
	fresh_close(&v);
}

/* Writes go to several streams, cleaning moves some of the blocks, and the contents are right. */
static void all_are_sound(void **state)
{
	static const struct f2fs_hotness_options ways[] = {
		{ F2FS_SIZED(f2fs_hotness_options), .method = F2FS_HOTNESS_M2H, .delays = 1 },
		{ F2FS_SIZED(f2fs_hotness_options), .method = F2FS_HOTNESS_M2H, .by_logarithm = 1, .moves_apart = 1,
		  .samples_halves = 1 },
		{ F2FS_SIZED(f2fs_hotness_options), .method = F2FS_HOTNESS_DEATH, .range_blocks = 1, .streams = 8 },
		{ F2FS_SIZED(f2fs_hotness_options), .method = F2FS_HOTNESS_LIFESPAN },
		{ F2FS_SIZED(f2fs_hotness_options), .method = F2FS_HOTNESS_ADAPTIVE },
	};
	static const unsigned streams_of[] = { 10, 8, 6 };

	(void)state;
	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct f2fs_inode *inode = begin(&ways[i], MANY);
		struct f2fs_stream_stat streams = { F2FS_SIZED(f2fs_stream_stat) };
		struct f2fs_hotness_stat stat = { F2FS_SIZED(f2fs_hotness_stat) };
		unsigned used = 0;

		(ways[i].method == F2FS_HOTNESS_ADAPTIVE ? overwrite_skewed : overwrite)(inode, 40000);
		f2fs_hotness_stat(hot, &stat);
		f2fs_volume_streams(v.vol, &streams);
		assert_true(stat.written > 60000 && stat.known > 20000 && stat.classes > 1 && stat.memory > 0);
		if (ways[i].method == F2FS_HOTNESS_M2H)
			assert_true(stat.memory <= 8ull * F2FS_SEGMENT_BLOCKS * v.vol->geo.segment_count_main);
		if (ways[i].method == F2FS_HOTNESS_ADAPTIVE) /* as many as there is room for */
			assert_int_equal(placement_of(v.vol)->streams, stat.classes - 1);
		else
			assert_int_equal(placement_of(v.vol)->streams, streams_of[ways[i].method]);
		assert_int_equal(stat.separates, 1); /* this load can be predicted */
		if (i < 2)
			assert_true(stat.clusterings > 0 && stat.rounds > 0);
		for (unsigned k = 0; k < F2FS_STREAMS; k++)
			used += streams.blocks[k] > 300;
		assert_true(used > 1);
		assert_true(moved() > 1000 || ways[i].method == F2FS_HOTNESS_ADAPTIVE);
		must_be_right(inode);
		end(inode);
	}
}

/* Where nothing can be predicted, streams would only cost room: adaptive does as the six logs with greedy do. */
static void uniform_writes_cost_no_more(void **state)
{
	static const struct f2fs_hotness_options adaptive = { F2FS_SIZED(f2fs_hotness_options),
							      .method = F2FS_HOTNESS_ADAPTIVE };
	uint64_t cost[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct f2fs_inode *inode = begin(i ? &adaptive : NULL, MANY);
		struct f2fs_hotness_stat stat = { F2FS_SIZED(f2fs_hotness_stat) };

		for (unsigned k = 0; k < 60000; k++) {
			const uint32_t at = fresh_random(&seed) % blocks;

			value[at] = fresh_random(&seed);
			memcpy(bytes, &value[at], 4);
			fresh_need(&v, f2fs_inode_write(inode, (uint64_t)at * BLOCK, bytes, BLOCK), "write");
		}
		if (i)
			f2fs_hotness_stat(hot, &stat);
		assert_true(!i || (stat.known > 5000 && stat.separates == 0));
		cost[i] = moved();
		must_be_right(inode);
		end(inode);
	}
	assert_true(cost[0] > 10000 && cost[1] * 100 <= cost[0] * 102);
}

/* Cold segments that were cleaned are not the oldest again at once: a move counts as a write, so less is moved. */
static void a_move_counts_as_a_write(void **state)
{
	uint64_t cost[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct f2fs_hotness_options way = { F2FS_SIZED(f2fs_hotness_options),
							  .method = F2FS_HOTNESS_M2H, .moves_keep = (uint8_t)i };
		struct f2fs_inode *inode = begin(&way, MANY);

		overwrite_skewed(inode, 40000);
		cost[i] = moved();
		must_be_right(inode);
		end(inode);
	}
	assert_true(cost[0] > 1000 && cost[0] < cost[1]);
}

/* Choices that the paper leaves open: the place of unknown blocks, and how long others wait. */
static void open_numbers_are_options(void **state)
{
	static const struct {
		uint8_t most, unknown, wrong_most, wrong_unknown;
	} rows[] = { { 0, 0, 16, 0 }, { 2, 1, 255, 0 }, { 15, 10, 0, 11 } };

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct f2fs_hotness_options way = { F2FS_SIZED(f2fs_hotness_options), .method = F2FS_HOTNESS_M2H,
						    .delays = 1, .delay_most = rows[i].most,
						    .unknown_class = rows[i].unknown };
		struct f2fs_inode *inode = begin(&way, MANY);
		const struct f2fs_placement *p = placement_of(v.vol);
		unsigned longest = 0;

		assert_int_equal(p->classify(p->user, 99, 0, 0), rows[i].unknown ? rows[i].unknown - 1 : 8);
		overwrite_skewed(inode, 30000);
		for (f2fs_blk_t at = v.vol->geo.main_blkaddr; at < v.vol->geo.block_count; at++) {
			const unsigned rounds = p->delay(p->user, 99, 0, at);

			longest = rounds > longest ? rounds : longest;
		}
		assert_int_equal(longest, rows[i].most ? rows[i].most : F2FS_DELAY_MAX);
		must_be_right(inode);
		f2fs_inode_close(inode);
		fresh_need(&v, f2fs_hotness_close(hot), "close");
		way.delay_most = rows[i].wrong_most;
		way.unknown_class = rows[i].wrong_unknown;
		assert_int_equal(f2fs_hotness_open(v.vol, &way, &hot), F2FS_ERR_INVALID);
		fresh_close(&v);
	}
}

/* A few blocks change again and again, then never: the changing blocks are not the cold ones. */
static void young_blocks_get_streams_of_their_own(void **state)
{
	static const struct f2fs_hotness_options adaptive = { F2FS_SIZED(f2fs_hotness_options),
							      .method = F2FS_HOTNESS_ADAPTIVE };
	struct f2fs_inode *inode = begin(&adaptive, MANY);
	struct f2fs_hotness_stat stat = { F2FS_SIZED(f2fs_hotness_stat) };

	(void)state;
	for (unsigned k = 0; k < 40000; k++) {
		const uint32_t at = k / 8 + fresh_random(&seed) % 16;

		value[at] = fresh_random(&seed);
		memcpy(bytes, &value[at], 4);
		fresh_need(&v, f2fs_inode_write(inode, (uint64_t)at * BLOCK, bytes, BLOCK), "write");
	}
	f2fs_hotness_stat(hot, &stat);
	assert_int_equal(stat.separates, 1);
	must_be_right(inode);
	end(inode);
}

/* A short load has its streams soon. */
static void the_first_look_comes_early(void **state)
{
	static const struct f2fs_hotness_options adaptive = { F2FS_SIZED(f2fs_hotness_options),
							      .method = F2FS_HOTNESS_ADAPTIVE };
	struct f2fs_inode *inode = begin(&adaptive, FEW);
	struct f2fs_hotness_stat stat = { F2FS_SIZED(f2fs_hotness_stat) };

	(void)state;
	overwrite_skewed(inode, 1600);
	f2fs_hotness_stat(hot, &stat);
	assert_int_equal(stat.rounds, 2);
	assert_int_equal(stat.separates, 1);
	overwrite_skewed(inode, 8000);
	f2fs_hotness_stat(hot, &stat);
	assert_int_equal(stat.rounds, 5); /* after 512, 1,024, then 2,048 each */
	must_be_right(inode);
	end(inode);
}

/* One part of the file after the other is written. Blocks that were hot once are not kept among hot ones. */
static void old_heat_is_forgotten(void **state)
{
	static const struct f2fs_hotness_options adaptive = { F2FS_SIZED(f2fs_hotness_options),
							      .method = F2FS_HOTNESS_ADAPTIVE };
	uint64_t cost[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct f2fs_inode *inode = begin(i ? &adaptive : NULL, MANY);

		for (unsigned k = 0; k < 120000; k++) {
			const uint32_t part = blocks / 6, at = k / 20000 * part + fresh_random(&seed) % part;

			value[at] = fresh_random(&seed);
			memcpy(bytes, &value[at], 4);
			fresh_need(&v, f2fs_inode_write(inode, (uint64_t)at * BLOCK, bytes, BLOCK), "write");
		}
		cost[i] = moved();
		must_be_right(inode);
		end(inode);
	}
	assert_true(cost[0] > 10000 && cost[1] * 100 <= cost[0] * 110);
}

/* The fuller the volume, the fewer streams; with no room for one all is left to the logs, and nothing is lost. */
static void streams_follow_the_room(void **state)
{
	static const struct f2fs_hotness_options adaptive = { F2FS_SIZED(f2fs_hotness_options),
							      .method = F2FS_HOTNESS_ADAPTIVE };
	struct f2fs_inode *inode = begin(&adaptive, FEW), *more;
	struct f2fs_hotness_stat before = { F2FS_SIZED(f2fs_hotness_stat) }, after = before;
	struct f2fs_volume_stat room = { F2FS_SIZED(f2fs_volume_stat) };

	(void)state;
	overwrite_skewed(inode, 20000);
	f2fs_hotness_stat(hot, &before);
	f2fs_volume_statfs(v.vol, &room);
	more = fresh_make(&v, "more", 0100644);
	for (uint64_t i = 0; i + 400 < room.user_blocks - room.valid_blocks; i++)
		fresh_need(&v, f2fs_inode_write(more, i * BLOCK, bytes, BLOCK), "fill");
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	f2fs_inode_close(more);
	overwrite_skewed(inode, 12000);
	f2fs_hotness_stat(hot, &after);
	assert_true(before.classes >= 3 && before.separates == 1);
	assert_int_equal(after.classes, 1);
	assert_int_equal(after.separates, 0);
	assert_int_equal(placement_of(v.vol)->streams, 0);
	must_be_right(inode);
	/* as full as it is, the volume takes the placement again, but no other one */
	fresh_need(&v, f2fs_hotness_close(hot), "close");
	assert_int_equal(f2fs_hotness_open(v.vol, NULL, &hot), F2FS_ERR_NOSPC);
	fresh_need(&v, f2fs_hotness_open(v.vol, &adaptive, &hot), "open");
	overwrite_skewed(inode, 3000);
	must_be_right(inode);
	end(inode);
}

static void little_memory_is_no_failure(void **state)
{
	static const struct f2fs_hotness_options ways[] = {
		{ F2FS_SIZED(f2fs_hotness_options), .method = F2FS_HOTNESS_M2H, .memory = 1, .delays = 1 },
		{ F2FS_SIZED(f2fs_hotness_options), .method = F2FS_HOTNESS_DEATH, .memory = 1 },
		{ F2FS_SIZED(f2fs_hotness_options), .method = F2FS_HOTNESS_ADAPTIVE, .memory = 1 },
	};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct f2fs_inode *inode = begin(&ways[i], FEW);
		struct f2fs_hotness_stat stat = { F2FS_SIZED(f2fs_hotness_stat) };

		overwrite(inode, 10000);
		f2fs_hotness_stat(hot, &stat);
		assert_true(stat.memory < 30000);
		must_be_right(inode);
		end(inode);
	}
}

static void reopen(struct f2fs_inode **inode, const struct f2fs_hotness_options *o)
{
	f2fs_inode_close(*inode);
	fresh_need(&v, f2fs_hotness_close(hot), "close");
	fresh_reopen(&v);
	set_up(o);
	fresh_need(&v, f2fs_lookup(v.vol, "/data", 0, inode), "look up");
}

static uint32_t fits(void)
{
	struct f2fs_hotness_stat stat = { F2FS_SIZED(f2fs_hotness_stat) };

	f2fs_hotness_stat(hot, &stat);
	return stat.sidecar_fits;
}

static void sidecar_comes_back(void **state)
{
	struct f2fs_hotness_options o = { F2FS_SIZED(f2fs_hotness_options), .memory = 60000 };
	struct f2fs_hotness_stat stat = { F2FS_SIZED(f2fs_hotness_stat) };
	struct f2fs_device *sidecar;
	struct f2fs_inode *inode = begin(NULL, FEW);
	uint8_t *kept;
	uint64_t size;

	(void)state;
	fresh_need(&v, f2fs_device_open_memory(v.ctx, f2fs_hotness_sidecar_bytes(v.vol), &sidecar), "sidecar");
	o.sidecar = sidecar;
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	for (o.method = F2FS_HOTNESS_DEATH; f2fs_hotness_name(o.method); o.method++)
		assert_int_equal(f2fs_hotness_open(v.vol, &o, &hot), F2FS_ERR_INVALID);
	o.method = F2FS_HOTNESS_M2H;
	reopen(&inode, &o);
	assert_int_equal(fits(), 0);
	overwrite(inode, 20000);
	f2fs_hotness_stat(hot, &stat);
	assert_true(stat.sidecar_writes > 0 && stat.sidecar_reads > 0 && stat.sidecar_errors == 0);
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	reopen(&inode, &o);
	assert_int_equal(fits(), 1);
	f2fs_hotness_stat(hot, &stat);
	assert_true(stat.classes > 1); /* at once */
	overwrite(inode, 1000);
	f2fs_hotness_stat(hot, &stat);
	assert_true(stat.known > 500);
	/* the volume continues without it: its knowledge is of another state */
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	fresh_need(&v, f2fs_hotness_close(hot), "close");
	hot = NULL;
	overwrite(inode, 10);
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	reopen(&inode, &o);
	assert_int_equal(fits(), 0);
	must_be_right(inode);
	fresh_need(&v, f2fs_hotness_close(hot), "close");
	hot = NULL;
	size = f2fs_device_info(sidecar)->size;
	kept = malloc((size_t)size);
	assert_non_null(kept);
	fresh_need(&v, f2fs_device_read(sidecar, 0, kept, (size_t)size), "read");
	f2fs_device_close(sidecar);
	end(inode);
	/* and so is another volume */
	inode = begin(NULL, FEW);
	fresh_need(&v, f2fs_device_open_memory(v.ctx, size, &sidecar), "sidecar");
	fresh_need(&v, f2fs_device_write(sidecar, 0, kept, (size_t)size), "write");
	free(kept);
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	o.sidecar = sidecar;
	reopen(&inode, &o);
	assert_int_equal(fits(), 0);
	fresh_need(&v, f2fs_hotness_close(hot), "close");
	hot = NULL;
	f2fs_device_close(sidecar);
	end(inode);
}

/* A sidecar of rubbish with the right header: entries are wrong, and nothing else. */
static void lies_cost_nothing(void **state)
{
	struct f2fs_hotness_options o = { F2FS_SIZED(f2fs_hotness_options), .delays = 1, .moves_apart = 1 };
	struct f2fs_device *sidecar;
	struct f2fs_inode *inode = begin(NULL, FEW);
	uint64_t size;

	(void)state;
	size = f2fs_hotness_sidecar_bytes(v.vol);
	fresh_need(&v, f2fs_device_open_memory(v.ctx, size, &sidecar), "sidecar");
	o.sidecar = sidecar;
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	reopen(&inode, &o);
	reopen(&inode, &o);
	assert_int_equal(fits(), 1);
	f2fs_inode_close(inode);
	fresh_need(&v, f2fs_hotness_close(hot), "close");
	for (uint64_t at = BLOCK; at < size; at += BLOCK) {
		for (unsigned i = 0; i < BLOCK; i++)
			bytes[i] = (uint8_t)fresh_random(&seed);
		fresh_need(&v, f2fs_device_write(sidecar, at, bytes, BLOCK), "rubbish");
	}
	fresh_need(&v, f2fs_hotness_open(v.vol, &o, &hot), "hotness");
	assert_int_equal(fits(), 1);
	fresh_need(&v, f2fs_lookup(v.vol, "/data", 0, &inode), "look up");
	overwrite(inode, 20000);
	must_be_right(inode);
	f2fs_inode_close(inode);
	fresh_need(&v, f2fs_hotness_close(hot), "close");
	f2fs_device_close(sidecar);
	fresh_close(&v);
}

static void must_refuse(const struct f2fs_hotness_options *o, int code)
{
	struct f2fs_hotness *h;

	assert_int_equal(f2fs_hotness_open(v.vol, o, &h), code);
	assert_null(h);
}

static void what_cannot_be_is_refused(void **state)
{
	struct f2fs_inode *inode = begin(NULL, FEW);
	struct f2fs_device *small;

	(void)state;
	must_refuse(NULL, F2FS_ERR_STATE);
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	fresh_need(&v, f2fs_device_open_memory(v.ctx, f2fs_hotness_sidecar_bytes(v.vol) - BLOCK, &small), "sidecar");
	must_refuse(&(struct f2fs_hotness_options){ F2FS_SIZED(f2fs_hotness_options), .method = 4 }, F2FS_ERR_INVALID);
	must_refuse(&(struct f2fs_hotness_options){ F2FS_SIZED(f2fs_hotness_options),
						    .streams = 17 }, F2FS_ERR_INVALID);
	must_refuse(&(struct f2fs_hotness_options){ F2FS_SIZED(f2fs_hotness_options), .streams = 1 }, F2FS_ERR_INVALID);
	must_refuse(&(struct f2fs_hotness_options){ F2FS_SIZED(f2fs_hotness_options),
						    .older_share = 101 }, F2FS_ERR_INVALID);
	must_refuse(&(struct f2fs_hotness_options){ F2FS_SIZED(f2fs_hotness_options),
						    .method = 1, .range_blocks = 3 }, F2FS_ERR_INVALID);
	must_refuse(&(struct f2fs_hotness_options){ F2FS_SIZED(f2fs_hotness_options),
						    .sidecar = small }, F2FS_ERR_INVALID);
	f2fs_device_close(small);
	for (unsigned i = 0; f2fs_hotness_name(i); i++)
		assert_int_equal(f2fs_hotness_find(f2fs_hotness_name(i)), (int)i);
	assert_int_equal(f2fs_hotness_find("tepid"), -1);
	fresh_need(&v, f2fs_hotness_open(v.vol, NULL, &hot), "hotness");
	overwrite(inode, 1);
	assert_int_equal(f2fs_hotness_close(hot), F2FS_ERR_STATE);
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	end(inode);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_sound),
		cmocka_unit_test(uniform_writes_cost_no_more),
		cmocka_unit_test(a_move_counts_as_a_write),
		cmocka_unit_test(open_numbers_are_options),
		cmocka_unit_test(young_blocks_get_streams_of_their_own),
		cmocka_unit_test(the_first_look_comes_early),
		cmocka_unit_test(old_heat_is_forgotten),
		cmocka_unit_test(streams_follow_the_room),
		cmocka_unit_test(little_memory_is_no_failure),
		cmocka_unit_test(sidecar_comes_back),
		cmocka_unit_test(lies_cost_nothing),
		cmocka_unit_test(what_cannot_be_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
