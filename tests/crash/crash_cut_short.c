/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Power cuts while a volume larger than its device is repaired: the repair drops everything past the end, then shrinks
 * the volume to the device. Whatever writes have reached the disk, the volume opens and has lost no more than before. A
 * second repair gives the same files, and leaves no findings.
 */
#include <stdio.h>
#include <stdlib.h>

#include <f2fskit/f2fskit.h>

#include "crash/crash.h"
#include "crash/resize_cases.h"

#define MIB ((uint64_t)1 << 20)

static const struct resize_case whole = {
	.name = "cut short", .device = 160 * MIB, .size = 160 * MIB, .files = 70, .kept = 2
};

struct judge {
	struct f2fs_context *ctx;
	uint64_t expected;
	uint64_t losses; /* of the volume as it was cut short */
	uint64_t between; /* states that are neither as before nor whole */
	const char *why;
};

static int count_loss(void *user, const struct f2fs_problem *problem)
{
	*(uint64_t *)user += problem->info->severity == F2FS_SEVERITY_LOSS;
	return F2FS_DECIDE_SKIP;
}

static int look(struct f2fs_context *ctx, struct f2fs_device *dev, uint64_t *losses, uint64_t *found)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options),
						    .problem = count_loss, .user = losses, .threads = 1 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	int err;

	*losses = 0;
	err = f2fs_check(ctx, dev, &options, &result);
	*found = result.found;
	return err;
}

/* What fsck.f2fs -y does where the device cannot become longer. */
static int make_whole(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options),
						    .repair = 1, .threads = 1, .cut_at = UINT64_MAX };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	int err = f2fs_check(ctx, dev, &options, &result);

	return err ? err : f2fs_resize(ctx, dev, NULL, NULL, NULL);
}

static int judge_state(void *user, const struct crash_state *state)
{
	struct judge *judge = user;
	uint64_t tree, losses, found;
	uint32_t segments;
	char text[200];
	int err = look(judge->ctx, state->dev, &losses, &found);

	judge->why = NULL;
	if (!err && losses > judge->losses)
		judge->why = "more is lost than before";
	judge->between += found > 0 && losses < judge->losses;
	if (!err)
		err = make_whole(judge->ctx, state->dev);
	if (!err)
		err = look(judge->ctx, state->dev, &losses, &found);
	if (!err && found > 0 && !judge->why)
		judge->why = "something is left to be found";
	if (!err)
		err = resize_digest(judge->ctx, state->dev, &tree, &segments);
	if (!err && tree != judge->expected && !judge->why)
		judge->why = "other files are there";
	if (!err && !judge->why)
		return 0;
	crash_describe(state, text, sizeof(text));
	fprintf(stderr, "%s: %s\n", text, err ? f2fs_context_error(judge->ctx)->message : judge->why);
	return 1;
}

/* The start of a device. */
static struct f2fs_device *cut(struct f2fs_context *ctx, struct f2fs_device *from, uint64_t length)
{
	struct f2fs_device *to;
	uint8_t *bytes = malloc(MIB);

	resize_require(bytes && f2fs_device_open_memory(ctx, length, &to) == 0, "no device");
	for (uint64_t at = 0; at < length; at += MIB)
		resize_require(f2fs_device_read(from, at, bytes, MIB) == 0 &&
				       f2fs_device_write(to, at, bytes, MIB) == 0,
			       "cannot copy");
	free(bytes);
	return to;
}

static void run(uint64_t length)
{
	const struct crash_options options = { .subsets = 2, .scattered = 1, .seed = 11 };
	struct f2fs_device *long_one, *before, *after, *recorder;
	struct judge judge = { 0 };
	uint64_t states, losses, found;
	uint32_t segments;

	resize_require(f2fs_context_open(NULL, &judge.ctx) == 0, "no context");
	long_one = resize_make(judge.ctx, &whole);
	before = cut(judge.ctx, long_one, length);
	f2fs_device_close(long_one);
	resize_require(look(judge.ctx, before, &judge.losses, &found) == 0 && judge.losses > 3, "nothing is lost");
	resize_require(f2fs_device_fork_memory(before, &after) == 0, "cannot fork");
	resize_require(f2fs_device_open_recorder(after, &recorder) == 0, "cannot record");
	if (make_whole(judge.ctx, recorder) != 0)
		resize_require(0, f2fs_context_error(judge.ctx)->message);
	resize_require(resize_digest(judge.ctx, after, &judge.expected, &segments) == 0 && judge.expected,
		       "cannot read it");
	resize_require(look(judge.ctx, after, &losses, &found) == 0 && found == 0, "it is not whole");
	resize_require(crash_each(before, recorder, &options, judge_state, &judge, &states) == 0, whole.name);
	resize_require(judge.between > 0, "no state was between");
	printf("%llu MiB: %llu losses, %llu writes, %llu states, %llu of them between\n",
	       (unsigned long long)(length / MIB), (unsigned long long)judge.losses,
	       (unsigned long long)f2fs_device_record_count(recorder), (unsigned long long)states,
	       (unsigned long long)judge.between);
	f2fs_device_close(recorder);
	f2fs_device_close(after);
	f2fs_device_close(before);
	f2fs_context_close(judge.ctx);
}

int main(void)
{
	run(80 * MIB);
	run(64 * MIB);
	return 0;
}
