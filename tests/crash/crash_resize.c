/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Power cuts while a volume is resized: whatever of its writes has reached the disk, the volume opens by itself and
 * holds every file as before; nothing is wrong with it but what says that a resize is under way. Resizing again comes
 * to the size, the files are the same, and a check finds nothing; in a third of the states after a repair.
 */
#include <stdio.h>
#include <string.h>

#include <f2fskit/f2fskit.h>

#include "crash/crash.h"
#include "crash/resize_cases.h"

struct judge {
	struct f2fs_context *ctx;
	const struct resize_case *test;
	uint64_t expected;
	int all;
	uint64_t seen, judged; /* states */
	const char *why, *last; /* the fault; the last problem that a check named */
};

static int check(struct judge *judge, struct f2fs_device *dev, uint64_t *found)
{
	struct resize_found look;
	int err = resize_case_check(judge->ctx, dev, &look);

	*found = look.found;
	if (look.last)
		judge->last = look.last;
	if (look.unexpected)
		judge->why = look.unexpected;
	return err;
}

static int resize(struct judge *judge, struct f2fs_device *dev, struct f2fs_resize_result *result)
{
	const struct f2fs_resize_options options = { F2FS_SIZED(f2fs_resize_options), .size = judge->test->target };

	return f2fs_resize(judge->ctx, dev, NULL, &options, result);
}

/* The volume as it is holds everything. */
static int judge_cut(struct judge *judge, struct f2fs_device *dev)
{
	uint64_t tree, found;
	uint32_t segments;
	int err = resize_digest(judge->ctx, dev, &tree, &segments);

	if (err)
		return err;
	if (tree != judge->expected)
		judge->why = "other files are there after the cut";
	return check(judge, dev, &found);
}

/* A repair settles the volume as it is: nothing is wrong then, and the files are the same. */
static int repair(struct judge *judge, struct f2fs_device *dev)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .repair = 1, .threads = 1 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	uint64_t tree, found = 0;
	uint32_t segments;
	int err = f2fs_check(judge->ctx, dev, &options, &result);

	if (!err)
		err = resize_digest(judge->ctx, dev, &tree, &segments);
	if (!err && tree != judge->expected)
		judge->why = "other files are there after a repair";
	if (!err)
		err = check(judge, dev, &found);
	if (!err && found > 0)
		judge->why = "a repair leaves something";
	return err;
}

static int finish(struct judge *judge, struct f2fs_device *dev)
{
	struct f2fs_resize_result result = { F2FS_SIZED(f2fs_resize_result) };
	uint64_t tree, found;
	uint32_t segments;
	int err = resize(judge, dev, &result);

	if (!err)
		err = resize_digest(judge->ctx, dev, &tree, &segments);
	if (!err && tree != judge->expected)
		judge->why = "other files are there in the end";
	if (!err && result.new_bytes > judge->test->target)
		judge->why = "the size was not reached";
	if (!err && result.spare_segments > 0)
		judge->why = "areas are larger than the size needs";
	if (!err)
		err = check(judge, dev, &found);
	if (!err && found > 0 && !judge->why)
		judge->why = judge->last;
	return err;
}

static int judge_state(void *user, const struct crash_state *state)
{
	struct judge *judge = user;
	char text[200];
	int err;

	/* all prefixes, but of the rest a third when it has to be quick */
	if (!judge->all && judge->seen++ % 3 && strcmp(state->kind, "prefix") != 0)
		return 0;
	judge->why = NULL;
	err = judge_cut(judge, state->dev);
	if (!err && !judge->why && judge->judged++ % 3 == 0)
		err = repair(judge, state->dev);
	if (!err && !judge->why)
		err = finish(judge, state->dev);
	if (!err && !judge->why)
		return 0;
	crash_describe(state, text, sizeof(text));
	fprintf(stderr, "%s: %s: %s\n", judge->test->name, text,
		err ? f2fs_context_error(judge->ctx)->message : judge->why);
	return 1;
}

static void run(const struct resize_case *test, int all)
{
	const struct crash_options options = { .subsets = all ? 24 : 2, .scattered = all ? 6 : 1, .seed = 7 };
	struct f2fs_device *before, *after, *recorder;
	struct judge judge = { .test = test, .all = all };
	struct f2fs_resize_result result = { F2FS_SIZED(f2fs_resize_result) };
	uint32_t segments;
	uint64_t states;
	unsigned kinds = 0;

	resize_require(f2fs_context_open(NULL, &judge.ctx) == 0, "no context");
	before = resize_make(judge.ctx, test);
	resize_require(resize_digest(judge.ctx, before, &judge.expected, &segments) == 0 && judge.expected,
		       "cannot read it");
	resize_require(f2fs_device_fork_memory(before, &after) == 0, "cannot fork");
	resize_require(f2fs_device_open_recorder(after, &recorder) == 0, "cannot record");
	if (resize(&judge, recorder, &result) != 0)
		resize_require(0, f2fs_context_error(judge.ctx)->message);
	for (uint32_t i = 0; i < result.step_count; i++) {
		kinds |= 1u << result.steps[i].kind;
		resize_require(result.steps[i].kind != F2FS_RESIZE_REDUCE ||
			       (result.steps[i].moved > 0) == test->reduce_moves, "the hop goes elsewhere");
	}
	resize_require(kinds == test->kinds, "other steps were taken");
	resize_require(test->kinds == RESIZE_BIT(EXTEND) || result.moved_blocks > 0, "nothing was moved");
	resize_require(result.spare_segments == 0, "areas are too large");
	resize_require(crash_each(before, recorder, &options, judge_state, &judge, &states) == 0, test->name);
	printf("%s: %u steps, %llu blocks moved, %llu writes, %llu states\n", test->name, (unsigned)result.step_count,
	       (unsigned long long)result.moved_blocks, (unsigned long long)f2fs_device_record_count(recorder),
	       (unsigned long long)states);
	f2fs_device_close(recorder);
	f2fs_device_close(after);
	f2fs_device_close(before);
	f2fs_context_close(judge.ctx);
}

/* The argument all: more of the combinations of writes between two flushes. */
int main(int argc, char **argv)
{
	const int all = argc > 1 && strcmp(argv[1], "all") == 0;

	for (size_t i = 0; i < RESIZE_CASES; i++)
		run(&resize_cases[i], all);
	return 0;
}
