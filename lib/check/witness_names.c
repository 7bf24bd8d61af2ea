/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The vote on names. What an entry is called stands in its bytes and their number, in its hash, and in i_name of the
 * inode that it names. An entry whose hash is not that of its name is given the name of the inode, when that has the
 * hash and the inode says that it is in this directory. Then hash and inode agree against the bytes of the entry.
 */
#include <string.h>

#include "base/namehash.h"
#include "check/dirs.h"
#include "check/witness.h"

struct own_name {
	uint8_t bytes[NAME_MAX_BYTES];
	uint32_t length;
};

/* The name that an inode remembers in a directory; false: none. */
static bool remembers(struct checker *c, const struct inode_fact *dir, f2fs_nid_t ino, struct own_name *out)
{
	const struct nid_fact *fact = facts_nid(&c->facts, ino);
	const struct inode_fact *inode = facts_inode(&c->facts, ino);
	const bool is_cipher = (dir->advise & FLAG_i_advise_encrypt) != 0;
	const uint8_t *block;

	if (!inode || !fact || inode->pino != dir->ino)
		return false;
	if (volume_peek(c->vol, fact->addr, &block) != 0) {
		error_clear(c->ctx);
		return false;
	}
	out->length = inode_i_namelen(block);
	if (out->length == 0 || out->length > NAME_MAX_BYTES ||
	    ((inode_i_advise(block) & FLAG_i_advise_enc_name) != 0) != is_cipher)
		return false;
	memcpy(out->bytes, inode_i_name(block), out->length);
	return true;
}

/* Does a name fit into its slots, of which further ones begin no other entry? */
static bool has_room(const struct dentry_area *area, uint32_t slot, uint32_t length)
{
	return slot + dentry_slots_of(length) <= area->slots;
}

static int amend_name(struct checker *c, const struct finding *about, const uint8_t *block,
		      const struct dentry_area *area, const struct own_name *name)
{
	const uint8_t *raw = area->entries + (size_t)about->entry_slot * dentry_SIZE;
	const uint8_t *bytes = area->names + (size_t)about->entry_slot * DENTRY_SLOT_BYTES;
	const uint32_t name_at = (uint32_t)(bytes - block), entry_at = (uint32_t)(raw - block);
	const uint32_t found = dentry_name_len(raw);
	const struct finding why = { .problem = P_DENTRY_RENAMED,
				     .nid = about->ino,
				     .ino = about->ino,
				     .has_block = 1,
				     .block = about->entry_block,
				     .has_slot = 1,
				     .slot = about->entry_slot,
				     .entry_block = about->entry_block,
				     .entry_slot = about->entry_slot,
				     .has_values = 1,
				     .found = found,
				     .expected = name->length,
				     .witnesses = WITNESS_HASH | WITNESS_INODE };
	struct amends *amends = &c->book->amends;
	int err = witness_amend_bytes(c, about->entry_block, entry_at + (uint32_t)dentry_OFS_name_len, 2, name->length,
				      &why);
	bool is_new;

	for (uint32_t i = 0; i < name->length && !err && c->must_restart; i++)
		err = amends_add_bytes(amends, about->entry_block, name_at + i, 1, name->bytes[i], &is_new);
	return err;
}

/* Read a block into the scratch of the check. */
static int read_block(struct checker *c, f2fs_blk_t addr, bool *is_read)
{
	const uint8_t *block;
	int err;

	*is_read = false;
	if (!c->scratch)
		c->scratch = mem_alloc(c->ctx, c->geo->block_size);
	if (!c->scratch)
		return F2FS_ERR_NOMEM;
	err = volume_peek(c->vol, addr, &block);
	if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
		return err;
	*is_read = err == 0;
	if (err)
		error_clear(c->ctx);
	else
		memcpy(c->scratch, block, c->geo->block_size);
	return 0;
}

static int vote_on_entry(struct checker *c, const struct finding *about)
{
	const struct inode_fact *dir = facts_inode(&c->facts, about->ino);
	struct dentry_area area;
	struct dentry_ref ref;
	struct own_name name;
	const uint8_t *raw;
	uint32_t hash;
	bool is_read;
	int err;

	if (!dir || dir->type != F2FS_TYPE_DIRECTORY || about->entry_block == 0)
		return 0;
	err = read_block(c, about->entry_block, &is_read);
	if (err || !is_read)
		return err;
	dir_area(c, dir, c->scratch, &area);
	if (about->entry_slot >= area.slots || !lsb_test(area.bitmap, about->entry_slot))
		return 0;
	raw = area.entries + (size_t)about->entry_slot * dentry_SIZE;
	if (!remembers(c, dir, dentry_ino(raw), &name) || !has_room(&area, about->entry_slot, name.length))
		return 0;
	ref = (struct dentry_ref){ .name = name.bytes, .name_len = (uint16_t)name.length };
	if (!dir_expected_hash(dir, &ref, &hash) || hash != dentry_hash_code(raw))
		return 0;
	return amend_name(c, about, c->scratch, &area, &name);
}

