/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair directory entries. Each finding about an entry has its place and its fault. Entries that name nothing are
 * cleared, wrong fields are corrected. Entries that a lookup cannot find, or that have an unusable name, are removed
 * and inserted again in the right place.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "facts/dir_judge.h"
#include "facts/sweep.h"
#include "file/dir_filing.h"
#include "file/dir_find.h"
#include "file/dir_write.h"
#include "file/inode_read.h"
#include "file/pages.h"
#include "file/winode.h"
#include "log/nodes.h"
#include "repair/repair.h"
#include "repair/repair_dirs.h"
#include "repair/repair_left.h"
#include "witness/witness.h"
#include "witness/witness_swaps.h"

#define MAX_BUCKETS_ALONE 32u /* of the first level of a directory without names in blocks */
#define CIPHER_LEAST 16u /* bytes of an encrypted name */
#define MAX_TRIES 1000u /* names that are tried for one that is taken */

/* Where entries can be changed: the waiting page, or the inode's block. */
static int open_area(struct repair *r, f2fs_nid_t dir, uint32_t number, struct winode *w, struct dentry_area *area)
{
	uint8_t *page;
	int err = winode_get(r->vol, dir, w);

	if (err)
		return err;
	r->is_changed = true;
	filing_forget(r->vol, dir);
	if (inode_has_inline(winode_block(w), FLAG_i_inline_inline_dentry)) {
		dentry_area_of_inode(winode_block(w), &w->layout, area);
		node_dirty(r->txn, w->node);
		return 0;
	}
	err = page_get(w, number, false, &page);
	if (!err)
		dentry_area_of_block(r->geo, page, area);
	return err;
}

/* Find the file block of a directory that is at an address. Returns false if no such block was read. */
static bool number_of(const struct repair *r, f2fs_nid_t dir, f2fs_blk_t addr, uint32_t *number)
{
	const struct inode_fact *inode = facts_inode(&r->c->facts, dir);
	const uint64_t *index = map32_find(&r->dir_index, addr);
	const struct dir_block *block = index ? vec_at(&r->c->dir_blocks, (size_t)*index) : NULL;

	if (!inode || !block || facts_inode_at(&r->c->facts, block->inode)->ino != dir)
		return false;
	*number = block->number;
	return true;
}

static uint8_t *bitmap_of(const struct dentry_area *area)
{
	return (uint8_t *)(uintptr_t)area->bitmap;
}

static uint8_t *entry_of(const struct dentry_area *area, uint32_t slot)
{
	return (uint8_t *)(uintptr_t)area->entries + (size_t)slot * dentry_SIZE;
}

static void clear_slots(const struct dentry_area *area, uint32_t slot, uint32_t count)
{
	for (uint32_t i = slot; i < slot + count && i < area->slots; i++)
		lsb_clear(bitmap_of(area), i);
}

/* Take an entry out of its place. */
static int set_off(struct vec *wanderers, f2fs_nid_t dir, const struct dentry_area *area,
		   const struct dentry_ref *entry)
{
	struct wanderer *moving = vec_push(wanderers, 1);

	if (!moving)
		return F2FS_ERR_NOMEM;
	moving->dir = dir;
	moving->ino = entry->ino;
	moving->hash = entry->hash;
	moving->type = entry->type;
	moving->length = (uint8_t)entry->name_len;
	memcpy(moving->name, entry->name, entry->name_len);
	clear_slots(area, entry->slot, dentry_slots_of(entry->name_len));
	return 0;
}

/* The entry that starts at a slot; false: none does. */
static bool find_entry(const struct dentry_area *area, uint32_t slot, struct dentry_ref *ref)
{
	return slot < area->slots && lsb_test(area->bitmap, slot) && dentry_next(area, &slot, ref) == DENTRY_FOUND;
}

int repair_clear_entry(struct repair *r, f2fs_nid_t dir, f2fs_blk_t block, uint32_t slot)
{
	struct dentry_area area;
	struct dentry_ref ref;
	struct winode w;
	uint32_t number;
	int err;

	if (!number_of(r, dir, block, &number))
		return 0;
	err = open_area(r, dir, number, &w, &area);
	if (err || slot >= area.slots)
		return err;
	if (find_entry(&area, slot, &ref) && ref.slot == slot)
		clear_slots(&area, slot, dentry_slots_of(ref.name_len));
	else
		clear_slots(&area, slot, 1);
	return 0;
}

