/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 5, directories: read all their blocks in device order. Needs the inodes and the list of directory blocks.
 * Collects the number of names of each inode and the directory that names it, and of each directory its dots, depth and
 * end. Sets INODE_ORPHAN.
 */
#include <string.h>

#include "check/passes.h"
#include "facts/cut.h"
#include "facts/dir_judge.h"
#include "facts/dir_twins.h"
#include "facts/finding.h"
#include "facts/inode_mend.h"
#include "facts/inode_type.h"
#include "facts/sweep.h"
#include "witness/witness.h"
#include "witness/witness_copies.h"
#include "witness/witness_folding.h"
#include "witness/witness_inodes.h"
#include "witness/witness_levels.h"
#include "witness/witness_names.h"
#include "witness/witness_own.h"
#include "witness/witness_swaps.h"

#define MOST_WRONG_SLOTS 8u /* of a block, by a few wrong bits */

static int raise_entry(struct checker *c, enum problem problem, const struct inode_fact *dir, f2fs_blk_t block,
		       uint32_t slot, uint64_t found, uint64_t expected)
{
	return problem_raise(c, &(struct finding){ .problem = (uint16_t)problem,
						   .nid = dir->ino,
						   .ino = dir->ino,
						   .has_block = 1,
						   .block = block,
						   .has_slot = 1,
						   .slot = slot,
						   .entry_block = block,
						   .entry_slot = (uint16_t)slot,
						   .has_values = 1,
						   .found = found,
						   .expected = expected });
}

/* Does an inode remember the name of an entry? */
static bool is_own_name(struct checker *c, const struct inode_fact *dir, const struct dentry_ref *ref)
{
	struct own_name own;

	return witness_own_name(c, dir, ref->ino, &own) && own.length == ref->name_len &&
	       memcmp(own.bytes, ref->name, own.length) == 0;
}

/* Choose between two entries for one directory: i_pino confirms one. If both are in the same directory, i_name does. */
static int take_second_parent(struct checker *c, struct inode_fact *dir, f2fs_blk_t block,
			      const struct dentry_ref *ref, struct inode_fact *child)
{
	struct inode_fact *other = facts_dir(&c->facts, child->parent);
	const f2fs_blk_t other_block = child->entry_block;
	const uint32_t other_slot = child->entry_slot, slot = ref->slot;

	if (!other || child->pino != dir->ino || (other == dir && !is_own_name(c, dir, ref)))
		return raise_entry(c, P_DIR_TWICE, dir, block, slot, child->ino, 0);
	child->parent = dir->ino;
	child->entry_block = block;
	child->entry_slot = (uint16_t)slot;
	return raise_entry(c, P_DIR_TWICE, other, other_block, other_slot, child->ino, 0);
}

/* Count an entry for the inode that it names. */
static int take_child(struct checker *c, struct inode_fact *dir, f2fs_blk_t block, const struct dentry_ref *ref)
{
	struct inode_fact *child;
	int err;

	if (!geometry_is_nid(c->geo, ref->ino))
		return raise_entry(c, P_DENTRY_INO, dir, block, ref->slot, ref->ino, 0);
	if (facts_name_plain(&c->facts, ref->ino, ref->type, dir->ino, block, ref->slot))
		return 0;
	if (!facts_inode(&c->facts, ref->ino))
		return raise_entry(c, cut_has(c, ref->ino) ? P_DENTRY_CUT : P_DENTRY_DEAD, dir, block, ref->slot,
				   ref->ino, 0);
	child = facts_edit_inode(&c->facts, ref->ino);
	if (!child)
		return F2FS_ERR_NOMEM;
	if ((child->state & INODE_HIDDEN) || child->ino == c->geo->root_ino)
		return raise_entry(c, P_DENTRY_RESERVED, dir, block, ref->slot, ref->ino, 0);
	err = type_doubt(c, dir->ino, child, ref->type);
	if (err)
		return err;
	if (child->type == F2FS_TYPE_DIRECTORY && child->parent != 0)
		return take_second_parent(c, dir, block, ref, child);
	child->links_found++;
	if (child->parent == 0) {
		child->parent = dir->ino;
		child->entry_block = block;
		child->entry_slot = (uint16_t)ref->slot;
	}
	if (ref->type != child->type)
		return raise_entry(c, P_DENTRY_TYPE, dir, block, ref->slot, ref->type, child->type);
	return 0;
}