/* ---- inodes without a name */

#define MAX_LOST 256u /* inodes that are looked for; more are a matter of more than entries */

struct lost_inode {
	const struct inode_fact *inode;
	struct own_name name;
};

/* Inodes that should have a name, and the directory where they remember it. */
static int list_lost(struct checker *c, struct vec *lost)
{
	for (uint32_t i = 0; i < c->facts.inodes.count && lost->count < MAX_LOST; i++) {
		const struct inode_fact *inode = facts_inode_at(&c->facts, i);
		const struct inode_fact *dir = inode->pino ? facts_inode(&c->facts, inode->pino) : NULL;
		struct lost_inode *one;
		struct own_name name;

		if (inode->parent != 0 || inode->links == 0 || inode->ino == c->geo->root_ino || !dir ||
		    (inode->state & (INODE_ORPHAN | INODE_HIDDEN | INODE_GUESSED)) ||
		    dir->type != F2FS_TYPE_DIRECTORY || dir == inode || !remembers(c, dir, inode->ino, &name))
			continue;
		one = vec_push(lost, 1);
		if (!one)
			return F2FS_ERR_NOMEM;
		one->inode = inode;
		one->name = name;
	}
	return 0;
}

/* The lost inode that remembers this name in the directory; NULL: none. */
static const struct lost_inode *find_lost(const struct vec *lost, const struct inode_fact *dir,
					  const struct dentry_ref *ref)
{
	for (size_t i = 0; i < lost->count; i++) {
		const struct lost_inode *one = vec_at(lost, i);

		if (one->inode->pino == dir->ino && one->name.length == ref->name_len &&
		    memcmp(one->name.bytes, ref->name, ref->name_len) == 0)
			return one;
	}
	return NULL;
}

static struct finding about_entry(enum problem problem, const struct inode_fact *dir, f2fs_blk_t addr, uint32_t slot,
				  uint64_t found, uint64_t expected)
{
	return (struct finding){ .problem = (uint16_t)problem,
				 .nid = dir->ino,
				 .ino = dir->ino,
				 .has_block = 1,
				 .block = addr,
				 .has_slot = 1,
				 .slot = slot,
				 .entry_block = addr,
				 .entry_slot = (uint16_t)slot,
				 .has_values = 1,
				 .found = found,
				 .expected = expected,
				 .witnesses = WITNESS_HASH | WITNESS_INODE };
}

/* An entry in use with the name of a lost inode leads to it, unless the inode that it names remembers it, too. */
static int vote_on_ino(struct checker *c, const struct vec *lost, const struct inode_fact *dir, f2fs_blk_t addr,
		       const struct dentry_area *area, const struct dentry_ref *ref)
{
	const struct lost_inode *one = find_lost(lost, dir, ref);
	const uint32_t at = (uint32_t)(area->entries - c->scratch) + ref->slot * (uint32_t)dentry_SIZE;
	struct own_name other;
	struct finding why;
	bool is_new;
	int err;

	if (!one || one->inode->ino == ref->ino ||
	    (remembers(c, dir, ref->ino, &other) && other.length == ref->name_len &&
	     memcmp(other.bytes, ref->name, ref->name_len) == 0))
		return 0;
	why = about_entry(P_DENTRY_TARGET, dir, addr, ref->slot, ref->ino, one->inode->ino);
	err = witness_amend_bytes(c, addr, at + (uint32_t)dentry_OFS_ino, 4, one->inode->ino, &why);
	if (!err && c->must_restart)
		err = amends_add_bytes(&c->book->amends, addr, at + (uint32_t)dentry_OFS_file_type, 1,
				       one->inode->type, &is_new);
	return err;
}

/* Is one of the slots of a name in use for something that is no part of it? */
static bool is_overwritten(const struct dentry_area *area, uint32_t slot, uint32_t count)
{
	bool is_used = lsb_test(area->bitmap, slot);

	for (uint32_t i = 1; i < count; i++)
		is_used |= lsb_test(area->bitmap, slot + i) &&
			   dentry_name_len(area->entries + (size_t)(slot + i) * dentry_SIZE) != 0;
	return is_used;
}

