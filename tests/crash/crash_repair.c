/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Power cuts during a repair: whatever of its writes has reached the disk, the volume is as it was, or repaired, or
 * (when the repair takes several commits) in between and then not worse: it opens if it did before, and has no more
 * losses. Another repair brings it to the same files as one that was not cut, and a check finds nothing afterwards.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <f2fskit/f2fskit.h>

#include "common/seed.h"
#include "crash/crash.h"
#include "crash/tree_digest.h"

static struct f2fs_geometry geo;

static void require(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static void wipe(struct f2fs_device *dev, f2fs_blk_t first, uint32_t count)
{
	require(f2fs_device_zero(dev, (uint64_t)first << geo.block_bits, (uint64_t)count << geo.block_bits) == 0,
		"cannot wipe");
}

/* Block of the inode of a path, and of its first block of contents. */
static f2fs_blk_t find_block(struct f2fs_context *ctx, struct f2fs_device *dev, const char *path, int contents)
{
	struct f2fs_nat_info entry;
	struct f2fs_inode *inode;
	struct f2fs_volume *vol;
	f2fs_blk_t addr = 0;

	require(f2fs_volume_open(ctx, dev, NULL, &vol) == 0, "cannot open");
	require(f2fs_lookup(vol, path, 0, &inode) == 0, path);
	if (contents)
		require(f2fs_inode_block(inode, 0, &addr) == 0, "no contents");
	else
		require(f2fs_nat_lookup(vol, f2fs_inode_number(inode), &entry) == 0, "no entry");
	if (!contents)
		addr = entry.block_addr;
	f2fs_inode_close(inode);
	f2fs_volume_close(vol);
	return addr;
}

static void lose_nat(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	(void)ctx;
	wipe(dev, geo.nat_blkaddr, geo.segment_count_nat * F2FS_SEGMENT_BLOCKS);
}

static void lose_sit(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	(void)ctx;
	wipe(dev, geo.cp_blkaddr, 2 * F2FS_SEGMENT_BLOCKS); /* a small volume has its SIT in the journals */
	wipe(dev, geo.sit_blkaddr, geo.segment_count_sit * F2FS_SEGMENT_BLOCKS);
	wipe(dev, geo.ssa_blkaddr, geo.segment_count_ssa * F2FS_SEGMENT_BLOCKS);
}

static void lose_packs(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	(void)ctx;
	wipe(dev, geo.cp_blkaddr, 2 * F2FS_SEGMENT_BLOCKS);
}

static void lose_superblocks(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	(void)ctx;
	wipe(dev, 0, 2);
}

static void lose_root(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	wipe(dev, find_block(ctx, dev, "/", 0), 1);
}

static void lose_entries(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	const uint64_t at = (uint64_t)find_block(ctx, dev, "/tree", 0) << geo.block_bits;

	/* all that the directory holds inside its inode */
	require(f2fs_device_zero(dev, at + 560, 3000) == 0, "cannot wipe");
}

struct test_case {
	const char *name, *seed;
	void (*damage)(struct f2fs_context *ctx, struct f2fs_device *dev);
};

static const struct test_case cases[] = {
	{ "NAT", "plain", lose_nat },	  { "packs, SIT and SSA", "sections", lose_sit },
	{ "packs", "plain", lose_packs }, { "superblocks", "features", lose_superblocks },
	{ "root", "plain", lose_root },	  { "entries", "plain", lose_entries },
};

static int repair(struct f2fs_context *ctx, struct f2fs_device *dev, int really, struct f2fs_check_result *result)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .repair = really, .threads = 1 };

	return f2fs_check(ctx, dev, &options, result);
}

/* The findings of a check, and whether the volume can be opened. */
struct condition {
	int rc; /* of the check */
	int opens;
	uint64_t found, losses;
};

struct judge {
	struct f2fs_context *ctx;
	uint64_t expected;
	struct condition damaged;
	uint64_t as_before, repaired, between; /* states */
};

static int count_loss(void *user, const struct f2fs_problem *problem)
{
	struct condition *seen = user;

	seen->losses += problem->info->severity == F2FS_SEVERITY_LOSS;
	return F2FS_DECIDE_SKIP;
}