/* ---- putting entries in */

static int is_taken(struct repair *r, struct f2fs_inode *dir, const char *name, size_t length, bool *taken)
{
	struct f2fs_dirent found;
	int err = dir_find(dir, name, length, &found);

	*taken = err == 0;
	if (err == F2FS_ERR_NOT_FOUND) {
		error_clear(r->ctx);
		err = 0;
	}
	return err;
}

/* Find a name that is not taken: the present one, or that one with a number appended. */
static int choose_name(struct repair *r, f2fs_nid_t dir, char *name, size_t *length)
{
	const size_t base = *length < NAME_MAX_BYTES - 12 ? *length : NAME_MAX_BYTES - 12;
	struct f2fs_inode *inode;
	bool taken = true;
	int err = inode_open(r->vol, dir, &inode);

	if (err)
		return err;
	err = is_taken(r, inode, name, *length, &taken);
	for (unsigned i = 1; taken && i < MAX_TRIES && !err; i++) {
		*length = base + (size_t)snprintf(name + base, 12, "~%u", i);
		err = is_taken(r, inode, name, *length, &taken);
	}
	f2fs_inode_close(inode);
	if (!err && taken)
		return error_set(r->ctx, F2FS_ERR_EXISTS, "directory inode %u has too many names of one kind",
				 (unsigned)dir);
	return err;
}

static bool is_usable(const uint8_t *name, uint32_t length)
{
	return length > 0 && length <= NAME_MAX_BYTES && !(length == 1 && name[0] == '.') &&
	       !(length == 2 && name[0] == '.' && name[1] == '.');
}

/* Clear i_dir_level before a name is inserted, if no name confirms it and the first level has more than
 * MAX_BUCKETS_ALONE buckets: a reader would have to look through them all. */
static void bound_level(struct repair *r, struct winode *w)
{
	const struct inode_fact *dir = facts_inode(&r->c->facts, w->node->nid);
	const unsigned level = inode_i_dir_level(winode_block(w));

	if (dir && dir->placed == 0 && dentry_buckets(0, level) > MAX_BUCKETS_ALONE) {
		inode_set_i_dir_level(winode_block(w), 0);
		filing_forget(r->vol, dir->ino);
	}
}

int repair_insert(struct repair *r, f2fs_nid_t dir, const uint8_t *name, uint32_t length, f2fs_nid_t ino, unsigned type)
{
	const struct inode_fact *fact = facts_inode(&r->c->facts, dir);
	char own[NAME_MAX_BYTES + 16];
	struct stored_name stored;
	size_t n = length;
	struct winode w;
	int err;

	if (is_usable(name, length)) {
		for (uint32_t i = 0; i < length; i++)
			own[i] = (char)(name[i] == '/' || name[i] == 0 ? '_' : name[i]);
		if (fact && (fact->state & INODE_STRICT) && !dir_is_encoded((const uint8_t *)own, length))
			for (uint32_t i = 0; i < length; i++)
				own[i] = (char)(name[i] < 0x80 ? own[i] : '_');
	} else {
		n = (size_t)snprintf(own, sizeof(own), "inode-%u", (unsigned)ino);
	}
	err = choose_name(r, dir, own, &n);
	if (!err)
		err = winode_get(r->vol, dir, &w);
	if (!err) {
		bound_level(r, &w);
		err = dir_store_name(&w, own, n, &stored);
	}
	if (!err)
		err = dir_insert(&w, &stored, ino, type);
	r->is_changed = true;
	return err;
}

