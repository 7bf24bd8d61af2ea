/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Power cuts while a volume is resized: whatever of its writes has reached the disk, the volume opens by itself and
 * holds every file as before; nothing is wrong with it but what says that a resize is under way. Resizing again comes
 * to the size, the files are the same, and a check finds nothing; in a third of the states after a repair.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <f2fskit/f2fskit.h>

#include "crash/crash.h"
#include "crash/tree_digest.h"

#define MIB ((uint64_t)1 << 20)

struct test_case {
	const char *name;
	uint64_t device, size, target; /* bytes */
	unsigned files, kept;	       /* of so many: how many of four stay */
	struct f2fs_mkfs_options format;
	unsigned kinds; /* bits of enum f2fs_resize_kind that the steps must have */
};

#define BIT(kind) (1u << F2FS_RESIZE_##kind)

static const struct test_case cases[] = {
	{ .name = "shrink",
	  .device = 160 * MIB,
	  .size = 160 * MIB,
	  .target = 82 * MIB,
	  .files = 84,
	  .kept = 2,
	  .kinds = BIT(SHRINK) },
	{ .name = "extend", .device = 140 * MIB, .size = 128 * MIB, .target = 140 * MIB, .files = 10, .kept = 3,
	  .kinds = BIT(EXTEND) },
	{ .name = "relayout",
	  .device = 3000 * MIB,
	  .size = 160 * MIB,
	  .target = 3000 * MIB,
	  .files = 30,
	  .kept = 3,
	  .kinds = BIT(RELAYOUT) },
	{ .name = "relayout, sections and checksums",
	  .device = 2600 * MIB,
	  .size = 320 * MIB,
	  .target = 2600 * MIB,
	  .files = 30,
	  .kept = 3,
	  .format = { .segs_per_sec = 2,
		      .feature = F2FS_FEATURE_EXTRA_ATTR | F2FS_FEATURE_INODE_CHECKSUM | F2FS_FEATURE_SB_CHECKSUM,
		      .large_nat = 1 },
	  .kinds = BIT(RELAYOUT) },
	{ .name = "stages of a full volume",
	  .device = 12000 * MIB,
	  .size = 128 * MIB,
	  .target = 12000 * MIB,
	  .files = 34,
	  .kept = 4,
	  .kinds = BIT(RELAYOUT) | BIT(EXTEND) },
};

