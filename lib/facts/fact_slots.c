/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Store the facts of nodes. Each node id in use has a slot, found by pages of 512 ids with a bit each and a rank. A
 * slot holds an inode that was not read yet, a plain inode, or the index of a whole node. Fields that are the same in
 * many inodes are in the class of a plain one. Its extent is dropped, because it was found to be right.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "facts/fact_slots.h"

enum slot_bit {
	SLOT_WHOLE = 1,
	SLOT_PLAIN = 2, /* neither: an inode that was not read yet */
	SLOT_NAMED = 4, /* by an entry of the directory home */
	SLOT_KEPT = 8
};

static struct nid_slot *slot_at(const struct facts *f, size_t i)
{
	return vec_at(&f->slots, i);
}

/* ---- the index */

int facts_add_nid(struct facts *f, const struct nid_fact *fact)
{
	struct nid_slot *slot = vec_push(&f->slots, 1);
	struct nid_fact *node;

	if (!slot)
		return F2FS_ERR_NOMEM;
	slot->seal = fact->nid;
	if (fact->ino == fact->nid && fact->kind == FACT_UNSEEN) {
		slot->addr = fact->addr;
		slot->version = fact->version;
		return 0;
	}
	slot->bits = SLOT_WHOLE;
	slot->addr = (uint32_t)f->nodes.count;
	node = chunks_push(&f->nodes);
	if (!node)
		return F2FS_ERR_NOMEM;
	*node = *fact;
	return 0;
}

static int compare_slots(const void *a, const void *b)
{
	const struct nid_slot *x = a, *y = b;

	return (x->seal > y->seal) - (x->seal < y->seal);
}

/* Sort the ids: those from first on come later than the others, which are in order. */
static int merge_late(struct facts *f, size_t first)
{
	size_t at = f->slots.count, left = first, late_left = at - first;
	struct nid_slot *slots = f->slots.items, *late;
	struct vec all;

	vec_init(&all, f->ctx, sizeof(struct nid_slot));
	late = vec_push(&all, late_left);
	if (!late)
		return F2FS_ERR_NOMEM;
	memcpy(late, slots + first, late_left * sizeof(*late));
	vec_sort(&all, compare_slots);
	while (late_left > 0) {
		const bool is_early = left > 0 && slots[left - 1].seal > late[late_left - 1].seal;

		slots[--at] = is_early ? slots[--left] : late[--late_left];
	}
	vec_fini(&all);
	return 0;
}

static int index_slot(struct facts *f, size_t i)
{
	struct nid_slot *slot = slot_at(f, i);
	const f2fs_nid_t nid = slot->seal;
	uint32_t index = sparse_get(&f->nid_page, nid / NID_PAGE);
	struct nid_page *page;

	if (index == 0) {
		page = vec_push(&f->pages, 1);
		if (!page)
			return F2FS_ERR_NOMEM;
		page->start = (uint32_t)i;
		page->first = nid - nid % NID_PAGE;
		index = (uint32_t)f->pages.count;
		if (sparse_set(&f->nid_page, f->ctx, nid / NID_PAGE, index) != 0)
			return F2FS_ERR_NOMEM;
	}
	page = vec_at(&f->pages, index - 1);
	page->bits[nid % NID_PAGE / 64] |= (uint64_t)1 << nid % 64;
	if (slot->bits & SLOT_WHOLE)
		page->whole[nid % NID_PAGE / 64] |= (uint64_t)1 << nid % 64;
	slot->seal = 0;
	return 0;
}

int facts_index_nids(struct facts *f)
{
	size_t ordered = 1;
	int err = 0;

	while (ordered < f->slots.count && slot_at(f, ordered - 1)->seal < slot_at(f, ordered)->seal)
		ordered++;
	if (ordered < f->slots.count)
		err = merge_late(f, ordered);
	for (size_t i = 0; i < f->slots.count && !err; i++)
		err = index_slot(f, i);
	for (size_t i = 0; i < f->pages.count; i++) {
		struct nid_page *page = vec_at(&f->pages, i);

		for (unsigned w = 1; w < NID_PAGE / 64; w++)
			page->rank[w] = (uint16_t)(page->rank[w - 1] + word_popcount(page->bits[w - 1]));
	}
	/* workers look at facts while others are made whole */
	if (!err)
		err = chunks_reserve(&f->nodes, f->slots.count);
	if (!err)
		err = chunks_reserve(&f->inodes, f->slots.count);
	return err ? err : vec_reserve(&f->found, f->slots.count);
}