int repair_insert_cipher(struct repair *r, const struct wanderer *entry, bool *is_done)
{
	struct f2fs_inode *inode;
	struct f2fs_dirent found;
	struct winode w;
	int err;

	*is_done = false;
	if (entry->length < CIPHER_LEAST) /* Linux complains of such a name */
		return 0;
	err = inode_open(r->vol, entry->dir, &inode);
	if (err)
		return err;
	err = dir_find_stored(inode, entry->name, entry->length, entry->hash, &found);
	f2fs_inode_close(inode);
	if (err != F2FS_ERR_NOT_FOUND)
		return err;
	error_clear(r->ctx);
	err = winode_get(r->vol, entry->dir, &w);
	if (err)
		return err;
	r->is_changed = *is_done = true;
	return dir_insert_stored(&w, entry->name, entry->length, entry->hash, entry->ino, entry->type);
}

/* ---- dots */

/* Write one of the dots into its slot. The entry that occupies the slot is moved. */
static int put_dot(struct repair *r, f2fs_nid_t dir, unsigned slot, f2fs_nid_t ino, struct vec *wanderers)
{
	static const uint8_t dots[] = "..";
	const uint32_t length = slot + 1;
	struct dentry_area area;
	struct dentry_ref ref;
	struct winode w;
	uint8_t *raw;
	int err = open_area(r, dir, 0, &w, &area);

	if (err || area.slots < 2)
		return err;
	if (find_entry(&area, slot, &ref) && ref.slot == slot && ref.name_len == length &&
	    memcmp(ref.name, dots, length) == 0) {
		dentry_set_ino(entry_of(&area, slot), ino);
		dentry_set_file_type(entry_of(&area, slot), F2FS_TYPE_DIRECTORY);
		return 0;
	}
	if (find_entry(&area, slot, &ref) && ref.slot == slot) {
		err = set_off(wanderers, dir, &area, &ref);
		if (err)
			return err;
	}
	raw = entry_of(&area, slot);
	dentry_set_hash_code(raw, 0);
	dentry_set_ino(raw, ino);
	dentry_set_name_len(raw, (uint16_t)length);
	dentry_set_file_type(raw, F2FS_TYPE_DIRECTORY);
	memset((uint8_t *)(uintptr_t)area.names + (size_t)slot * DENTRY_SLOT_BYTES, 0, DENTRY_SLOT_BYTES);
	memcpy((uint8_t *)(uintptr_t)area.names + (size_t)slot * DENTRY_SLOT_BYTES, dots, length);
	lsb_set(bitmap_of(&area), slot);
	if (inode_i_size(winode_block(&w)) == 0)
		inode_set_i_size(winode_block(&w), r->geo->block_size);
	if (inode_i_current_depth(winode_block(&w)) == 0)
		inode_set_i_current_depth(winode_block(&w), 1);
	node_dirty(r->txn, w.node);
	return 0;
}

static bool is_encrypted(const struct repair *r, f2fs_nid_t ino)
{
	const struct inode_fact *dir = facts_inode(&r->c->facts, ino);

	return dir && (dir->advise & FLAG_i_advise_encrypt);
}

/* Does the directory have the name already, for the same inode? Then the entry was a copy. */
static int is_copy(struct repair *r, const struct wanderer *w, bool *out)
{
	struct f2fs_inode *dir = NULL;
	struct f2fs_dirent found;
	int err = inode_open(r->vol, w->dir, &dir);

	*out = false;
	if (!err)
		err = dir_find(dir, (const char *)w->name, w->length, &found);
	f2fs_inode_close(dir);
	if (!err)
		*out = found.ino == w->ino;
	/* the insertion finds a name for it */
	if (err == F2FS_ERR_NOT_FOUND || err == F2FS_ERR_INVALID || err == F2FS_ERR_NAME_TOO_LONG) {
		error_clear(r->ctx);
		err = 0;
	}
	return err;
}

static int insert_wanderer(struct repair *r, const struct wanderer *w)
{
	struct inode_fact *inode;
	bool copy;
	int err;

	if (is_encrypted(r, w->dir))
		return repair_insert_cipher(r, w, &copy);
	err = is_copy(r, w, &copy);
	if (err)
		return err;
	if (!copy)
		return repair_insert(r, w->dir, w->name, w->length, w->ino, w->type);
	inode = facts_edit_inode(&r->c->facts, w->ino);
	if (!inode)
		return F2FS_ERR_NOMEM;
	if (inode->links_found)
		inode->links_found--;
	return 0;
}

