/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Older copies of directory blocks. Each change of a directory writes its block to a new place, and the old block keeps
 * its contents until it is used again or discarded. Its summary still names the directory and the place in it. A log
 * writes ascending addresses in a segment, and the SIT says when a segment changed.
 *
 * What was removed from a directory stays removed: only the newest copy counts, and an entry of it only if its inode
 * exists, is of its type, and lacks a name by i_links. The name that the inode remembers comes first, unless older
 * copies have it and the newest does not: it was removed. If the newest copies have more further names of an inode than
 * it lacks, none of them counts.
 */
#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "base/namehash.h"
#include "facts/dir_judge.h"
#include "facts/sweep.h"
#include "volume/sit_read.h"
#include "volume/zone_map.h"
#include "witness/dir_older.h"
#include "witness/names_lacking.h"
#include "witness/witness.h"
#include "witness/witness_own.h"

#define MOST_SOUGHT 65536u /* blocks */

/* A block of a directory, and its place by the summary. */
struct lost_block {
	f2fs_nid_t nid;
	uint32_t slot;
	f2fs_blk_t addr, newest; /* newest: the copy, 0: none */
	uint32_t inode, number;	 /* of the directory: index of the inode_fact, and the file block */
	bool is_kept;		 /* it has its entries: its copies show removed names */
};

/* A free block that was written as that. */
struct old_block {
	size_t lost;	/* index */
	uint64_t mtime; /* of the segment */
	f2fs_blk_t addr;
};

/* A name that copies have for an inode which lacks one. */
struct old_name {
	f2fs_nid_t ino;
	uint32_t lost, mark; /* of the name */
	bool is_newest;	     /* it is in the newest copy */
	bool is_own;	     /* the inode remembers it */
};

struct search {
	struct checker *c;
	struct vec lost;   /* struct lost_block, by nid and slot; kept ones, too */
	struct vec blocks; /* struct old_block, by lost block, the newest first */
	struct vec names;  /* struct old_name, by inode */
};

