/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cut the power while a volume is made over an older one. Afterwards there is the old volume, whole; or none; or the
 * new one, whole: never a volume that opens and is part one, part other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <f2fskit/f2fskit.h>

#include "crash/crash.h"

#define SIZE (64u << 20)
#define SUPERBLOCKS 8192u /* bytes at the start that hold both copies */

struct subject {
	struct f2fs_device *before, *after;
	uint8_t old_uuid[16], new_uuid[16];
	uint8_t *one, *two; /* buffers of a megabyte */
	uint64_t records;
	unsigned seen_old, seen_new, seen_none;
	char found[200]; /* the last state judged */
};

/* Is everything that a volume holds in model there in state? Both superblock copies need not be. */
static bool is_whole(struct subject *s, struct f2fs_device *model, struct f2fs_device *state)
{
	const uint64_t size = f2fs_device_info(model)->size;
	uint64_t length;
	int is_hole;

	for (uint64_t at = SUPERBLOCKS; at < size; at += length) {
		assert_int_equal(f2fs_device_extent(model, at, &length, &is_hole), 0);
		if (is_hole)
			continue;
		if (length > 1u << 20)
			length = 1u << 20;
		assert_int_equal(f2fs_device_read(model, at, s->one, (size_t)length), 0);
		assert_int_equal(f2fs_device_read(state, at, s->two, (size_t)length), 0);
		if (memcmp(s->one, s->two, (size_t)length) != 0)
			return false;
	}
	return true;
}

static int judge(void *user, const struct crash_state *state)
{
	struct f2fs_context *ctx;
	struct f2fs_volume_stat stat = { F2FS_SIZED(f2fs_volume_stat) };
	struct subject *s = user;
	struct f2fs_volume *vol;
	bool is_old, is_new;

	crash_describe(state, s->found, sizeof(s->found));
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	if (f2fs_volume_open(ctx, state->dev, NULL, &vol) != 0) {
		f2fs_context_close(ctx);
		s->seen_none++;
		return state->issued >= s->records;
	}
	f2fs_volume_statfs(vol, &stat);
	f2fs_volume_close(vol);
	f2fs_context_close(ctx);
	is_old = memcmp(stat.uuid, s->old_uuid, 16) == 0;
	is_new = memcmp(stat.uuid, s->new_uuid, 16) == 0;
	s->seen_old += is_old;
	s->seen_new += is_new;
	if (state->issued >= s->records && !is_new)
		return 1;
	return !(is_old && is_whole(s, s->before, state->dev)) && !(is_new && is_whole(s, s->after, state->dev));
}

static void make_volume(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_mkfs_options *options,
			uint8_t uuid[16])
{
	const struct f2fs_mkfs_device device = { .device = dev };
	struct f2fs_mkfs_result result = { F2FS_SIZED(f2fs_mkfs_result) };

	assert_int_equal(f2fs_mkfs_write(ctx, &device, 1, options, &result), 0);
	memcpy(uuid, result.uuid, 16);
}

static void cut_short(const struct f2fs_mkfs_options *old_options, const struct f2fs_mkfs_options *new_options)
{
	const struct crash_options options = { .subsets = 150, .scattered = 40, .seed = 7 };
	struct subject s = { .one = malloc(1u << 20), .two = malloc(1u << 20) };
	struct f2fs_device *recorder;
	struct f2fs_context *ctx;
	uint64_t count;
	int rc;

	assert_true(s.one && s.two);
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	assert_int_equal(f2fs_device_open_memory(ctx, SIZE, &s.before), 0);
	make_volume(ctx, s.before, old_options, s.old_uuid);
	assert_int_equal(f2fs_device_fork_memory(s.before, &s.after), 0);
	assert_int_equal(f2fs_device_open_recorder(s.after, &recorder), 0);
	make_volume(ctx, recorder, new_options, s.new_uuid);
	assert_memory_not_equal(s.old_uuid, s.new_uuid, 16);
	s.records = f2fs_device_record_count(recorder);
	rc = crash_each(s.before, recorder, &options, judge, &s, &count);
	if (rc != 0)
		fail_msg("%s: the volume is neither old nor new", s.found);
	print_message("%llu states of %llu records: old %u, none %u, new %u\n", (unsigned long long)count,
		      (unsigned long long)s.records, s.seen_old, s.seen_none, s.seen_new);
	assert_true(s.seen_old > 0 && s.seen_none > 0 && s.seen_new > 0);
	f2fs_device_close(recorder);
	f2fs_device_close(s.after);
	f2fs_device_close(s.before);
	f2fs_context_close(ctx);
	free(s.one);
	free(s.two);
}

static void over_a_volume_of_the_same_shape(void **state)
{
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .label = "same" };

	(void)state;
	cut_short(&options, &options);
}

static void over_a_volume_of_another_shape(void **state)
{
	const struct f2fs_mkfs_options old_options = { F2FS_SIZED(f2fs_mkfs_options), .label = "old" };
	const struct f2fs_mkfs_options new_options = { F2FS_SIZED(f2fs_mkfs_options), .label = "new",
						       .feature = F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_QUOTA |
								  F2FS_FEAT_LOST_FOUND,
						       .no_discard = 1, .no_nat_bits = 1 };

	(void)state;
	cut_short(&old_options, &new_options);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(over_a_volume_of_the_same_shape),
		cmocka_unit_test(over_a_volume_of_another_shape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
