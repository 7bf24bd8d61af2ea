/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 4, the maps: compare each inode's block count with the blocks counted, read the targets of symlinks that have a
 * block, and find blocks with more than one owner. Needs the nodes pass. Leaves facts as they are.
 */
#include <stdlib.h>

#include "check/passes.h"
#include "facts/claims.h"
#include "facts/cut.h"
#include "facts/finding.h"
#include "facts/sweep.h"

static int check_inode(struct checker *c, const struct inode_fact *inode)
{
	int err = 0;

	if (cut_has(c, inode->ino)) /* already reported, and all of this follows */
		return 0;
	if (inode->blocks != inode->blocks_found)
		err = inode_raise(c, P_BLOCK_COUNT, inode, inode->blocks, inode->blocks_found);
	if (!err && inode->cluster_blocks && inode->compr_blocks != inode->compr_found)
		err = inode_raise(c, P_COMPR_BLOCKS, inode, inode->compr_blocks, inode->compr_found);
	if (!err && inode->type == F2FS_TYPE_REGULAR && !(inode->state & INODE_ALIAS) && inode->cluster_blocks == 0 &&
	    inode->ext_seen != inode->ext_len)
		err = inode_raise(c, P_EXTENT_WRONG, inode, inode->ext_len, inode->ext_seen);
	return err;
}

static int compare_blocks(const void *a, const void *b)
{
	const f2fs_blk_t x = *(const f2fs_blk_t *)a, y = *(const f2fs_blk_t *)b;

	return (x > y) - (x < y);
}

static int raise_shared(struct checker *c, const struct claim *claim)
{
	return problem_raise(c, &(struct finding){ .problem = P_BLOCK_SHARED,
						   .nid = claim->nid,
						   .ino = facts_nid(&c->facts, claim->nid)->ino,
						   .has_block = 1,
						   .block = claim->addr,
						   .has_slot = 1,
						   .slot = claim->slot });
}

/* Is the block of a claim among the conflicts, of which *at is the first that may be it? */
static int raise_if_shared(struct checker *c, const struct claim *claim, size_t *at)
{
	const struct vec *conflicts = &c->facts.conflicts;

	while (*at < conflicts->count && *(const f2fs_blk_t *)vec_at(conflicts, *at) < claim->addr)
		++*at;
	if (*at < conflicts->count && *(const f2fs_blk_t *)vec_at(conflicts, *at) == claim->addr)
		return raise_shared(c, claim);
	return 0;
}

/* Find all owners of blocks that were claimed twice. */
static int check_conflicts(struct checker *c)
{
	struct vec *conflicts = &c->facts.conflicts;
	f2fs_seg_t from = 0;
	size_t at = 0;
	int err = 0;

	vec_sort(conflicts, compare_blocks);
	while (conflicts->count && from < c->geo->segment_count_main && !err) {
		struct vec claims;

		err = claims_collect(c, SEG_CONFLICT, &from, &claims);
		for (size_t i = 0; i < claims.count && !err; i++)
			err = raise_if_shared(c, vec_at(&claims, i), &at);
		vec_fini(&claims);
	}
	return err;
}

static int check_target(struct checker *c, const struct sweep_item *item, const uint8_t *block, uint32_t judged)
{
	(void)judged;
	if (block[0] != 0)
		return 0;
	return problem_raise(c, &(struct finding){ .problem = P_SYMLINK_TARGET,
						   .nid = item->tag,
						   .ino = item->tag,
						   .has_block = 1,
						   .block = item->addr });
}

/* A block of contents that the device does not give is no damage of the volume. */
static int skip_target(struct checker *c, const struct sweep_item *item)
{
	(void)c;
	(void)item;
	return 0;
}

int pass_maps(struct checker *c)
{
	static const struct sweep sweep = { "symlinks", NULL, check_target, skip_target, NULL };
	int err = 0;

	for (uint32_t i = 0; i < facts_whole_count(&c->facts) && !err; i++) /* plain ones are right */
		err = check_inode(c, facts_inode_at(&c->facts, i));
	if (!err && c->targets.count)
		err = sweep_run(c, &sweep, &c->targets);
	return err ? err : check_conflicts(c);
}
