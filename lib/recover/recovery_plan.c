/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make the plan: follow the chain once, note every node, and the inodes with fsynced nodes. Afterwards the counting
 * nodes are known: those of an inode that exists or is created, up to its last fsynced one (FORMAT files 12.3, passes 1
 * and 2). Nothing is changed, and the tree is only asked whether an inode exists.
 */
#include "base/error.h"
#include "recover/chain_read.h"
#include "recover/orphan_links.h"
#include "recover/recovery_plan.h"
#include "recover/run.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"

#include <string.h>

/* State that is needed only while the chain is followed. */
struct walk {
	struct f2fs_recovery *plan;
	struct chain_reader reader;
	struct map32 visited; /* addresses; to find a circle */
	struct map32 orphans; /* inodes that are deleted before the chain is applied */
};

static int exists(const struct walk *walk, f2fs_nid_t ino, bool *found)
{
	struct f2fs_volume *vol = walk->plan->vol;
	struct f2fs_nat_info entry;
	int err;

	*found = false;
	if (!geometry_is_nid(&vol->geo, ino) || map32_find(&walk->orphans, ino))
		return 0;
	err = nat_get(vol, ino, &entry);
	if (!err)
		*found = entry.block_addr != F2FS_NULL_ADDR;
	return err;
}

static int need_inode(struct walk *walk, f2fs_nid_t ino, struct chain_inode **out)
{
	struct f2fs_recovery *plan = walk->plan;
	uint64_t *slot = map32_find(&plan->index, ino);
	int err;

	if (slot) {
		*out = chain_inode_at(plan, (size_t)*slot);
		return 0;
	}
	*out = vec_push(&plan->inodes, 1);
	if (!*out)
		return F2FS_ERR_NOMEM;
	err = map32_set(&plan->index, ino, plan->inodes.count - 1);
	if (err) {
		plan->inodes.count--;
		return err;
	}
	(*out)->ino = ino;
	(*out)->created_by = (*out)->last_dentry = CHAIN_NOWHERE;
	return 0;
}

/*
 * The NAT does not have an inode that the chain changes without having made it. Fsynced data is dropped for that only
 * where the NAT has the root: without it a block of the NAT was read as zeros.
 */
static int must_have_root(struct walk *walk)
{
	struct f2fs_volume *vol = walk->plan->vol;
	bool found;
	int err = exists(walk, vol->geo.root_ino, &found);

	if (err || found)
		return err;
	return volume_corrupt(vol, RULE_NAT_FREE, F2FS_NO_BLOCK, vol->geo.root_ino,
			      "the NAT has not even the root, so fsynced data may not be dropped");
}

/* Pass 1 for one fsynced node at position i. */
static int note_fsynced(struct walk *walk, uint32_t i)
{
	struct f2fs_recovery *plan = walk->plan;
	const struct chain_node node = *chain_node_at(plan, i);
	struct chain_inode *inode;
	bool found;
	int err;

	plan->fsynced++;
	if (!geometry_is_nid(&plan->vol->geo, node.ino)) {
		plan->dropped++;
		return 0;
	}
	err = need_inode(walk, node.ino, &inode);
	if (err)
		return err;
	if (!inode->is_known) {
		err = exists(walk, node.ino, &found);
		if (err)
			return err;
		if (chain_has_dentry(&node)) {
			inode->is_taken = found;
			inode->is_new = inode->is_known = true;
			inode->created_by = i;
			plan->created++;
		} else {
			inode->is_known = found;
			err = found ? 0 : must_have_root(walk);
			if (err)
				return err;
		}
		plan->known += inode->is_known;
	}
	if (!inode->is_known) {
		plan->dropped++;
		return 0;
	}
	inode->last = i;
	if (chain_has_dentry(&node))
		inode->last_dentry = i;
	return 0;
}

/* Take the node at addr into the chain. *next: its continuation. False in *more: it is no part of the chain. */
static int take_node(struct walk *walk, f2fs_blk_t addr, f2fs_blk_t *next, bool *more)
{
	struct f2fs_recovery *plan = walk->plan;
	struct f2fs_volume *vol = plan->vol;
	const uint8_t *block, *footer;
	struct chain_node *node;
	int err = chain_read(&walk->reader, addr, &block);

	*more = false;
	if (err)
		return err;
	footer = node_footer(&vol->geo, block);
	if (!checkpoint_is_recoverable(vol->view->cp, footer_cp_ver(footer))) {
		plan->end = F2FS_CHAIN_FOREIGN;
		plan->end_version = footer_cp_ver(footer);
		return 0;
	}
	node = vec_push(&plan->nodes, 1);
	if (!node)
		return F2FS_ERR_NOMEM;
	node->addr = addr;
	node->nid = footer_nid(footer);
	node->ino = footer_ino(footer);
	node->flag = footer_flag(footer);
	*next = footer_next_blkaddr(footer);
	*more = true;
	err = map32_set(&walk->visited, addr, 1);
	if (!err && chain_is_fsynced(node))
		err = note_fsynced(walk, (uint32_t)plan->nodes.count - 1);
	return err;
}

static int follow(struct walk *walk)
{
	struct f2fs_recovery *plan = walk->plan;
	struct f2fs_volume *vol = plan->vol;
	bool more = true;

	plan->start = plan->end_block =
		geometry_segment_start(&vol->geo, checkpoint_log_segno(vol->view->cp, F2FS_WARM_NODE)) +
		checkpoint_log_blkoff(vol->view->cp, F2FS_WARM_NODE);
	if (cp_ckpt_flags(vol->view->cp) & FLAG_ckpt_flags_disabled) {
		plan->end = F2FS_CHAIN_DISABLED;
		return 0;
	}
	/* no address twice: at most as many steps as the main area has blocks */
	while (more) {
		f2fs_blk_t next = 0;
		int err;

		if (!geometry_is_main(&vol->geo, plan->end_block)) {
			plan->end = F2FS_CHAIN_OUTSIDE;
			return 0;
		}
		if (map32_find(&walk->visited, plan->end_block)) {
			plan->end = F2FS_CHAIN_LOOP;
			return 0;
		}
		err = take_node(walk, plan->end_block, &next, &more);
		if (err)
			return err;
		if (more)
			plan->end_block = next;
	}
	return 0;
}

