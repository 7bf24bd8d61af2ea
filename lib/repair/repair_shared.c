/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair blocks with more than one owner, and data in segments of nodes. A node's footer identifies its block, so a
 * node always keeps it, and the pointer to data is cleared: its data is gone. Between pointers the summary decides,
 * which names node, version and slot. Without a summary the first pointer wins.
 *
 * Each loser gets a copy of the block, because it may be its data. An unreadable directory block is replaced by an
 * empty one. Its names are found again through the inodes, which remember them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "facts/claims.h"
#include "log/heads.h"
#include "repair/repair.h"
#include "repair/repair_left.h"
#include "repair/repair_need.h"
#include "repair/repair_shared.h"
#include "volume/block_read.h"
#include "volume/ssa_read.h"

static int note_moved(struct repair *r, const struct claim *claim, f2fs_blk_t addr)
{
	struct moved_slot *moved = vec_push(&r->moved, 1);

	if (!moved)
		return F2FS_ERR_NOMEM;
	moved->nid = claim->nid;
	moved->slot = claim->slot;
	moved->addr = addr;
	return 0;
}

static int copy_block(struct repair *r, const struct claim *claim)
{
	f2fs_blk_t addr;
	uint32_t got;
	int err = volume_read(r->vol, claim->addr, 0, r->block, r->geo->block_size);

	if (err == F2FS_ERR_IO) { /* nothing to copy */
		error_clear(r->ctx);
		return note_moved(r, claim, 0);
	}
	if (!err)
		err = head_append(r->txn, F2FS_COLD_DATA, claim_owner(claim), 1, r->block, &addr, &got);
	return err ? err : note_moved(r, claim, addr);
}

/* Index of the claim that keeps the block. */
static size_t choose_winner(struct repair *r, const struct vec *claims, size_t first, size_t end)
{
	const struct claim *at = vec_at(claims, first);
	const f2fs_seg_t segno = geometry_segment_of(r->geo, at->addr);
	struct f2fs_block_owner summary;

	for (size_t i = first; i < end; i++)
		if (((const struct claim *)vec_at(claims, i))->is_node)
			return i;
	if (ssa_lookup(r->vol, segno, geometry_offset_of(r->geo, at->addr), &summary) == 0)
		for (size_t i = first; i < end; i++) {
			const struct claim *claim = vec_at(claims, i);

			if (claim->nid == summary.nid && claim->version == summary.version &&
			    claim->slot == summary.ofs_in_node)
				return i;
		}
	error_clear(r->ctx);
	return first;
}

/* Was it decided that the owners continue to share? */
static bool is_left(const struct repair *r, const struct vec *claims, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		const struct claim *claim = vec_at(claims, i);

		if (!repair_wants_slot(r, P_BLOCK_SHARED, claim->nid, claim->slot))
			return true;
	}
	return false;
}

/* One of the owners keeps the block, the others get copies, or lose it to a node. */
static int part_claims(struct repair *r, const struct vec *claims, size_t first, size_t end)
{
	const size_t winner = choose_winner(r, claims, first, end);
	const bool is_node = ((const struct claim *)vec_at(claims, winner))->is_node;
	int err = 0;

	for (size_t i = first; i < end && !err; i++) {
		const struct claim *claim = vec_at(claims, i);

		if (i != winner && !claim->is_node)
			err = is_node ? note_moved(r, claim, 0) : copy_block(r, claim);
	}
	return err;
}

static int compare_moved(const void *a, const void *b)
{
	const struct moved_slot *x = a, *y = b;

	if (x->nid != y->nid)
		return x->nid > y->nid ? 1 : -1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

f2fs_blk_t repair_moved_to(const struct repair *r, f2fs_nid_t nid, uint32_t slot, f2fs_blk_t addr)
{
	const struct moved_slot key = { .nid = nid, .slot = slot };
	const struct moved_slot *moved = vec_find(&r->moved, compare_moved, &key);

	return moved ? moved->addr : addr;
}

/* List the blocks of directories that cannot be read, and have the claims on their segments collected. */
static int mark_unreadable(struct repair *r, struct map32 *lost)
{
	int err = 0;

	if (repair_found(r->c, P_DEVICE_SHORT)) /* there may be no place for another one */
		return 0;
	for (size_t i = 0; i < r->c->findings.count && !err; i++) {
		const struct finding *f = vec_at(&r->c->findings, i);
		struct seg_fact *seg;

		if (f->problem != P_DIR_UNREADABLE || !repair_wanted(r, P_DIR_UNREADABLE, f->ino))
			continue;
		seg = facts_seg(&r->c->facts, geometry_segment_of(r->geo, (f2fs_blk_t)f->block));
		if (!seg)
			continue;
		seg->flags |= SEG_CONFLICT;
		err = map32_set(lost, (f2fs_blk_t)f->block, 1);
	}
	return err;
}

static int replace_block(struct repair *r, const struct claim *claim)
{
	f2fs_blk_t addr;
	uint32_t got;
	int err;

	memset(r->block, 0, r->geo->block_size);
	err = head_append(r->txn, F2FS_HOT_DATA, claim_owner(claim), 1, r->block, &addr, &got);
	return err ? err : note_moved(r, claim, addr);
}

/* The blocks of some segments, from *from on. */
static int part_segments(struct repair *r, f2fs_seg_t *from, const struct map32 *lost)
{
	struct vec claims;
	int err = claims_collect(r->c, SEG_CONFLICT, from, &claims);

	for (size_t i = 0, end; i < claims.count && !err; i = end) {
		const f2fs_blk_t addr = ((const struct claim *)vec_at(&claims, i))->addr;

		for (end = i + 1; end < claims.count; end++)
			if (((const struct claim *)vec_at(&claims, end))->addr != addr)
				break;
		if (end > i + 1 && !is_left(r, &claims, i, end))
			err = part_claims(r, &claims, i, end);
		else if (end == i + 1 && map32_find(lost, addr))
			err = replace_block(r, vec_at(&claims, i));
	}
	vec_fini(&claims);
	return err;
}

static int part_all(struct repair *r, const struct map32 *lost)
{
	f2fs_seg_t from = 0;
	int err = 0;

	while (from < r->geo->segment_count_main && !err)
		err = part_segments(r, &from, lost);
	vec_sort(&r->moved, compare_moved);
	return err;
}

int repair_shared(struct repair *r)
{
	struct map32 lost;
	int err;

	map32_init(&lost, r->ctx);
	err = mark_unreadable(r, &lost);
	if (!err && (r->c->facts.conflicts.count > 0 || lost.count > 0))
		err = part_all(r, &lost);
	map32_fini(&lost);
	return err;
}