static struct nid_page *page_of(const struct facts *f, f2fs_nid_t nid)
{
	const uint32_t index = nid < f->geo->max_nid ? sparse_get(&f->nid_page, nid / NID_PAGE) : 0;

	return index ? vec_at(&f->pages, index - 1) : NULL;
}

static struct nid_slot *slot_of(const struct facts *f, const struct nid_page *page, f2fs_nid_t nid)
{
	const unsigned word = nid % NID_PAGE / 64;
	const uint64_t bit = (uint64_t)1 << nid % 64;

	if (!(page->bits[word] & bit))
		return NULL;
	return slot_at(f, (size_t)page->start + page->rank[word] + word_popcount(page->bits[word] & (bit - 1)));
}

static struct nid_slot *find_slot(const struct facts *f, f2fs_nid_t nid)
{
	const struct nid_page *page = page_of(f, nid);

	return page ? slot_of(f, page, nid) : NULL;
}

bool facts_has_nid(const struct facts *f, f2fs_nid_t nid)
{
	return find_slot(f, nid) != NULL;
}

/* ---- views of packed nodes */

static void show_node(const struct nid_slot *slot, f2fs_nid_t nid, struct nid_fact *out)
{
	*out = (struct nid_fact){
		.nid = nid,
		.ino = nid,
		.addr = slot->addr,
		.place = NO_PLACE,
		.inode = NO_INODE,
		.version = slot->version,
	};
	if (!(slot->bits & SLOT_PLAIN))
		return;
	out->inode = PLAIN_INODE;
	out->seal = slot->seal;
	out->owned = (uint16_t)(slot->blocks - 1);
	out->kind = FACT_INODE;
	out->flags = slot->bits & SLOT_KEPT ? FACT_KEPT : 0;
}

static void show_inode(const struct facts *f, const struct nid_slot *slot, f2fs_nid_t nid, struct inode_fact *out)
{
	const struct inode_class *class = inode_classes_at(&f->classes, slot->class);
	const bool is_named = (slot->bits & SLOT_NAMED) != 0;

	*out = (struct inode_fact){
		.ino = nid,
		.pino = slot->home,
		.parent = is_named ? slot->home : 0,
		.entry_block = slot->entry_block,
		.entry_slot = slot->entry_slot,
		.mode = class->mode,
		.type = class->type,
		.advise = class->advise,
		.inlines = class->inlines,
		.iflags = class->iflags,
		.slots = class->slots,
		.node_slots = class->node_slots,
		.uid = class->uid,
		.gid = class->gid,
		.projid = class->projid,
		.links = 1,
		.links_found = is_named,
		.policy = class->policy,
		.size = slot->size,
		.blocks = slot->blocks,
		.blocks_found = f->are_blocks_counted ? slot->blocks : 0,
	};
}

static struct nid_fact *whole_of(const struct facts *f, const struct nid_slot *slot)
{
	return chunks_at(&f->nodes, slot->addr);
}

const struct nid_fact *facts_find_nid(const struct facts *f, f2fs_nid_t nid, struct nid_fact *room)
{
	const struct nid_slot *slot = find_slot(f, nid);

	if (!slot)
		return NULL;
	if (slot->bits & SLOT_WHOLE)
		return whole_of(f, slot);
	show_node(slot, nid, room);
	return room;
}

bool facts_seal(const struct facts *f, f2fs_nid_t nid, uint32_t *seal)
{
	const struct nid_slot *slot = find_slot(f, nid);

	if (slot->bits & SLOT_WHOLE) {
		*seal = whole_of(f, slot)->seal;
		return whole_of(f, slot)->kind != FACT_UNSEEN;
	}
	*seal = slot->seal;
	return (slot->bits & SLOT_PLAIN) != 0;
}

static struct inode_fact *inode_of(const struct facts *f, const struct nid_fact *fact)
{
	return fact->kind == FACT_INODE && fact->inode != NO_INODE ? facts_inode_at(f, fact->inode) : NULL;
}

const struct inode_fact *facts_find_inode(const struct facts *f, f2fs_nid_t ino, struct inode_fact *room)
{
	const struct nid_slot *slot = find_slot(f, ino);

	if (!slot || !(slot->bits & (SLOT_WHOLE | SLOT_PLAIN)))
		return NULL;
	if (slot->bits & SLOT_WHOLE)
		return inode_of(f, whole_of(f, slot));
	show_inode(f, slot, ino, room);
	return room;
}

