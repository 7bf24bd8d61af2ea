/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on directory blocks that hold the entries of another directory, because a write went to the wrong place. The
 * other directory still has these entries, so that inodes in the block have more names than i_links says. An inode with
 * several links shows that only if none of its names was lost with the former contents of the block.
 *
 * A block is such a copy if
 *
 * - at least two of its inodes have too many names, or one if the block has a "." of another directory,
 * - each inode with a single link has too many names, and does not remember its name here,
 * - something shows that this block is the copy, and not the other one: a "." of another directory that has its own,
 *   too, an inode with a single link that remembers its name in another directory, or an entry with a wrong place or
 *   hash. The last shows nothing if an inode has several links: its names may be nowhere else.
 *
 * It is empty from then on, and the entries that belong there are lost (dir_older.c).
 *
 * Cost: nothing unless an inode has too many names. Then all blocks of directories are read.
 */
#include <string.h>

#include "facts/dir_judge.h"
#include "facts/sweep.h"
#include "witness/witness.h"
#include "witness/witness_copies.h"
#include "witness/witness_own.h"

#define LEAST_ENTRIES 2u

static bool has_too_many_names(const struct inode_fact *inode)
{
	return inode->type != F2FS_TYPE_DIRECTORY && inode->links_found > inode->links &&
	       !(inode->state & (INODE_ORPHAN | INODE_HIDDEN));
}

/* Is there a reason to look? */
static bool is_due(const struct checker *c)
{
	for (uint32_t i = 0; i < facts_whole_count(&c->facts); i++)
		if (has_too_many_names(facts_inode_at(&c->facts, i)))
			return true;
	for (size_t i = 0; i < c->findings.count; i++)
		if (((const struct finding *)vec_at(&c->findings, i))->problem == P_DIR_TWICE)
			return true;
	return false;
}

/* What the entries of a block say. */
struct tally {
	uint32_t refuted; /* inodes that have too many names */
	uint32_t least;	  /* so many of them are needed */
	bool is_elsewhere; /* the block belongs to another directory */
	bool is_misplaced; /* an entry has a wrong place or hash */
	bool has_links;	   /* an inode has several links */
};

/* Count an entry. Returns false if it belongs here. */
static bool count_entry(struct checker *c, const struct inode_fact *dir, f2fs_blk_t addr, const struct dentry_ref *ref,
			struct tally *tally)
{
	const struct inode_fact *inode = geometry_is_nid(c->geo, ref->ino) ? facts_inode(&c->facts, ref->ino) : NULL;
	const struct inode_fact *home = inode ? facts_dir(&c->facts, inode->pino) : NULL;
	bool is_refuted, is_own;

	if (!inode || !home)
		return false;
	is_refuted = inode->type == F2FS_TYPE_DIRECTORY
			     ? inode->parent != 0 && (inode->parent != dir->ino || inode->entry_block != addr)
			     : has_too_many_names(inode);
	is_own = witness_is_own_name(c, home, ref->ino, ref);
	if (inode->links < 2 && ((is_own && home == dir) || !is_refuted))
		return false;
	tally->refuted += is_refuted;
	tally->has_links |= inode->type != F2FS_TYPE_DIRECTORY && inode->links > 1;
	tally->is_elsewhere |= is_own && inode->links == 1 && !(inode->advise & FLAG_i_advise_lost_pino);
	return true;
}

/* Count "." or "..". Returns false if it belongs here. */
static bool count_dots(const struct checker *c, const struct inode_fact *dir, const struct dentry_ref *ref,
		       struct tally *tally)
{
	const struct inode_fact *home = geometry_is_nid(c->geo, ref->ino) ? facts_dir(&c->facts, ref->ino) : NULL;

	if (ref->name_len == 2)
		return true;
	if (home && (home->state & INODE_HAS_DOT)) {
		tally->is_elsewhere = true;
		tally->least = 1;
	}
	return ref->ino != dir->ino;
}

/* Are all entries of a block those of another directory? */
static bool is_copy(struct checker *c, const struct inode_fact *dir, uint32_t number, f2fs_blk_t addr,
		    const uint8_t *block)
{
	struct tally tally = { .least = LEAST_ENTRIES };
	struct dentry_area area;
	struct dentry_ref ref;
	enum dentry_scan found;
	uint32_t slot = 0;

	dentry_area_of_block(c->geo, block, &area);
	while ((found = dentry_next(&area, &slot, &ref)) != DENTRY_END) {
		if (found != DENTRY_FOUND || !(name_is_dots(&ref) ? count_dots(c, dir, &ref, &tally)
								  : count_entry(c, dir, addr, &ref, &tally)))
			return false;
		tally.is_misplaced |= !dir_entry_is_right(dir, number, &ref);
	}
	return (tally.is_elsewhere || (tally.is_misplaced && !tally.has_links)) && tally.refuted >= tally.least;
}

static int vote_on_block(struct checker *c, const struct sweep_item *item)
{
	const struct dir_block *place = vec_at(&c->dir_blocks, item->tag);
	const struct inode_fact *dir = facts_inode_at(&c->facts, place->inode);
	const struct finding why = { .problem = P_DIR_COPIED,
				     .nid = dir->ino,
				     .ino = dir->ino,
				     .has_block = 1,
				     .block = item->addr };
	bool is_readable;
	int err;

	if (dir_is_inline(dir) || (dir->state & INODE_ORPHAN))
		return 0;
	err = witness_copy_block(c, item->addr, &is_readable);
	if (err || !is_readable || !is_copy(c, dir, place->number, item->addr, c->scratch))
		return err;
	memset(c->scratch, 0, c->geo->block_size);
	return witness_amend_block(c, item->addr, c->scratch, &why);
}

int witness_copies(struct checker *c)
{
	int err = 0;

	if (!witness_may_vote(c) || !is_due(c))
		return 0;
	for (size_t i = 0; i < c->dir_addrs.count && !err; i++)
		err = vote_on_block(c, vec_at(&c->dir_addrs, i));
	c->book->votes += c->must_restart;
	return err;
}
