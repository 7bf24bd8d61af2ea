/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Show a plan: numbers, inodes, nodes, and the blocks of a file that would change.
 */
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "recover/plan_show.h"
#include "recover/recovery_plan.h"
#include "recover/run.h"
#include "volume/block_read.h"

const char *f2fs_chain_end_name(int end)
{
	static const char *const names[] = { "foreign", "outside", "loop", "disabled" };

	return end >= 0 && end <= F2FS_CHAIN_DISABLED ? names[end] : "unknown";
}

void f2fs_recovery_summarize(const struct f2fs_recovery *plan, struct f2fs_recovery_summary *out)
{
	const struct f2fs_recovery_summary own = {
		.start = plan->start,
		.end_block = plan->end_block,
		.end = plan->end,
		.version = checkpoint_node_version(plan->vol->view->cp),
		.end_version = plan->end_version,
		.nodes = plan->nodes.count,
		.fsynced = plan->fsynced,
		.replayed = plan->replayed,
		.dropped = plan->dropped,
		.inodes = plan->known,
		.new_inodes = plan->created,
		.orphans = chain_deletes(plan),
		.needs_recovery = recovery_is_needed(plan),
	};

	sized_give(out, &own, sizeof(own));
}

const struct chain_inode *recovery_find_inode(const struct f2fs_recovery *plan, uint32_t index)
{
	for (size_t i = 0; i < plan->inodes.count; i++) {
		const struct chain_inode *inode = chain_inode_at(plan, i);

		if (inode->is_known && index-- == 0)
			return inode;
	}
	error_set(plan->vol->ctx, F2FS_ERR_NOT_FOUND, "the plan has no further inode");
	return NULL;
}

static int read_node(const struct f2fs_recovery *plan, size_t i, uint8_t *block)
{
	return volume_read(plan->vol, chain_node_at(plan, i)->addr, 0, block, plan->vol->geo.block_size);
}

/* Fill in name and size from the last inode blocks of the chain. */
static int fill_from_blocks(const struct f2fs_recovery *plan, const struct chain_inode *inode, size_t last_inode,
			    struct f2fs_recovery_inode *out)
{
	uint8_t *block = mem_alloc(plan->vol->ctx, plan->vol->geo.block_size);
	int err = block ? 0 : F2FS_ERR_NOMEM;

	if (!err && last_inode != SIZE_MAX) {
		err = read_node(plan, last_inode, block);
		if (!err) {
			out->last_inode = chain_node_at(plan, last_inode)->addr;
			out->size = inode_i_size(block);
			out->mode = inode_i_mode(block);
		}
	}
	if (!err && inode->last_dentry != CHAIN_NOWHERE) {
		err = read_node(plan, inode->last_dentry, block);
		if (!err) {
			uint32_t length = inode_i_namelen(block);

			out->has_name = 1;
			out->parent = inode_i_pino(block);
			out->name_length = (uint16_t)(length < inode_SIZE_i_name ? length : inode_SIZE_i_name);
			memcpy(out->name, inode_i_name(block), out->name_length);
		}
	}
	mem_free(plan->vol->ctx, block);
	return err;
}

int f2fs_recovery_inode_at(const struct f2fs_recovery *plan, uint32_t index, struct f2fs_recovery_inode *out)
{
	const struct chain_inode *inode;
	struct f2fs_recovery_inode found = { 0 };
	size_t last_inode = SIZE_MAX;
	int err;

	error_clear(plan->vol->ctx);
	inode = recovery_find_inode(plan, index);
	if (!inode)
		return F2FS_ERR_NOT_FOUND;
	found.ino = inode->ino;
	found.is_new = inode->is_new;
	for (size_t i = 0; i <= inode->last; i++) {
		const struct chain_node *node = chain_node_at(plan, i);

		if (node->ino != inode->ino)
			continue;
		if (found.nodes++ == 0)
			found.first = node->addr;
		found.last = node->addr;
		if (node->nid == node->ino)
			last_inode = i;
	}
	err = fill_from_blocks(plan, inode, last_inode, &found);
	if (!err)
		*out = found;
	return err;
}

int f2fs_recovery_node_at(const struct f2fs_recovery *plan, uint64_t index, struct f2fs_recovery_node *out)
{
	const struct chain_node *node;

	error_clear(plan->vol->ctx);
	if (index >= plan->nodes.count)
		return error_set(plan->vol->ctx, F2FS_ERR_NOT_FOUND, "the chain has no further node");
	node = chain_node_at(plan, (size_t)index);
	memset(out, 0, sizeof(*out));
	out->addr = node->addr;
	out->nid = node->nid;
	out->ino = node->ino;
	out->node_offset = node->flag >> 3;
	out->is_fsynced = chain_is_fsynced(node);
	out->has_dentry = chain_has_dentry(node);
	out->is_replayed = chain_counts(plan, (size_t)index) != NULL;
	return 0;
}