const struct inode_fact *facts_find_owner(const struct facts *f, const struct nid_fact *fact, struct inode_fact *room)
{
	return fact->inode == PLAIN_INODE ? facts_find_inode(f, fact->nid, room) : facts_inode_at(f, fact->inode);
}

struct inode_fact *facts_dir(const struct facts *f, f2fs_nid_t ino)
{
	const struct nid_slot *slot = find_slot(f, ino);
	struct inode_fact *inode = slot && (slot->bits & SLOT_WHOLE) ? inode_of(f, whole_of(f, slot)) : NULL;

	return inode && inode->type == F2FS_TYPE_DIRECTORY ? inode : NULL;
}

/* ---- a walk over all of them */

/* Go to the next id that is set in the bits of the pages, or in those of whole nodes. */
static bool step(const struct facts *f, struct facts_walk *walk, bool is_whole)
{
	while (walk->bits == 0) {
		const struct nid_page *page;

		if (walk->page == 0 || walk->word == NID_PAGE / 64) {
			if (walk->page == f->pages.count)
				return false;
			walk->page++;
			walk->word = 0;
		}
		page = vec_at(&f->pages, walk->page - 1);
		walk->bits = (is_whole ? page->whole : page->bits)[walk->word];
		walk->first = page->first + walk->word++ * 64;
	}
	while (!(walk->bits & 1)) {
		walk->bits >>= 1;
		walk->first++;
	}
	walk->bits >>= 1;
	walk->nid = walk->first++;
	return true;
}

const struct nid_fact *facts_next(const struct facts *f, struct facts_walk *walk)
{
	const struct nid_slot *slot;

	if (!step(f, walk, false))
		return NULL;
	slot = slot_at(f, walk->next++);
	if (slot->bits & SLOT_WHOLE)
		return whole_of(f, slot);
	show_node(slot, walk->nid, &walk->room);
	return &walk->room;
}

struct nid_fact *facts_next_whole(const struct facts *f, struct facts_walk *walk)
{
	return step(f, walk, true) ? whole_of(f, find_slot(f, walk->nid)) : NULL;
}

void facts_keep_inodes(struct facts *f)
{
	for (size_t i = 0; i < f->slots.count; i++) {
		struct nid_slot *slot = slot_at(f, i);

		if (slot->bits & SLOT_PLAIN)
			slot->bits |= SLOT_KEPT;
		else if ((slot->bits & SLOT_WHOLE) && whole_of(f, slot)->kind == FACT_INODE)
			whole_of(f, slot)->flags |= FACT_KEPT;
	}
}

/* ---- whole nodes */

/* Keep a node whole, and its inode if it has one. */
static int keep_whole(struct facts *f, struct nid_slot *slot, const struct nid_fact *fact,
		      const struct inode_fact *inode)
{
	const uint32_t index = (uint32_t)f->nodes.count;
	struct nid_fact *node = chunks_push(&f->nodes);
	struct inode_fact *whole;

	if (!node)
		return F2FS_ERR_NOMEM;
	*node = *fact;
	if (inode) {
		node->inode = (uint32_t)f->inodes.count;
		whole = chunks_push(&f->inodes);
		if (!whole)
			return F2FS_ERR_NOMEM;
		*whole = *inode;
	}
	slot->addr = index;
	slot->bits = SLOT_WHOLE;
	page_of(f, fact->nid)->whole[fact->nid % NID_PAGE / 64] |= (uint64_t)1 << fact->nid % 64;
	return 0;
}

static int make_whole(struct facts *f, struct nid_slot *slot, f2fs_nid_t nid)
{
	struct inode_fact inode;
	struct nid_fact fact;

	if (slot->bits & SLOT_WHOLE)
		return 0;
	show_node(slot, nid, &fact);
	if (slot->bits & SLOT_PLAIN)
		show_inode(f, slot, nid, &inode);
	return keep_whole(f, slot, &fact, slot->bits & SLOT_PLAIN ? &inode : NULL);
}

struct nid_fact *facts_edit_nid(struct facts *f, f2fs_nid_t nid)
{
	struct nid_slot *slot = find_slot(f, nid);

	return slot && make_whole(f, slot, nid) == 0 ? whole_of(f, slot) : NULL;
}

struct inode_fact *facts_edit_inode(struct facts *f, f2fs_nid_t ino)
{
	struct nid_slot *slot = find_slot(f, ino);

	if (!slot || !(slot->bits & (SLOT_WHOLE | SLOT_PLAIN)) || make_whole(f, slot, ino) != 0)
		return NULL;
	return inode_of(f, whole_of(f, slot));
}