static struct condition look(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	struct condition seen = { 0 };
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options),
						    .problem = count_loss, .user = &seen, .threads = 1 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	struct f2fs_volume *vol;

	seen.rc = f2fs_check(ctx, dev, &options, &result);
	seen.found = result.found;
	seen.opens = f2fs_volume_open(ctx, dev, NULL, &vol) == 0;
	if (seen.opens)
		f2fs_volume_close(vol);
	return seen;
}

/* Return the fault of a state after a cut; NULL: none. */
static const char *judge_cut(struct judge *judge, struct f2fs_device *dev)
{
	const struct condition seen = look(judge->ctx, dev), *damaged = &judge->damaged;

	if (seen.rc == 0 && seen.found == 0)
		judge->repaired++;
	else if (seen.rc == damaged->rc && seen.found == damaged->found && seen.losses == damaged->losses)
		judge->as_before++;
	else
		judge->between++;
	if (seen.rc != 0 && damaged->rc == 0)
		return "the volume cannot be checked any more";
	if (!seen.opens && damaged->opens)
		return "the volume cannot be opened any more";
	return damaged->rc == 0 && seen.losses > damaged->losses ? "more is lost than before" : NULL;
}

static uint64_t digest_of(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	struct tree_digest digest = { 0 };
	struct f2fs_volume *vol;

	if (f2fs_volume_open(ctx, dev, NULL, &vol) != 0)
		return 0;
	if (tree_digest_files(vol, &digest) != 0 || digest.fault)
		digest.tree = 0;
	f2fs_volume_close(vol);
	return digest.tree;
}

static int judge_state(void *user, const struct crash_state *state)
{
	struct judge *judge = user;
	const char *why = judge_cut(judge, state->dev);
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	char text[200];
	int rc = repair(judge->ctx, state->dev, 1, &result);

	if (rc == 0)
		rc = repair(judge->ctx, state->dev, 0, &result);
	if (rc == 0 && !why && result.found == 0 && digest_of(judge->ctx, state->dev) == judge->expected)
		return 0;
	crash_describe(state, text, sizeof(text));
	fprintf(stderr, "%s: %s\n", text,
		rc	       ? f2fs_context_error(judge->ctx)->message
		: why	       ? why
		: result.found ? "a second check finds something"
			       : "other files are there");
	return 1;
}

static void run(const struct test_case *test)
{
	const struct crash_options options = { .subsets = 24, .scattered = 6, .seed = 5 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	struct f2fs_device *after, *recorder;
	struct judge judge = { 0 };
	struct seed seed;
	uint64_t states;

	require(seed_open(&seed, test->seed, NULL) == 0, "cannot open the seed");
	geo = *f2fs_volume_geometry(seed.vol);
	f2fs_volume_close(seed.vol);
	seed.vol = NULL;
	test->damage(seed.ctx, seed.dev);
	require(f2fs_device_fork_memory(seed.dev, &after) == 0, "cannot fork");
	require(f2fs_device_open_recorder(after, &recorder) == 0, "cannot record");
	require(repair(seed.ctx, recorder, 1, &result) == 0 && result.left == 0, "the repair itself fails");
	require(result.rounds > 0, "there was nothing to repair");
	judge.ctx = seed.ctx;
	judge.damaged = look(seed.ctx, seed.dev);
	judge.expected = digest_of(seed.ctx, after);
	require(judge.expected != 0, "the repaired volume cannot be read");
	require(crash_each(seed.dev, recorder, &options, judge_state, &judge, &states) == 0, test->name);
	printf("%s: %llu rounds, %llu writes, %llu states: %llu as before, %llu repaired, %llu between\n", test->name,
	       (unsigned long long)result.rounds, (unsigned long long)f2fs_device_record_count(recorder),
	       (unsigned long long)states, (unsigned long long)judge.as_before, (unsigned long long)judge.repaired,
	       (unsigned long long)judge.between);
	f2fs_device_close(recorder);
	f2fs_device_close(after);
	seed_close(&seed);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		run(&cases[i]);
	return 0;
}
