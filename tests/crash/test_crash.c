/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Do the made-up power cuts find all faults? A tiny store keeps two copies of its contents and a sector that
 * selects one of them. Written with care it survives every cut; each way to be careless must be found out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "crash/crash.h"

#define SIZE 65536u
#define COPY_SIZE 8192u
#define HEAD_AT 0u

enum habit {
	CAREFUL,
	NO_FLUSH_BEFORE_COMMIT,
	LARGE_COMMIT,	 /* the sector that counts is not one sector */
	IN_PLACE,	 /* the copy in use is overwritten */
	EARLY_DISCARD,	 /* the copy in use is discarded before the other one counts */
	NO_FLUSH_AT_END, /* said to be durable, but is not */
	HABITS
};

struct store {
	enum habit habit;
	uint64_t promised; /* with this many records issued the new contents have been promised */
	bool seen_old, seen_new;
	unsigned kinds[4];
};

static uint64_t copy_at(unsigned copy)
{
	return 16384u + copy * 16384u;
}

static uint8_t content_of(unsigned generation, unsigned i)
{
	return (uint8_t)(generation * 37 + i * 11 + i / 256);
}

static void write_copy(struct f2fs_device *dev, unsigned copy, unsigned generation)
{
	uint8_t bytes[COPY_SIZE];

	for (unsigned i = 0; i < COPY_SIZE; i++)
		bytes[i] = content_of(generation, i);
	assert_int_equal(f2fs_device_write(dev, copy_at(copy), bytes, COPY_SIZE / 2), 0);
	assert_int_equal(f2fs_device_write(dev, copy_at(copy) + COPY_SIZE / 2, bytes + COPY_SIZE / 2, COPY_SIZE / 2),
			 0);
}

/* The head: number of the copy, its generation; in its second sector (where LARGE_COMMIT looks) the generation again.
 */
static void write_head(struct f2fs_device *dev, const struct store *store, unsigned copy, unsigned generation)
{
	uint8_t head[1024] = { 0 };

	head[0] = (uint8_t)copy;
	head[1] = (uint8_t)generation;
	head[600] = (uint8_t)generation;
	assert_int_equal(f2fs_device_write(dev, HEAD_AT, head, store->habit == LARGE_COMMIT ? 1024 : 512), 0);
}

/* Go from generation 1 in copy 0 to generation 2. */
static void update(struct f2fs_device *dev, const struct store *store)
{
	const unsigned copy = store->habit == IN_PLACE ? 0 : 1;

	if (store->habit == EARLY_DISCARD)
		assert_int_equal(f2fs_device_discard(dev, copy_at(0), COPY_SIZE), 0);
	write_copy(dev, copy, 2);
	if (store->habit != NO_FLUSH_BEFORE_COMMIT)
		assert_int_equal(f2fs_device_flush(dev), 0);
	write_head(dev, store, copy, 2);
	if (store->habit != NO_FLUSH_AT_END)
		assert_int_equal(f2fs_device_flush(dev), 0);
}

static int judge(void *user, const struct crash_state *state)
{
	static const char *const kinds[] = { "prefix", "torn", "subset", "scattered" };
	struct store *store = user;
	uint8_t head[1024], bytes[COPY_SIZE];

	for (unsigned i = 0; i < 4; i++)
		store->kinds[i] += strcmp(kinds[i], state->kind) == 0;
	assert_int_equal(f2fs_device_read(state->dev, HEAD_AT, head, sizeof(head)), 0);
	if (head[0] > 1 || head[1] < 1 || head[1] > 2)
		return 1;
	if (store->habit == LARGE_COMMIT && head[1] != head[600])
		return 1;
	assert_int_equal(f2fs_device_read(state->dev, copy_at(head[0]), bytes, COPY_SIZE), 0);
	for (unsigned i = 0; i < COPY_SIZE; i++)
		if (bytes[i] != content_of(head[1], i))
			return 1;
	if (head[1] == 2)
		store->seen_new = true;
	else
		store->seen_old = true;
	/* Changes by a judge to one state do not affect others. */
	assert_int_equal(f2fs_device_zero(state->dev, 0, SIZE), 0);
	return state->issued >= store->promised && head[1] != 2;
}