static int take_dots(struct checker *c, struct inode_fact *dir, f2fs_blk_t block, uint32_t number,
		     const struct dentry_ref *ref)
{
	const bool is_double = ref->name_len == 2;
	const uint16_t flag = is_double ? INODE_HAS_DOTDOT : INODE_HAS_DOT;

	if (number != 0 || ref->slot != (is_double ? 1u : 0u) || (dir->state & flag))
		return raise_entry(c, P_DOT_EXTRA, dir, block, ref->slot, ref->ino, 0);
	dir->state |= flag;
	if (is_double)
		dir->dotdot = ref->ino;
	else if (ref->ino != dir->ino)
		return raise_entry(c, P_DOT_WRONG, dir, block, ref->slot, ref->ino, dir->ino);
	if (ref->type != F2FS_TYPE_DIRECTORY)
		return raise_entry(c, P_DENTRY_TYPE, dir, block, ref->slot, ref->type, F2FS_TYPE_DIRECTORY);
	return 0;
}

static int note_name(struct checker *c, const struct dir_block *place, const struct sweep_item *item,
		     const struct dentry_ref *ref)
{
	struct dir_run *run = c->name_runs.count ? vec_at(&c->name_runs, c->name_runs.count - 1) : NULL;
	struct dir_name *name = vec_push(&c->names, 1);

	if (!name)
		return F2FS_ERR_NOMEM;
	name->hash = ref->hash;
	name->slot = (uint16_t)ref->slot;
	if (!run || run->inode != place->inode || run->block != item->addr) {
		run = vec_push(&c->name_runs, 1);
		if (!run)
			return F2FS_ERR_NOMEM;
		run->first = c->names.count - 1;
		run->inode = place->inode;
		run->block = item->addr;
	}
	run->count++;
	return 0;
}

static bool is_lost_found(const struct dentry_ref *ref)
{
	static const char name[] = "lost+found";

	return ref->name_len == sizeof(name) - 1 && memcmp(ref->name, name, sizeof(name) - 1) == 0;
}

static bool is_directory(const struct checker *c, f2fs_nid_t ino)
{
	const struct inode_fact *inode = facts_inode(&c->facts, ino);

	return inode && inode->type == F2FS_TYPE_DIRECTORY;
}

/* Report a slot that no entry has, if it is marked as taken. */
static int tell_empty_slot(struct checker *c, const struct inode_fact *dir, f2fs_blk_t addr,
			   const struct dentry_area *area, uint32_t slot, uint32_t *slots)
{
	if (!lsb_test(area->bitmap, slot))
		return 0;
	++*slots;
	return raise_entry(c, P_DENTRY_BITMAP, dir, addr, slot, 0, 0);
}

/* Report entries of a block that are wrong by themselves. *slots: how many hold none, or are in part marked as free. */
static int tell_faults(struct checker *c, const struct inode_fact *dir, const struct dir_block *place, f2fs_blk_t addr,
		       const struct dentry_area *area, uint32_t *slots)
{
	static const enum problem problems[] = {
		[DIR_FAULT_CHARS] = P_DENTRY_CHARS,
		[DIR_FAULT_HASH] = P_DENTRY_HASH,
		[DIR_FAULT_PLACE] = P_DENTRY_PLACE,
	};
	const unsigned level = dir_level_of(dir, place->number);
	uint32_t slot = 0, end = 0;
	struct dentry_ref ref;
	enum dentry_scan found;
	int err = 0;

	while (!err && (found = dentry_next(area, &slot, &ref)) != DENTRY_END) {
		uint32_t expected = 0;
		enum dir_fault fault;
		bool is_whole = true;

		for (; end < ref.slot && !err; end++)
			err = tell_empty_slot(c, dir, addr, area, end, slots);
		for (; end < slot; end++)
			is_whole = is_whole && lsb_test(area->bitmap, end);
		if (err)
			break;
		*slots += found != DENTRY_FOUND || !is_whole;
		fault = found == DENTRY_FOUND ? dir_judge_entry(dir, level, place->number, &ref, &expected)
					      : DIR_FAULT_NONE;
		if (found != DENTRY_FOUND || (!is_whole && (fault == DIR_FAULT_CHARS || fault == DIR_FAULT_HASH)))
			err = raise_entry(c, P_DENTRY_NAME, dir, addr, ref.slot, ref.name_len, 0);
		else if (!is_whole && !fault) /* the hash confirms the name, so only the bitmap is wrong */
			err = raise_entry(c, P_DENTRY_SLOTS, dir, addr, ref.slot, 0, 0);
		else if (fault)
			err = raise_entry(c, problems[fault], dir, addr, ref.slot,
					  fault == DIR_FAULT_PLACE ? place->number : ref.hash, expected);
	}
	for (; end < area->slots && !err; end++)
		err = tell_empty_slot(c, dir, addr, area, end, slots);
	return err;
}