static int compare_places(const void *a, const void *b)
{
	const struct lost_block *x = a, *y = b;

	if (x->nid != y->nid)
		return x->nid > y->nid ? 1 : -1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

static int compare_names(const void *a, const void *b)
{
	const struct old_name *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino > y->ino ? 1 : -1;
	if (x->lost != y->lost)
		return x->lost > y->lost ? 1 : -1;
	return (x->mark > y->mark) - (x->mark < y->mark);
}

static int compare_ages(const void *a, const void *b)
{
	const struct old_block *x = a, *y = b;

	if (x->lost != y->lost)
		return x->lost > y->lost ? 1 : -1;
	if (x->mtime != y->mtime)
		return x->mtime < y->mtime ? 1 : -1;
	return (x->addr < y->addr) - (x->addr > y->addr);
}

static int list_block(struct search *s, const struct sweep_item *item, bool is_kept)
{
	const struct dir_block *place = vec_at(&s->c->dir_blocks, item->tag);
	struct lost_block *lost;
	struct block_view view;
	int err = witness_view_tables(s->c, item->addr, &view);

	if (err || !view.has_sum || view.is_node_sum)
		return err;
	lost = vec_push(&s->lost, 1);
	if (!lost)
		return F2FS_ERR_NOMEM;
	*lost = (struct lost_block){ .nid = view.sum_nid,
				     .slot = view.sum_slot,
				     .addr = item->addr,
				     .inode = place->inode,
				     .number = place->number,
				     .is_kept = is_kept };
	return 0;
}

/* Can a block of a directory be read, and has it lost its entries? */
static int is_lost(const struct search *s, const struct sweep_item *item, bool *out)
{
	const struct dir_block *place = vec_at(&s->c->dir_blocks, item->tag);
	const struct inode_fact *dir = facts_inode_at(&s->c->facts, place->inode);
	const uint8_t *block = NULL;
	int err = dir_is_inline(dir) ? 0 : witness_peek(s->c, item->addr, &block);

	*out = !err && block && dir_block_is_lost(s->c, dir, place->number, block);
	return err;
}

/* Return the index of the inode_fact of a block's directory. */
static uint32_t dir_of(const struct search *s, const struct sweep_item *item)
{
	return ((const struct dir_block *)vec_at(&s->c->dir_blocks, item->tag))->inode;
}

/* List the lost blocks, and the others of their directories. */
static int list_lost(struct search *s)
{
	const struct vec *items = &s->c->dir_addrs;
	struct map32 dirs;   /* index of the inode_fact of those with a lost block */
	struct map32 blocks; /* index in items of the lost ones */
	int err = 0;

	map32_init(&dirs, s->c->ctx);
	map32_init(&blocks, s->c->ctx);
	for (size_t i = 0; i < items->count && s->lost.count < MOST_SOUGHT && !err; i++) {
		const struct sweep_item *item = vec_at(items, i);
		bool lost;

		err = is_lost(s, item, &lost);
		if (err || !lost)
			continue;
		err = map32_set(&dirs, dir_of(s, item), 1);
		if (!err)
			err = map32_set(&blocks, (uint32_t)i, 1);
		if (!err)
			err = list_block(s, item, false);
	}
	for (size_t i = 0; i < items->count && s->lost.count < MOST_SOUGHT && !err; i++) {
		const struct sweep_item *item = vec_at(items, i);

		if (map32_find(&dirs, dir_of(s, item)) && !map32_find(&blocks, (uint32_t)i))
			err = list_block(s, item, true);
	}
	vec_sort(&s->lost, compare_places);
	map32_fini(&dirs);
	map32_fini(&blocks);
	return err;
}

/* Note a free block that was written as one of those. */
static int look_at(struct search *s, f2fs_blk_t addr)
{
	const struct lost_block *lost;
	struct lost_block key;
	struct f2fs_segment_info segment;
	struct old_block *block;
	struct block_view view;
	int err = witness_view_tables(s->c, addr, &view);

	if (err || !view.has_sum || view.is_node_sum)
		return err;
	key = (struct lost_block){ .nid = view.sum_nid, .slot = view.sum_slot };
	lost = vec_find(&s->lost, compare_places, &key);
	if (!lost || lost->addr == addr)
		return 0;
	if (sit_lookup(s->c->vol, geometry_segment_of(s->c->geo, addr), &segment) != 0) {
		error_clear(s->c->ctx);
		return 0;
	}
	block = vec_push(&s->blocks, 1);
	if (!block)
		return F2FS_ERR_NOMEM;
	*block = (struct old_block){ (size_t)(lost - (const struct lost_block *)s->lost.items), segment.mtime, addr };
	return 0;
}

static int find_blocks(struct search *s)
{
	struct checker *c = s->c;
	uint64_t end = 0;
	int err = 0;

	for (size_t i = 0; i < c->facts.segs.count && !err; i++) {
		const struct seg_fact *seg = vec_at(&c->facts.segs, i);
		const f2fs_blk_t start = geometry_segment_start(c->geo, seg->segno);

		if (seg->sit_type >= F2FS_HOT_NODE)
			continue;
		err = zones_written_end(c->vol, seg->segno / c->geo->segs_per_sec, &end);
		for (uint32_t k = 0; k < F2FS_SEGMENT_BLOCKS && start + k < end && !err; k++)
			if (!msb_test(seg->sit_map, k) && !msb_test(seg->data_map, k) && !msb_test(seg->node_map, k))
				err = look_at(s, start + k);
	}
	return err;
}

/* The inode of an old entry, if it exists, is of that type, and lacks a name; NULL: not. */
static const struct inode_fact *inode_lacking(const struct search *s, const struct lost_block *lost,
					      const struct dentry_ref *ref, struct inode_fact *room)
{
	const struct checker *c = s->c;
	const struct inode_fact *dir = facts_inode_at(&c->facts, lost->inode);
	const struct inode_fact *inode =
		geometry_is_nid(c->geo, ref->ino) ? facts_find_inode(&c->facts, ref->ino, room) : NULL;

	return inode && inode->type == ref->type && !name_is_dots(ref) && names_lacking(c, inode, 0) > 0 &&
			       witness_may_contain(dir, inode) && dir_entry_is_right(dir, lost->number, ref)
		       ? inode
		       : NULL;
}

/* Find the newest copy of each lost block that has not lost its entries. */
static int find_newest(struct search *s)
{
	vec_sort(&s->blocks, compare_ages);
	for (size_t i = 0; i < s->blocks.count; i++) {
		const struct old_block *old = vec_at(&s->blocks, i);
		struct lost_block *lost = vec_at(&s->lost, old->lost);
		const uint8_t *block;
		int err;

		if (lost->newest || lost->is_kept)
			continue;
		err = witness_peek(s->c, old->addr, &block);
		if (err)
			return err;
		if (block && !dir_block_is_lost(s->c, facts_inode_at(&s->c->facts, lost->inode), lost->number, block))
			lost->newest = old->addr;
	}
	return 0;
}

static int note_names(struct search *s, const struct old_block *old)
{
	const struct lost_block *lost = vec_at(&s->lost, old->lost);
	const struct inode_fact *dir = facts_inode_at(&s->c->facts, lost->inode);
	struct dentry_area area;
	struct dentry_ref ref;
	enum dentry_scan found;
	const uint8_t *block;
	uint32_t slot = 0;
	int err = witness_peek(s->c, old->addr, &block);

	if (err || !block)
		return err;
	dir_area(s->c, dir, block, &area);
	while ((found = dentry_next(&area, &slot, &ref)) != DENTRY_END) {
		struct inode_fact room;
		struct old_name *name;

		if (found != DENTRY_FOUND || !inode_lacking(s, lost, &ref, &room))
			continue;
		name = vec_push(&s->names, 1);
		if (!name)
			return F2FS_ERR_NOMEM;
		*name = (struct old_name){ ref.ino, (uint32_t)old->lost, namehash_plain(ref.name, ref.name_len),
					   old->addr == lost->newest,
					   witness_is_own_name(s->c, dir, ref.ino, &ref) };
	}
	return 0;
}

/*
 * Count the names of an inode in the newest copies, but not the one that it remembers. *is_removed: older ones alone
 * have that.
 */
static uint32_t count_names(const struct search *s, f2fs_nid_t ino, bool *is_removed)
{
	const struct old_name key = { .ino = ino };
	bool is_old = false, is_new = false;
	uint32_t count = 0;

	for (size_t i = vec_first(&s->names, compare_names, &key); i < s->names.count; i++) {
		const struct old_name *one = vec_at(&s->names, i);

		if (one->ino != ino)
			break;
		count += one->is_newest && !one->is_own;
		is_old |= one->is_own;
		is_new |= one->is_own && one->is_newest;
	}
	*is_removed = is_old && !is_new;
	return count;
}

/* Is the first entry that names an inode the name that it remembers? */
static bool has_own_name(struct checker *c, const struct inode_fact *inode, const struct own_name *own)
{
	const struct inode_fact *dir = inode->parent ? facts_dir(&c->facts, inode->parent) : NULL;
	struct dentry_area area;
	const uint8_t *block, *raw;

	if (!dir || inode->parent != inode->pino || witness_peek(c, inode->entry_block, &block) != 0 || !block)
		return false;
	dir_area(c, dir, block, &area);
	if (inode->entry_slot >= area.slots)
		return false;
	raw = area.entries + (size_t)inode->entry_slot * dentry_SIZE;
	return dentry_name_len(raw) == own->length &&
	       inode->entry_slot + dentry_slots_of(own->length) <= area.slots &&
	       memcmp(area.names + (size_t)inode->entry_slot * DENTRY_SLOT_BYTES, own->bytes, own->length) == 0;
}

/* Does a block of a directory have the entry? */
static bool has_entry(struct checker *c, const struct inode_fact *dir, f2fs_blk_t addr, const struct dentry_ref *wanted)
{
	struct dentry_area area;
	struct dentry_ref ref;
	enum dentry_scan found;
	const uint8_t *block;
	uint32_t slot = 0;

	if (witness_peek(c, addr, &block) != 0 || !block)
		return false;
	dir_area(c, dir, block, &area);
	while ((found = dentry_next(&area, &slot, &ref)) != DENTRY_END)
		if (found == DENTRY_FOUND && ref.ino == wanted->ino && ref.name_len == wanted->name_len &&
		    memcmp(ref.name, wanted->name, ref.name_len) == 0)
			return true;
	return false;
}

/* May the name that an inode remembers have been in one of the lost blocks? If not, it is in another one, or it was
 * removed since. */
static bool may_be_lost(const struct search *s, const struct inode_fact *home, f2fs_nid_t ino,
			const struct own_name *own)
{
	struct dentry_ref ref = { .ino = ino, .name = own->bytes, .name_len = (uint16_t)own->length };
	bool may_be = false;

	if (!dir_expected_hash(home, &ref, &ref.hash))
		return true;
	for (size_t i = 0; i < s->lost.count; i++) {
		const struct lost_block *lost = vec_at(&s->lost, i);

		if (facts_inode_at(&s->c->facts, lost->inode) != home || !dir_entry_is_right(home, lost->number, &ref))
			continue;
		if (lost->is_kept && has_entry(s->c, home, lost->addr, &ref))
			return false;
		may_be |= !lost->is_kept;
	}
	return may_be;
}

/* Does an entry of the newest copy come back? */
static bool comes_back(const struct search *s, const struct lost_block *lost, const struct dentry_ref *ref)
{
	struct checker *c = s->c;
	struct inode_fact room;
	const struct inode_fact *inode = inode_lacking(s, lost, ref, &room);
	const struct inode_fact *dir = facts_inode_at(&c->facts, lost->inode), *home;
	uint32_t lacking, count;
	struct own_name own;
	bool is_removed;

	if (!inode)
		return false;
	if (witness_is_own_name(c, dir, ref->ino, ref))
		return true;
	lacking = names_lacking(c, inode, 0);
	count = count_names(s, ref->ino, &is_removed);
	home = inode->pino && !is_removed ? facts_dir(&c->facts, inode->pino) : NULL;
	if (home && witness_own_name(c, home, ref->ino, &own) && !has_own_name(c, inode, &own) &&
	    may_be_lost(s, home, ref->ino, &own))
		lacking--;
	return count <= lacking;
}

/* Take the entries that do not come back out of a copy; return how many do. */
static uint32_t sift(const struct search *s, const struct lost_block *lost, uint8_t *block)
{
	const struct inode_fact *dir = facts_inode_at(&s->c->facts, lost->inode);
	struct dentry_area area;
	struct dentry_ref ref;
	enum dentry_scan found;
	uint32_t slot = 0, names = 0;
	uint8_t *bitmap;

	dir_area(s->c, dir, block, &area);
	bitmap = block + (area.bitmap - block);
	while ((found = dentry_next(&area, &slot, &ref)) != DENTRY_END) {
		const bool is_dot = found == DENTRY_FOUND && name_is_dots(&ref) && lost->number == 0;
		const bool stays = found == DENTRY_FOUND && !is_dot && comes_back(s, lost, &ref);

		names += stays;
		for (uint32_t i = ref.slot; !stays && !is_dot && i < slot; i++)
			lsb_clear(bitmap, i);
	}
	for (uint32_t i = 0; i < area.slots; i++) /* those left in free slots would pass for names that are lacking */
		if (!lsb_test(area.bitmap, i))
			memset(block + (area.entries - block) + (size_t)i * dentry_SIZE, 0, dentry_SIZE);
	return names;
}

static int amend(struct search *s)
{
	struct checker *c = s->c;
	int err = 0;

	for (size_t i = 0; i < s->lost.count && !err; i++) {
		const struct lost_block *lost = vec_at(&s->lost, i);
		const f2fs_nid_t dir = facts_inode_at(&c->facts, lost->inode)->ino;
		struct finding why = { .problem = P_DENTRY_OLDER,
				       .nid = dir,
				       .ino = dir,
				       .has_block = 1,
				       .block = lost->addr,
				       .has_values = 1,
				       .found = lost->newest,
				       .witnesses = WITNESS_SUMMARY | WITNESS_LINKS };
		bool is_read = false;

		if (lost->newest)
			err = witness_copy_block(c, lost->newest, &is_read);
		why.expected = is_read ? sift(s, lost, c->scratch) : 0;
		if (err || !why.expected)
			continue;
		err = witness_amend_again(c, lost->addr, c->scratch, &why); /* it may be emptied (witness_copies.c) */
	}
	return err;
}

int dirs_take_older(struct checker *c)
{
	struct search s = { .c = c };
	int err;

	vec_init(&s.lost, c->ctx, sizeof(struct lost_block));
	vec_init(&s.blocks, c->ctx, sizeof(struct old_block));
	vec_init(&s.names, c->ctx, sizeof(struct old_name));
	err = list_lost(&s);
	if (!err && s.lost.count)
		err = find_blocks(&s);
	if (!err)
		err = find_newest(&s);
	for (size_t i = 0; i < s.blocks.count && !err; i++)
		err = note_names(&s, vec_at(&s.blocks, i));
	vec_sort(&s.names, compare_names);
	if (!err)
		err = amend(&s);
	vec_fini(&s.lost);
	vec_fini(&s.blocks);
	vec_fini(&s.names);
	return err;
}
