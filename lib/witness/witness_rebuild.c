/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Build direct and indirect nodes again whose blocks hold something else. A direct node has nothing but pointers to
 * data, and the summary of each block in use names its node and slot. Of an indirect node the nodes below are known by
 * their footers: an empty one is enough, since the next vote puts the pointers into it (witness_tree.c).
 *
 * Not known any more are blocks that were reserved and not written.
 */
#include <string.h>

#include "facts/node_digest.h"
#include "volume/ssa_read.h"
#include "witness/further_parents.h"
#include "witness/witness.h"
#include "witness/witness_rebuild.h"
#include "witness/witness_tree.h"
#include "witness/witness_unclaimed.h"

int rebuild_note_misplaced(const struct checker *c, struct map32 *misplaced)
{
	int err = 0;

	for (size_t i = 0; i < c->findings.count && !err; i++) {
		const struct finding *f = vec_at(&c->findings, i);

		if (f->problem == P_NODE_NID && geometry_is_nid(c->geo, (f2fs_nid_t)f->found))
			err = map32_set(misplaced, (f2fs_nid_t)f->found, 1);
	}
	return err;
}

int rebuild_is_due(struct checker *c, const struct map32 *misplaced, const struct nid_fact *fact, bool *out)
{
	const struct seg_fact *seg = facts_seg(&c->facts, geometry_segment_of(c->geo, fact->addr));
	struct block_view view;
	bool is_readable, is_other;
	int err;

	*out = false;
	if (fact->kind != FACT_BAD || fact->addr == 0 || !seg || map32_find(misplaced, fact->nid))
		return 0;
	err = witness_view(c, fact->addr, &view, &is_readable);
	is_other = is_readable ? view.nid != fact->nid || (fact->flags & FACT_HEADLESS) : c->vol->accepts_unread;
	if (err || !view.is_in_sit || !is_other)
		return err;
	*out = view.has_sum ? view.is_node_sum && view.sum_nid == fact->nid
			    : seg->sit_type >= F2FS_HOT_NODE &&
				      !msb_test(seg->node_map, geometry_offset_of(c->geo, fact->addr));
	return 0;
}

void rebuild_footer(const struct checker *c, const struct nid_fact *fact, uint32_t offset, bool is_of_directory,
		    uint8_t *block)
{
	uint8_t *footer = node_footer_w(c->geo, block);

	footer_set_nid(footer, fact->nid);
	footer_set_ino(footer, fact->ino);
	footer_set_flag(footer, offset << 3 | !is_of_directory);
	footer_set_cp_ver(footer, cp_checkpoint_ver(c->vol->view->cp));
	footer_set_next_blkaddr(footer, fact->addr + 1);
}

/* May a node below an inode be built again, by the facts? */
static bool is_candidate(const struct checker *c, const struct nid_fact *fact)
{
	const struct inode_fact *inode = node_is_lost_in_place(c, fact) ? facts_inode(&c->facts, fact->ino) : NULL;

	return inode && inode_fact_has_contents(inode) && !inode_fact_is_inline(inode);
}

static int is_slot_of_candidate(struct checker *c, void *user, const struct unclaimed *block, bool *is_wanted)
{
	const struct nid_fact *fact = facts_nid(&c->facts, block->nid);

	(void)user;
	*is_wanted = fact && fact->version == block->version && is_candidate(c, fact);
	return 0;
}

uint32_t rebuild_slots(const struct vec *blocks, f2fs_nid_t nid, uint8_t *slots, uint32_t count)
{
	uint32_t last = 0;

	for (size_t i = unclaimed_first(blocks, nid), end; i < blocks->count; i = end) {
		const struct unclaimed *one = vec_at(blocks, i);

		if (one->nid != nid)
			break;
		end = unclaimed_end(blocks, i);
		if (end != i + 1 || one->slot >= count) /* of several none can be chosen */
			continue;
		put_le32(slots + (size_t)one->slot * 4, one->addr);
		last = one->slot + 1;
	}
	return last;
}