static int judge_habit(struct store *store, uint64_t *count)
{
	const struct crash_options options = { .subsets = 1000, .scattered = 50, .seed = 1 };
	struct f2fs_context *ctx;
	struct f2fs_device *before, *now, *recorder;
	uint8_t *bytes = malloc(2 * SIZE);
	int rc;

	assert_non_null(bytes);
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	assert_int_equal(f2fs_device_open_memory(ctx, SIZE, &before), 0);
	write_copy(before, 0, 1);
	write_head(before, store, 0, 1);
	assert_int_equal(f2fs_device_read(before, 0, bytes, SIZE), 0);
	assert_int_equal(f2fs_device_fork_memory(before, &now), 0);
	assert_int_equal(f2fs_device_open_recorder(now, &recorder), 0);
	update(recorder, store);
	store->promised = f2fs_device_record_count(recorder);
	rc = crash_each(before, recorder, &options, judge, store, count);
	/* Where it started from is as it was. */
	assert_int_equal(f2fs_device_read(before, 0, bytes + SIZE, SIZE), 0);
	assert_memory_equal(bytes, bytes + SIZE, SIZE);
	f2fs_device_close(recorder);
	f2fs_device_close(now);
	f2fs_device_close(before);
	f2fs_context_close(ctx);
	free(bytes);
	return rc;
}

static void care_survives(void **state)
{
	struct store store = { .habit = CAREFUL };
	uint64_t count = 0;

	(void)state;
	assert_int_equal(judge_habit(&store, &count), 0);
	assert_true(store.seen_old);
	assert_true(store.seen_new);
	/* Two writes, flush, one write (a sector, which does not tear), flush. */
	assert_int_equal(store.kinds[0], 3 + 2 + 1);
	assert_int_equal(store.kinds[1], 2 * 3);
	assert_int_equal(store.kinds[2], 4);
	assert_int_equal(store.kinds[3], 50 + 50);
	assert_int_equal(count, 6 + 6 + 4 + 100);
}

static void carelessness_is_found(void **state)
{
	(void)state;
	for (unsigned habit = CAREFUL + 1; habit < HABITS; habit++) {
		struct store store = { .habit = (enum habit)habit };

		if (judge_habit(&store, NULL) != 1)
			fail_msg("habit %u was not found out", habit);
	}
}

/* Without a flush all combinations of few writes occur, each once; of many at least each alone and each missing. */
struct tally {
	unsigned total;
	unsigned seen[1u << 6];
	bool alone[64], missing[64];
};

static int tally_state(void *user, const struct crash_state *state)
{
	struct tally *tally = user;
	unsigned number = 0, count = 0, last_in = 0, last_out = 0;

	if (strcmp(state->kind, "subset") != 0)
		return 0;
	for (unsigned i = 0; i < tally->total; i++) {
		uint8_t byte;

		assert_int_equal(f2fs_device_read(state->dev, i * 512, &byte, 1), 0);
		count += byte;
		if (byte)
			last_in = i;
		else
			last_out = i;
		if (tally->total <= 6)
			number |= (unsigned)byte << i;
	}
	tally->seen[number]++;
	if (count == 1)
		tally->alone[last_in] = true;
	if (count == tally->total - 1)
		tally->missing[last_out] = true;
	return 0;
}

static void combinations_are_complete(void **state)
{
	static const unsigned totals[] = { 2, 6, 40 };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const struct crash_options options = { .subsets = 100 };
		struct tally tally = { .total = totals[i] };
		struct f2fs_context *ctx;
		struct f2fs_device *before, *now, *recorder;
		uint8_t sector[512];

		memset(sector, 1, sizeof(sector));
		assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
		assert_int_equal(f2fs_device_open_memory(ctx, SIZE, &before), 0);
		assert_int_equal(f2fs_device_fork_memory(before, &now), 0);
		assert_int_equal(f2fs_device_open_recorder(now, &recorder), 0);
		for (unsigned j = 0; j < totals[i]; j++)
			assert_int_equal(f2fs_device_write(recorder, j * 512, sector, 512), 0);
		assert_int_equal(crash_each(before, recorder, &options, tally_state, &tally, NULL), 0);
		for (unsigned j = 0; totals[i] <= 6 && j < 1u << totals[i]; j++)
			assert_int_equal(tally.seen[j], 1);
		for (unsigned j = 0; j < totals[i]; j++) {
			assert_true(tally.alone[j]);
			assert_true(tally.missing[j]);
		}
		f2fs_device_close(recorder);
		f2fs_device_close(now);
		f2fs_device_close(before);
		f2fs_context_close(ctx);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(care_survives),
		cmocka_unit_test(carelessness_is_found),
		cmocka_unit_test(combinations_are_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