/* Is a directory removed: an orphan without links? The kernel no longer updates its blocks. */
static bool is_removed(const struct inode_fact *dir)
{
	return (dir->state & INODE_ORPHAN) && dir->links == 0;
}

/* Is an entry in a block where i_dir_level puts its name? Entries of blocks without a fault (judged is 0) are. */
static bool is_placed(const struct inode_fact *dir, const struct dir_block *place, const struct dentry_ref *ref,
		      uint32_t judged)
{
	return !dir_is_inline(dir) && (!judged || dir_entry_is_right(dir, place->number, ref));
}

/*
 * May a block have lost entries? One that begins without its own "." may, even if some of its entries are sound. So may
 * one with more wrong slots than a few wrong bits make.
 */
static bool may_be_lost(const struct checker *c, const struct inode_fact *dir, uint32_t number, const uint8_t *block,
			const struct dentry_area *area, uint32_t wrong_slots)
{
	return wrong_slots > MOST_WRONG_SLOTS ||
	       (number == 0 && !dir_is_inline(dir) && !dentry_has_own_dot(area, dir->ino)) ||
	       dir_block_is_lost(c, dir, number, block);
}

static int digest_block(struct checker *c, const struct sweep_item *item, const uint8_t *block, uint32_t judged)
{
	const struct dir_block *place = vec_at(&c->dir_blocks, item->tag);
	struct inode_fact *dir = facts_inode_at(&c->facts, place->inode);
	const bool is_large = !dir_is_inline(dir) && dir->blocks_found > 2;
	struct dentry_area area;
	struct dentry_ref ref;
	uint32_t slot = 0, entries = 0, dots = 0, wrong_slots = 0;
	enum dentry_scan found;
	int err = 0;

	if (is_removed(dir)) /* entries that are left there name inodes that are deleted or reused */
		return 0;
	dir_area(c, dir, block, &area);
	if (judged)
		err = tell_faults(c, dir, place, item->addr, &area, &wrong_slots);
	while (!err && (found = dentry_next(&area, &slot, &ref)) != DENTRY_END) {
		if (found != DENTRY_FOUND)
			continue;
		entries++;
		if (name_is_dots(&ref)) {
			err = take_dots(c, dir, item->addr, place->number, &ref);
			dots++;
			continue;
		}
		dir->placed += is_placed(dir, place, &ref, judged);
		err = take_child(c, dir, item->addr, &ref);
		if (dir->ino == c->geo->root_ino && is_lost_found(&ref) && is_directory(c, ref.ino))
			c->lost_found = ref.ino;
		if (!err && (is_large || judged))
			err = note_name(c, place, item, &ref);
	}
	if (!err && (judged || entries == dots || (place->number == 0 && dots < 2)) &&
	    may_be_lost(c, dir, place->number, block, &area, wrong_slots))
		err = map32_set(&c->emptied, dir->ino, 1);
	if (place->number >= dir->end_found)
		dir->end_found = place->number + 1;
	if (entries && dir_level_of(dir, place->number) >= dir->depth_found)
		dir->depth_found = dir_level_of(dir, place->number) + 1;
	return err;
}