struct chain_inode *chain_counts(const struct f2fs_recovery *plan, size_t i)
{
	uint64_t *slot = map32_find(&plan->index, chain_node_at(plan, i)->ino);
	struct chain_inode *inode = slot ? chain_inode_at(plan, (size_t)*slot) : NULL;

	return inode && inode->is_known && i <= inode->last ? inode : NULL;
}

/*
 * Does a directory name one of the inodes that the NAT does not have? The chain has such an inode only if it did not
 * get as far as its name, and then no directory has the name either. Else a block of the NAT was lost.
 */
static int find_hidden(struct walk *walk)
{
	struct f2fs_recovery *plan = walk->plan;
	uint8_t *copy = mem_alloc(plan->vol->ctx, plan->vol->geo.block_size);
	int err = copy ? 0 : F2FS_ERR_NOMEM;

	for (size_t i = 0; i < plan->nodes.count && plan->dropped && !plan->hidden && !err; i++) {
		const struct chain_node *node = chain_node_at(plan, i);
		const uint8_t *block;
		bool is_named = false;

		if (node->nid != node->ino || !geometry_is_nid(&plan->vol->geo, node->ino) || !chain_is_fsynced(node) ||
		    map32_find(&walk->orphans, node->ino) || chain_counts(plan, i))
			continue;
		err = chain_read(&walk->reader, node->addr, &block);
		if (err)
			break;
		memcpy(copy, block, plan->vol->geo.block_size);
		err = inode_find_named(plan->vol, node->ino, copy, &is_named);
		if (is_named)
			plan->hidden = node->ino;
	}
	mem_free(plan->vol->ctx, copy);
	return err;
}

static int copy_map(struct map32 *to, const struct map32 *from)
{
	uint32_t key;
	uint64_t value;
	size_t at = 0;
	int err = 0;

	while (!err && map32_each(from, &at, &key, &value))
		err = map32_set(to, key, value);
	return err;
}

/* Which listed inodes are deleted before the chain is applied, and which stay? */
static int take_orphans(struct walk *walk, const struct map32 *kept)
{
	struct f2fs_volume *vol = walk->plan->vol;
	struct map32 *linked = &walk->plan->linked;
	int err = kept ? copy_map(linked, kept) : orphans_find_linked(vol, linked);

	for (uint32_t i = 0; i < chain_orphans(vol) && !err; i++) {
		f2fs_nid_t ino = *(f2fs_nid_t *)vec_at(&vol->view->orphans, i);

		if (geometry_is_nid(&vol->geo, ino) && !map32_find(linked, ino))
			err = map32_set(&walk->orphans, ino, 1);
	}
	return err;
}

static int fill(struct walk *walk, const struct map32 *kept)
{
	struct f2fs_volume *vol = walk->plan->vol;
	int err = chain_reader_init(&walk->reader, vol);

	if (!err)
		err = take_orphans(walk, kept);
	if (!err)
		err = follow(walk);
	if (!err)
		err = find_hidden(walk);
	for (size_t i = 0; i < walk->plan->nodes.count && !err; i++)
		walk->plan->replayed += chain_counts(walk->plan, i) != NULL;
	return err;
}

int recovery_plan(struct f2fs_volume *vol, const struct map32 *kept, struct f2fs_recovery **out)
{
	struct walk walk = { .plan = mem_zalloc(vol->ctx, sizeof(*walk.plan)), .reader = { .vol = vol } };
	int err;

	if (!walk.plan)
		return F2FS_ERR_NOMEM;
	walk.plan->vol = vol;
	vec_init(&walk.plan->nodes, vol->ctx, sizeof(struct chain_node));
	vec_init(&walk.plan->inodes, vol->ctx, sizeof(struct chain_inode));
	map32_init(&walk.plan->index, vol->ctx);
	map32_init(&walk.plan->linked, vol->ctx);
	map32_init(&walk.visited, vol->ctx);
	map32_init(&walk.orphans, vol->ctx);
	err = fill(&walk, kept);
	chain_reader_fini(&walk.reader);
	map32_fini(&walk.visited);
	map32_fini(&walk.orphans);
	if (err)
		f2fs_recovery_close(walk.plan);
	else
		*out = walk.plan;
	return err;
}

uint32_t chain_deletes(const struct f2fs_recovery *plan)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < chain_orphans(plan->vol); i++)
		count += !map32_find(&plan->linked, *(f2fs_nid_t *)vec_at(&plan->vol->view->orphans, i));
	return count;
}

bool recovery_is_needed(const struct f2fs_recovery *plan)
{
	return plan->fsynced > 0 || chain_orphans(plan->vol) > 0 || plan->end == F2FS_CHAIN_DISABLED;
}

int f2fs_recovery_open(struct f2fs_volume *vol, struct f2fs_recovery **out)
{
	error_clear(vol->ctx);
	return recovery_plan(vol, NULL, out);
}

void f2fs_recovery_close(struct f2fs_recovery *plan)
{
	if (!plan)
		return;
	vec_fini(&plan->nodes);
	vec_fini(&plan->inodes);
	map32_fini(&plan->index);
	map32_fini(&plan->linked);
	mem_free(plan->vol->ctx, plan);
}