static int insert_wanderers(struct repair *r, struct vec *wanderers)
{
	int err = 0;

	for (size_t i = 0; i < wanderers->count && !err; i++) {
		const struct wanderer *w = vec_at(wanderers, i);

		/* "." and "..", and entries that name no inode, are not put in again */
		if ((w->length <= 2 && w->name[0] == '.' && w->name[w->length - 1] == '.') ||
		    !facts_inode(&r->c->facts, w->ino))
			continue;
		err = insert_wanderer(r, w);
	}
	wanderers->count = 0;
	return err;
}

int repair_set_dotdot(struct repair *r, f2fs_nid_t dir, f2fs_nid_t parent)
{
	struct vec wanderers;
	int err;

	vec_init(&wanderers, r->ctx, sizeof(struct wanderer));
	err = put_dot(r, dir, 1, parent, &wanderers);
	if (!err)
		err = insert_wanderers(r, &wanderers);
	vec_fini(&wanderers);
	return err;
}

/* ---- by finding */

/* Open the area that contains the entry of a finding. It has no slots if it is no longer a block of the directory. */
static int open_entry_area(struct repair *r, const struct finding *f, struct winode *w, struct dentry_area *area)
{
	uint32_t number;

	memset(area, 0, sizeof(*area));
	return number_of(r, f->ino, f->entry_block, &number) ? open_area(r, f->ino, number, w, area) : 0;
}

static int take_out(struct repair *r, const struct finding *f, struct vec *wanderers)
{
	const struct inode_fact *dir = facts_inode(&r->c->facts, f->ino);
	struct dentry_area area;
	struct dentry_ref ref;
	struct winode w;
	int err;

	/* encrypted names cannot be inserted again without the key */
	if (!dir || (dir->advise & FLAG_i_advise_encrypt))
		return 0;
	err = open_entry_area(r, f, &w, &area);
	if (err || !find_entry(&area, f->entry_slot, &ref) || ref.slot != f->entry_slot)
		return err;
	return set_off(wanderers, f->ino, &area, &ref);
}

/* Put the expected value into a field of the entry of a finding. */
static int set_field(struct repair *r, const struct finding *f, void (*put)(uint8_t *entry, uint32_t value))
{
	struct dentry_area area;
	struct winode w;
	int err = open_entry_area(r, f, &w, &area);

	if (!err && f->entry_slot < area.slots)
		put(entry_of(&area, f->entry_slot), (uint32_t)f->expected);
	return err;
}

/* The slots of a name whose entry is in use are in use, too. */
static int mark_slots(struct repair *r, const struct finding *f)
{
	struct dentry_area area;
	struct dentry_ref ref;
	struct winode w;
	int err = open_entry_area(r, f, &w, &area);

	if (err || !find_entry(&area, f->entry_slot, &ref))
		return err;
	for (uint32_t i = 0; i < dentry_slots_of(ref.name_len); i++)
		lsb_set(bitmap_of(&area), ref.slot + i);
	return 0;
}

static void put_type(uint8_t *entry, uint32_t type)
{
	dentry_set_file_type(entry, (uint8_t)type);
}

/* A name that is ciphertext keeps its place: only the hash can be wrong, when the key has no part in it. */
static void put_hash(uint8_t *entry, uint32_t hash)
{
	dentry_set_hash_code(entry, hash);
}

static f2fs_nid_t parent_of(const struct repair *r, f2fs_nid_t dir)
{
	const struct inode_fact *inode = facts_inode(&r->c->facts, dir);

	if (dir == r->geo->root_ino || !inode)
		return r->geo->root_ino;
	return inode->parent ? inode->parent : inode->pino;
}

static int put_dots(struct repair *r, f2fs_nid_t dir, struct vec *wanderers)
{
	int err = put_dot(r, dir, 0, dir, wanderers);

	return err ? err : put_dot(r, dir, 1, parent_of(r, dir), wanderers);
}