/* A slot that is marked as free, but names a lost inode as that remembers. */
static int vote_on_free_slot(struct checker *c, const struct vec *lost, const struct inode_fact *dir, f2fs_blk_t addr,
			     const struct dentry_area *area, uint32_t slot)
{
	const uint8_t *raw = area->entries + (size_t)slot * dentry_SIZE;
	const struct dentry_ref ref = { .slot = slot,
					.hash = dentry_hash_code(raw),
					.ino = dentry_ino(raw),
					.name_len = dentry_name_len(raw),
					.name = area->names + (size_t)slot * DENTRY_SLOT_BYTES };
	const uint32_t count = dentry_slots_of(ref.name_len), map = (uint32_t)(area->bitmap - c->scratch);
	const struct lost_inode *one;
	struct finding why;
	uint32_t hash;
	bool is_new;
	int err = 0;

	if (ref.name_len == 0 || ref.name_len > NAME_MAX_BYTES || slot + count > area->slots ||
	    is_overwritten(area, slot, count))
		return 0;
	one = find_lost(lost, dir, &ref);
	if (!one || one->inode->ino != ref.ino || dentry_file_type(raw) != one->inode->type ||
	    (dir_expected_hash(dir, &ref, &hash) && hash != ref.hash))
		return 0;
	why = about_entry(P_DENTRY_FREED, dir, addr, slot, ref.ino, ref.ino);
	for (uint32_t byte = slot / 8; byte <= (slot + count - 1) / 8 && !err; byte++) {
		uint8_t bits = area->bitmap[byte];

		for (uint32_t i = slot; i < slot + count; i++)
			bits |= (uint8_t)(i / 8 == byte ? 1u << i % 8 : 0);
		err = byte == slot / 8 ? witness_amend_bytes(c, addr, map + byte, 1, bits, &why)
				       : amends_add_bytes(&c->book->amends, addr, map + byte, 1, bits, &is_new);
	}
	return err;
}

static int look_through(struct checker *c, const struct vec *lost, const struct inode_fact *dir, f2fs_blk_t addr)
{
	struct dentry_area area;
	struct dentry_ref ref;
	enum dentry_scan found;
	uint32_t slot = 0, end = 0;
	int err = 0;

	dir_area(c, dir, c->scratch, &area);
	while (!err && (found = dentry_next(&area, &slot, &ref)) != DENTRY_END) {
		for (; end < ref.slot && !err; end++)
			err = vote_on_free_slot(c, lost, dir, addr, &area, end);
		end = slot;
		if (!err && found == DENTRY_FOUND && !name_is_dots(&ref))
			err = vote_on_ino(c, lost, dir, addr, &area, &ref);
	}
	for (; end < area.slots && !err; end++)
		err = vote_on_free_slot(c, lost, dir, addr, &area, end);
	return err;
}

static bool is_home(const struct vec *lost, const struct inode_fact *dir)
{
	bool is_one = false;

	for (size_t i = 0; i < lost->count; i++)
		is_one |= ((const struct lost_inode *)vec_at(lost, i))->inode->pino == dir->ino;
	return is_one;
}

static int find_homes(struct checker *c)
{
	struct vec lost;
	int err;

	vec_init(&lost, c->ctx, sizeof(struct lost_inode));
	err = list_lost(c, &lost);
	for (size_t i = 0; i < c->dir_addrs.count && lost.count && !err; i++) {
		const struct sweep_item *item = vec_at(&c->dir_addrs, i);
		const struct dir_block *place = vec_at(&c->dir_blocks, item->tag);
		const struct inode_fact *dir = facts_inode_at(&c->facts, place->inode);
		bool is_read;

		if (!is_home(&lost, dir))
			continue;
		err = read_block(c, item->addr, &is_read);
		if (!err && is_read)
			err = look_through(c, &lost, dir, item->addr);
	}
	vec_fini(&lost);
	return err;
}

int witness_names(struct checker *c)
{
	const size_t count = c->findings.count;
	int err = 0;

	if (c->book->votes >= MAX_VOTES)
		return 0;
	for (size_t i = 0; i < count && !err; i++) {
		const struct finding *f = vec_at(&c->findings, i);

		if (f->problem == P_DENTRY_HASH || f->problem == P_DENTRY_CHARS || f->problem == P_DENTRY_NAME ||
		    f->problem == P_DENTRY_BITMAP)
			err = vote_on_entry(c, f);
	}
	if (!err && !c->must_restart)
		err = find_homes(c);
	c->book->votes += c->must_restart;
	return err;
}