static void require(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static void write_file(struct f2fs_inode *root, unsigned number)
{
	static uint8_t bytes[1 << 21];
	const size_t length = ((size_t)number * 40503 % 2000 + 24) << 10;
	struct f2fs_inode *file;
	char name[16];

	snprintf(name, sizeof(name), "f%u", number);
	memset(bytes, (int)number + 1, length);
	require(f2fs_create(root, name, strlen(name), &(struct f2fs_new){ .mode = 0100644 }, &file) == 0,
		"cannot create");
	require(f2fs_inode_write(file, 0, bytes, length) == 0, "cannot write");
	f2fs_inode_close(file);
}

/* Files of all sizes, of which some go, so that there are holes everywhere. */
static void fill(struct f2fs_context *ctx, struct f2fs_device *dev, const struct test_case *test)
{
	struct f2fs_volume *vol;
	struct f2fs_inode *root;
	char name[16];

	require(f2fs_volume_open(ctx, dev, NULL, &vol) == 0, "cannot open");
	require(f2fs_lookup(vol, "/", 0, &root) == 0, "no root");
	for (unsigned i = 0; i < test->files; i++) {
		write_file(root, i);
		if (i % 8 == 7)
			require(f2fs_volume_commit(vol) == 0, "cannot commit");
	}
	for (unsigned i = 0; i < test->files; i++) {
		if (i % 4 < test->kept)
			continue;
		snprintf(name, sizeof(name), "f%u", i);
		require(f2fs_remove(root, name, strlen(name)) == 0, "cannot remove");
	}
	f2fs_inode_close(root);
	require(f2fs_volume_commit(vol) == 0, "cannot commit");
	f2fs_volume_close(vol);
}

struct judge {
	struct f2fs_context *ctx;
	const struct test_case *test;
	uint64_t expected;
	int all;
	uint64_t seen, judged; /* states */
	const char *why, *last; /* what is wrong; the last problem that a check named */
};

static int digest_of(struct f2fs_context *ctx, struct f2fs_device *dev, uint64_t *tree, uint32_t *segments)
{
	struct tree_digest digest = { 0 };
	struct f2fs_volume *vol;
	int err = f2fs_volume_open(ctx, dev, NULL, &vol);

	if (err)
		return err;
	err = tree_digest_files(vol, &digest);
	*tree = digest.fault ? 0 : digest.tree;
	*segments = f2fs_volume_geometry(vol)->segment_count;
	f2fs_volume_close(vol);
	return err;
}

/* What a check may find meanwhile: roots of which one is half written, a count of free segments. */
static int is_expected(const char *name)
{
	static const char *const names[] = { "SB_DIFFER", "SB_COPY", "CP_PACK", "CP_UNFINISHED", "CP_FREE_SEGMENTS",
					     "RESIZE_NUMBERS", "RESIZE_HOP" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return 1;
	return 0;
}

static int take_problem(void *user, const struct f2fs_problem *problem)
{
	struct judge *judge = user;

	judge->last = problem->info->name;
	if (!is_expected(judge->last))
		judge->why = problem->info->name;
	return F2FS_DECIDE_SKIP;
}

static int check(struct judge *judge, struct f2fs_device *dev, uint64_t *found)
{
	const struct f2fs_check_options options = { .problem = take_problem, .user = judge, .threads = 1 };
	struct f2fs_check_result result = { 0 };
	int err = f2fs_check(judge->ctx, dev, &options, &result);

	*found = result.found;
	return err;
}

static int resize(struct judge *judge, struct f2fs_device *dev, struct f2fs_resize_result *result)
{
	const struct f2fs_resize_options options = { .size = judge->test->target };

	return f2fs_resize(judge->ctx, dev, NULL, &options, result);
}

/* The volume as it is holds everything. */
static int judge_cut(struct judge *judge, struct f2fs_device *dev)
{
	uint64_t tree, found;
	uint32_t segments;
	int err = digest_of(judge->ctx, dev, &tree, &segments);

	if (err)
		return err;
	if (tree != judge->expected)
		judge->why = "other files are there after the cut";
	return check(judge, dev, &found);
}

/* A repair settles the volume as it is: nothing is wrong then, and the files are the same. */
static int repair(struct judge *judge, struct f2fs_device *dev)
{
	const struct f2fs_check_options options = { .repair = 1, .threads = 1 };
	struct f2fs_check_result result;
	uint64_t tree, found = 0;
	uint32_t segments;
	int err = f2fs_check(judge->ctx, dev, &options, &result);

	if (!err)
		err = digest_of(judge->ctx, dev, &tree, &segments);
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
	struct f2fs_resize_result result;
	uint64_t tree, found;
	uint32_t segments;
	int err = resize(judge, dev, &result);

	if (!err)
		err = digest_of(judge->ctx, dev, &tree, &segments);
	if (!err && tree != judge->expected)
		judge->why = "other files are there in the end";
	if (!err && result.new_bytes > judge->test->target)
		judge->why = "the size was not reached";
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

static void run(const struct test_case *test, int all)
{
	const struct crash_options options = { .subsets = all ? 24 : 2, .scattered = all ? 6 : 1, .seed = 7 };
	struct f2fs_device *before, *after, *recorder;
	struct judge judge = { .test = test, .all = all };
	struct f2fs_mkfs_device target = { .size = test->size };
	struct f2fs_resize_result result;
	uint32_t segments;
	uint64_t states;
	unsigned kinds = 0;

	require(f2fs_context_new(NULL, &judge.ctx) == 0, "no context");
	require(f2fs_device_new_memory(judge.ctx, test->device, &before) == 0, "no device");
	target.device = before;
	require(f2fs_mkfs_write(judge.ctx, &target, 1, &test->format, NULL) == 0, "cannot make the volume");
	fill(judge.ctx, before, test);
	require(digest_of(judge.ctx, before, &judge.expected, &segments) == 0 && judge.expected, "cannot read it");
	require(f2fs_device_fork_memory(before, &after) == 0, "cannot fork");
	require(f2fs_device_new_recorder(after, &recorder) == 0, "cannot record");
	if (resize(&judge, recorder, &result) != 0)
		require(0, f2fs_context_error(judge.ctx)->message);
	for (uint32_t i = 0; i < result.step_count; i++)
		kinds |= 1u << result.steps[i].kind;
	require(kinds == test->kinds, "other steps were taken");
	require(test->kinds == BIT(EXTEND) || result.moved_blocks > 0, "nothing was moved");
	require(crash_each(before, recorder, &options, judge_state, &judge, &states) == 0, test->name);
	printf("%s: %u steps, %llu blocks moved, %llu writes, %llu states\n", test->name, (unsigned)result.step_count,
	       (unsigned long long)result.moved_blocks, (unsigned long long)f2fs_device_record_count(recorder),
	       (unsigned long long)states);
	f2fs_device_close(recorder);
	f2fs_device_close(after);
	f2fs_device_close(before);
	f2fs_context_free(judge.ctx);
}

/* The argument all: more of the combinations of writes between two flushes. */
int main(int argc, char **argv)
{
	const int all = argc > 1 && strcmp(argv[1], "all") == 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		run(&cases[i], all);
	return 0;
}