/* There is room for all of them. */
static void add_found(struct facts *f, f2fs_nid_t ino)
{
	*(f2fs_nid_t *)vec_at(&f->found, f->found.count++) = ino;
}

struct inode_fact *facts_add_inode(struct facts *f, struct nid_fact *fact)
{
	const uint32_t index = (uint32_t)f->inodes.count;
	struct inode_fact *inode = chunks_push(&f->inodes);

	if (!inode)
		return NULL;
	add_found(f, fact->nid);
	inode->ino = fact->nid;
	fact->inode = index;
	return inode;
}

/* ---- plain inodes */

struct nid_fact *facts_open(struct facts *f, f2fs_nid_t nid, struct node_room *room)
{
	struct nid_slot *slot = find_slot(f, nid);

	room->slot = slot;
	if (!slot)
		return NULL;
	if (slot->bits & SLOT_WHOLE)
		return whole_of(f, slot);
	show_node(slot, nid, &room->fact);
	if (slot->bits & SLOT_PLAIN)
		show_inode(f, slot, nid, &room->inode);
	else
		memset(&room->inode, 0, sizeof(room->inode));
	return &room->fact;
}

/* Can a slot say all about this inode that may be asked for? */
static bool is_plain(const struct facts *f, const struct nid_fact *fact, const struct inode_fact *inode)
{
	const bool has_size = inode->type == F2FS_TYPE_REGULAR || inode->type == F2FS_TYPE_SYMLINK;

	if (fact->flags != 0 || fact->offset != 0 || inode->state != 0 || inode->links != 1 ||
	    inode->type == F2FS_TYPE_DIRECTORY || inode->type == F2FS_TYPE_UNKNOWN)
		return false;
	if (inode->cluster_blocks || inode->compr_blocks || (inode->advise & FLAG_i_advise_verity) ||
	    inode->ext_seen != inode->ext_len)
		return false;
	if (inode->blocks != 1u + fact->owned || inode->blocks > UINT16_MAX || inode->size > UINT32_MAX)
		return false;
	/* larger ones may lack nodes; special files have no size (inode_type.c) */
	return inode->size <= (has_size ? (uint64_t)inode->slots << f->geo->block_bits : 0);
}

int facts_close(struct facts *f, const struct node_room *room, bool be_whole)
{
	const struct nid_fact *fact = &room->fact;
	const struct inode_fact *inode = &room->inode;
	struct nid_slot *slot = room->slot;
	uint16_t class;
	int err;

	add_found(f, fact->nid);
	err = !be_whole && is_plain(f, fact, inode) ? inode_classes_find(&f->classes, inode, &class) : F2FS_ERR_RANGE;
	if (err == F2FS_ERR_RANGE)
		return keep_whole(f, slot, fact, inode);
	if (err)
		return err;
	slot->seal = fact->seal;
	slot->home = inode->pino;
	slot->size = (uint32_t)inode->size;
	slot->class = class;
	slot->blocks = (uint16_t)inode->blocks;
	slot->bits = SLOT_PLAIN;
	return 0;
}

bool facts_name_plain(struct facts *f, f2fs_nid_t ino, unsigned type, f2fs_nid_t dir, f2fs_blk_t block, uint32_t slot)
{
	struct nid_slot *named = find_slot(f, ino);

	if (!named || (named->bits & (SLOT_PLAIN | SLOT_NAMED)) != SLOT_PLAIN || named->home != dir ||
	    inode_classes_at(&f->classes, named->class)->type != type)
		return false;
	named->bits |= SLOT_NAMED;
	named->entry_block = block;
	named->entry_slot = (uint16_t)slot;
	return true;
}

bool facts_has_its_name(const struct facts *f, f2fs_nid_t ino)
{
	const struct nid_slot *slot = find_slot(f, ino);

	return slot && (slot->bits & (SLOT_PLAIN | SLOT_NAMED)) == (SLOT_PLAIN | SLOT_NAMED);
}

const struct inode_class *facts_class_of(const struct facts *f, f2fs_nid_t ino, uint64_t *blocks)
{
	const struct nid_slot *slot = find_slot(f, ino);

	if (!slot || !(slot->bits & SLOT_PLAIN))
		return NULL;
	*blocks = slot->blocks;
	return inode_classes_at(&f->classes, slot->class);
}

void facts_count_plain(const struct facts *f, uint64_t *counts)
{
	for (size_t i = 0; i < f->slots.count; i++)
		if (slot_at(f, i)->bits & SLOT_PLAIN)
			counts[inode_classes_at(&f->classes, slot_at(f, i)->class)->type]++;
}