/* Remove the entry that names an inode. The inode gets a new one with the lost inodes. */
static int let_go(struct repair *r, f2fs_nid_t ino)
{
	const struct inode_fact *known = facts_inode(&r->c->facts, ino);
	struct inode_fact *inode, *dir;
	int err;

	if (!known || known->parent == 0 || !repair_may_write(r, known->parent))
		return 0;
	inode = facts_edit_inode(&r->c->facts, ino);
	if (!inode)
		return F2FS_ERR_NOMEM;
	err = repair_clear_entry(r, inode->parent, inode->entry_block, inode->entry_slot);
	dir = facts_dir(&r->c->facts, inode->parent);
	if (dir && inode->type == F2FS_TYPE_DIRECTORY && dir->subdirs)
		dir->subdirs--;
	if (inode->links_found)
		inode->links_found--;
	inode->parent = 0;
	inode->state &= (uint16_t)~INODE_REACHED;
	return err;
}

static int apply(struct repair *r, const struct finding *f, struct vec *wanderers)
{
	if (f->is_left || !repair_may_write(r, f->ino))
		return 0;
	switch (f->problem) {
	case P_DENTRY_NAME:
	case P_DENTRY_BITMAP:
	case P_DENTRY_INO:
	case P_DENTRY_DEAD:
	case P_DENTRY_CUT:
	case P_DENTRY_RESERVED:
	case P_DIR_TWICE:
	case P_DOT_EXTRA:
		return repair_clear_entry(r, f->ino, f->entry_block, f->entry_slot);
	case P_DENTRY_SLOTS:
		return mark_slots(r, f);
	case P_DENTRY_TYPE:
		return set_field(r, f, put_type);
	case P_DENTRY_HASH:
		if (f->witnesses) /* amended in its place */
			return 0;
		return is_encrypted(r, f->ino) ? set_field(r, f, put_hash) : take_out(r, f, wanderers);
	case P_DENTRY_PLACE:
	case P_DENTRY_CHARS:
	case P_DENTRY_TWICE:
		return take_out(r, f, wanderers);
	case P_ENCRYPT_PLAIN:
		return let_go(r, f->ino);
	case P_DOT_WRONG:
	case P_DOT_MISSING:
		return put_dots(r, f->ino, wanderers);
	default:
		return 0;
	}
}

static int index_blocks(struct repair *r)
{
	int err = 0;

	for (size_t i = 0; i < r->c->dir_addrs.count && !err; i++) {
		const struct sweep_item *item = vec_at(&r->c->dir_addrs, i);

		err = map32_set(&r->dir_index, item->addr, item->tag);
	}
	return err;
}

/* Write a block that witnesses amended, if it is one of a directory. */
static int write_amended(struct repair *r, f2fs_blk_t addr)
{
	const uint64_t *at = map32_find(&r->dir_index, addr);
	const struct dir_block *place = at ? vec_at(&r->c->dir_blocks, (size_t)*at) : NULL;
	const struct inode_fact *dir = place ? facts_inode_at(&r->c->facts, place->inode) : NULL;
	struct dentry_area area;
	struct winode w;

	if (!dir || (!repair_may_write(r, dir->ino) && !witness_is_exchanged(r->c, addr)))
		return 0;
	return open_area(r, dir->ino, place->number, &w, &area);
}

int repair_amended_dirs(struct repair *r)
{
	const struct vec *bytes = &r->c->book->amends.bytes, *whole = &r->c->book->amends.whole;
	int err = index_blocks(r);

	for (size_t i = 0; i < bytes->count && !err; i++)
		err = write_amended(r, ((const struct amended_bytes *)vec_at(bytes, i))->addr);
	for (size_t i = 0; i < whole->count && !err; i++)
		err = write_amended(r, ((const struct amended_block *)vec_at(whole, i))->addr);
	return err;
}

int repair_dirs(struct repair *r)
{
	struct vec wanderers;
	int err = repair_amended_dirs(r);

	vec_init(&wanderers, r->ctx, sizeof(struct wanderer));
	for (size_t i = 0; i < r->c->findings.count && !err; i++)
		err = apply(r, vec_at(&r->c->findings, i), &wanderers);
	if (!err)
		err = insert_wanderers(r, &wanderers);
	vec_fini(&wanderers);
	return err;
}