static int lose_block(struct checker *c, const struct sweep_item *item)
{
	const struct dir_block *place = vec_at(&c->dir_blocks, item->tag);
	struct inode_fact *dir = facts_inode_at(&c->facts, place->inode);

	dir->state |= place->number == 0 ? INODE_HAS_DOT | INODE_HAS_DOTDOT : 0;
	if (place->number >= dir->end_found)
		dir->end_found = place->number + 1;
	c->is_unread = true;
	return problem_raise(c, &(struct finding){ .problem = P_DIR_UNREADABLE,
						   .nid = dir->ino,
						   .ino = dir->ino,
						   .has_block = 1,
						   .block = item->addr });
}

static int raise_dir(struct checker *c, enum problem problem, const struct inode_fact *dir, uint64_t found,
		     uint64_t expected, const char *text)
{
	return problem_raise(c, &(struct finding){ .problem = (uint16_t)problem,
						   .nid = dir->ino,
						   .ino = dir->ino,
						   .has_values = !text,
						   .found = found,
						   .expected = expected,
						   .text = text });
}

/* Compare a directory's own fields with its blocks. */
static int check_dir(struct checker *c, const struct inode_fact *dir)
{
	const uint64_t end = (uint64_t)dir->end_found << c->geo->block_bits;
	int err = 0;

	if (dir->links == 0) /* removed while it was open: its size is zero already */
		return 0;
	if (!dir_is_inline(dir)) {
		const uint32_t depth = dir_depth_due(c->geo, dir);

		/* a depth out of range was reported before, and was set to the largest */
		if (dir->depth < depth ||
		    (dir->depth > depth && !((dir->state & INODE_MENDED) && dir->depth == DIR_MAX_DEPTH)))
			err = raise_dir(c, P_DIR_DEPTH, dir, dir->depth, depth, NULL);
		if (!err && (dir->size < end || dir->size % c->geo->block_size != 0 ||
			     dir->size >> c->geo->block_bits > dir_most_blocks(c->geo, dir)))
			err = raise_dir(c, P_DIR_SIZE, dir, dir->size, end, NULL);
	} else if (!dir_size_inside(c->geo, dir->size)) {
		err = raise_dir(c, P_DIR_SIZE, dir, dir->size, (uint64_t)dir->slots * 4 - 4, NULL);
	}
	if (!err && !(dir->state & INODE_HAS_DOT))
		err = raise_dir(c, P_DOT_MISSING, dir, 0, 0, ".");
	if (!err && !(dir->state & INODE_HAS_DOTDOT))
		err = raise_dir(c, P_DOT_MISSING, dir, 0, 0, "..");
	return err;
}

static int mark_orphans(struct checker *c)
{
	for (uint32_t i = 0; i < f2fs_orphan_count(c->vol); i++) {
		const f2fs_nid_t ino = f2fs_orphan_at(c->vol, i);
		struct inode_fact *inode;

		if (!facts_inode(&c->facts, ino))
			continue;
		inode = facts_edit_inode(&c->facts, ino);
		if (!inode)
			return F2FS_ERR_NOMEM;
		if (ino > c->geo->root_ino && !(inode->state & INODE_HIDDEN))
			inode->state |= INODE_ORPHAN;
	}
	return 0;
}

int pass_dirs(struct checker *c)
{
	static const struct sweep sweep = { "directories", dir_judge, digest_block, lose_block, NULL };
	int err = mark_orphans(c);

	if (!err)
		err = sweep_run(c, &sweep, &c->dir_addrs);
	if (!err)
		err = witness_swapped_dirs(c);
	if (!err && !c->must_restart)
		err = types_decide(c);
	if (!err && !c->must_restart)
		err = witness_inodes(c);
	if (!err && !c->must_restart)
		err = witness_copies(c);
	if (!err && !c->must_restart)
		err = witness_folding(c);
	if (!err && !c->must_restart)
		err = witness_levels(c);
	if (!err && !c->must_restart)
		err = witness_names(c);
	if (err || c->must_restart)
		return err;
	for (uint32_t i = 0; i < facts_whole_count(&c->facts) && !err; i++) {
		const struct inode_fact *inode = facts_inode_at(&c->facts, i);

		if (inode->type == F2FS_TYPE_DIRECTORY)
			err = check_dir(c, inode);
	}
	return err ? err : dirs_check_twins(c);
}