void rebuild_heads(uint8_t *slots, uint32_t count, uint32_t cluster_blocks)
{
	for (uint32_t i = 0; cluster_blocks && i + cluster_blocks <= count; i += cluster_blocks)
		if (get_le32(slots + (size_t)i * 4) == F2FS_NULL_ADDR &&
		    get_le32(slots + (size_t)(i + 1) * 4) != F2FS_NULL_ADDR)
			put_le32(slots + (size_t)i * 4, F2FS_COMPRESS_ADDR);
}

/* Is there a node outside the tree whose place is below this place? */
static bool has_nodes_below(const struct checker *c, const struct vec *loose, const struct nid_fact *fact)
{
	const uint32_t n = c->geo->nids_per_block;
	const uint32_t most = node_kind_at(c->geo, fact->place) == FACT_DOUBLE ? n * (n + 1) : n;
	const struct loose_node key = { .ino = fact->ino, .offset = fact->place + 1 };
	const size_t at = vec_first(loose, loose_compare_places, &key);
	const struct loose_node *found = at < loose->count ? vec_at(loose, at) : NULL;

	return found && found->ino == fact->ino && found->offset - fact->place <= most;
}

/* Is a node of the inode lost with all pointers to it? It may be below this one. */
static bool has_lost_below(const struct checker *c, f2fs_nid_t ino)
{
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;

	while ((fact = facts_next_whole(&c->facts, &walk)) != NULL)
		if (fact->kind == FACT_BAD && fact->ino == ino && fact->nid != ino && !(fact->flags & FACT_CLAIMED))
			return true;
	return false;
}

static int rebuild(struct checker *c, const struct map32 *misplaced, const struct vec *blocks,
		   const struct vec *loose, const struct nid_fact *fact, uint8_t *block)
{
	const struct inode_fact *inode = facts_inode(&c->facts, fact->ino);
	const bool is_direct = node_kind_at(c->geo, fact->place) == FACT_DIRECT;
	const struct finding why = { .problem = P_NODE_REBUILT,
				     .nid = fact->nid,
				     .ino = fact->ino,
				     .has_block = 1,
				     .block = fact->addr,
				     .text = is_direct ? "the summary of each block in use below it"
						       : "the footer of each node below it" };
	bool is_due;
	int err = rebuild_is_due(c, misplaced, fact, &is_due);

	if (err || !is_due)
		return err;
	memset(block, 0, c->geo->block_size);
	if (is_direct ? rebuild_slots(blocks, fact->nid, block, inode->node_slots) == 0
		      : !has_nodes_below(c, loose, fact) && !has_lost_below(c, fact->ino))
		return 0;
	if (is_direct)
		rebuild_heads(block, inode->node_slots, inode->cluster_blocks);
	rebuild_footer(c, fact, fact->place, inode->type == F2FS_TYPE_DIRECTORY, block);
	return witness_amend_block(c, fact->addr, block, &why);
}

static bool has_candidates(const struct checker *c)
{
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;

	while ((fact = facts_next_whole(&c->facts, &walk)) != NULL)
		if (is_candidate(c, fact))
			return true;
	return false;
}

int witness_rebuild(struct checker *c, const struct vec *loose)
{
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	struct map32 misplaced;
	struct vec blocks;
	uint8_t *block;
	int err;

	if (!has_candidates(c))
		return 0;
	block = mem_alloc(c->ctx, c->geo->block_size);
	if (!block)
		return F2FS_ERR_NOMEM;
	vec_init(&blocks, c->ctx, sizeof(struct unclaimed));
	map32_init(&misplaced, c->ctx);
	err = rebuild_note_misplaced(c, &misplaced);
	if (!err)
		err = witness_unclaimed(c, is_slot_of_candidate, NULL, &blocks);
	while (!err && (fact = facts_next_whole(&c->facts, &walk)) != NULL)
		if (is_candidate(c, fact))
			err = rebuild(c, &misplaced, &blocks, loose, fact, block);
	vec_fini(&blocks);
	map32_fini(&misplaced);
	mem_free(c->ctx, block);
	return err;
}
