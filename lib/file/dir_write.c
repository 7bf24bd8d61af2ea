/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changing directories: inserting by hash level, removing, replacing, and turning an inline directory into blocks
 * (FORMAT files 3.3, 5.5, 5.6).
 */
#include <string.h>

#include "base/error.h"
#include "base/namehash.h"
#include "base/part.h"
#include "file/crypto.h"
#include "file/crypto_name.h"
#include "file/dir_filing.h"
#include "file/dir_room.h"
#include "file/dir_write.h"
#include "file/last_names.h"
#include "file/map_cut.h"
#include "file/pages.h"
#include "file/winode.h"
#include "format/dentry.h"
#include "log/chain.h"
#include "log/nodes.h"

#define HASH_SUFFIX 4 /* bytes of the hash after the name in an inode */

static bool is_inline(const struct winode *dir)
{
	return inode_has_inline(winode_block(dir), FLAG_i_inline_inline_dentry);
}

static bool is_casefold(const struct winode *dir)
{
	return (inode_i_flags(winode_block(dir)) & FLAG_i_flags_casefold) != 0;
}

static int hash_clear(struct winode *dir, const uint8_t *name, uint32_t len, uint32_t *hash)
{
	struct f2fs_volume *vol = dir->txn->vol;

	*hash = namehash_plain(name, len);
	if (!is_casefold(dir))
		return 0;
	if (namehash_casefold(name, len, hash) == UNICODE_UNAVAILABLE)
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED, "cannot fold the name's case: %s",
				 part_why_not(PART_CASEFOLD));
	return 0;
}

/* In strict mode, casefolded directories accept only names that can be folded. */
static int check_encoding(struct winode *dir, const uint8_t *name, uint32_t len)
{
	struct f2fs_volume *vol = dir->txn->vol;
	uint32_t hash;

	if (!is_casefold(dir) || !(sb_s_encoding_flags(vol->sb) & FLAG_s_encoding_flags_strict) ||
	    namehash_casefold(name, len, &hash) == UNICODE_OK)
		return 0;
	return error_set(vol->ctx, F2FS_ERR_INVALID, "the name is not valid in the volume's encoding");
}

static int store_hidden(struct winode *dir, const uint8_t *name, uint32_t len, struct stored_name *out)
{
	struct f2fs_volume *vol = dir->txn->vol;
	struct file_key *key;
	size_t hidden;
	int err = crypto_need_for(dir, "names", &key);

	if (!err)
		err = crypto_hide(vol, key, name, len, out->bytes, sizeof(out->bytes), &hidden);
	if (!err && !is_casefold(dir))
		out->hash = namehash_plain(out->bytes, hidden);
	else if (!err)
		err = crypto_hash_folded(vol, key, name, len, &out->hash);
	if (!err)
		out->len = (uint32_t)hidden;
	return err;
}

int dir_store_name(struct winode *dir, const char *name, size_t len, struct stored_name *out)
{
	struct f2fs_context *ctx = dir->txn->vol->ctx;
	const uint8_t *bytes = (const uint8_t *)name;
	int err;

	if (len == 0 || len > NAME_MAX_BYTES)
		return error_set(ctx, F2FS_ERR_NAME_TOO_LONG, "a name has 1 to 255 bytes, not %llu",
				 (unsigned long long)len);
	if (memchr(name, '/', len) || memchr(name, 0, len))
		return error_set(ctx, F2FS_ERR_INVALID, "a name holds neither slash nor NUL");
	out->given = name;
	out->given_len = len;
	out->is_cipher = winode_is_encrypted(dir);
	out->is_casefold = is_casefold(dir);
	out->len = (uint32_t)len;
	memcpy(out->bytes, name, len);
	err = out->is_cipher ? store_hidden(dir, bytes, (uint32_t)len, out) :
			       hash_clear(dir, bytes, (uint32_t)len, &out->hash);
	return err ? err : check_encoding(dir, bytes, (uint32_t)len);
}

void winode_put_name(struct winode *w, const struct stored_name *name)
{
	uint8_t *block = winode_block(w), *to = inode_i_name_w(block);
	uint8_t advise = inode_i_advise(block) & (uint8_t)~FLAG_i_advise_enc_name;

	memset(to, 0, inode_SIZE_i_name);
	memcpy(to, name->bytes, name->len);
	inode_set_i_namelen(block, name->len);
	if (name->is_cipher)
		advise |= (uint8_t)FLAG_i_advise_enc_name;
	if (name->is_cipher && name->is_casefold) { /* for a recovery, which has no keys */
		if (name->len + HASH_SUFFIX <= inode_SIZE_i_name)
			put_le32(to + name->len, name->hash);
		else
			advise |= (uint8_t)FLAG_i_advise_lost_pino;
	}
	inode_set_i_advise(block, advise);
	node_dirty(w->txn, w->node);
}

/* Write an entry into free slots; the area is in memory of this transaction. */
static void put_entry(const struct dentry_area *area, uint32_t slot, const struct new_entry *e)
{
	uint8_t *bitmap = (uint8_t *)(uintptr_t)area->bitmap;
	uint8_t *raw = (uint8_t *)(uintptr_t)area->entries + (size_t)slot * dentry_SIZE;
	uint8_t *name = (uint8_t *)(uintptr_t)area->names + (size_t)slot * DENTRY_SLOT_BYTES;
	uint32_t slots = dentry_slots_of(e->len);

	dentry_set_hash_code(raw, e->hash);
	dentry_set_ino(raw, e->ino);
	dentry_set_name_len(raw, (uint16_t)e->len);
	dentry_set_file_type(raw, e->type);
	memset(name, 0, (size_t)slots * DENTRY_SLOT_BYTES);
	memcpy(name, e->name, e->len);
	for (uint32_t i = 0; i < slots; i++) {
		lsb_set(bitmap, slot + i);
		if (i > 0)
			dentry_set_name_len(raw + (size_t)i * dentry_SIZE, 0);
	}
}

static int page_area(struct winode *dir, uint64_t index, struct dentry_area *out)
{
	uint8_t *page;
	int err = page_get(dir, index, false, &page);

	if (!err)
		dentry_area_of_block(&dir->txn->vol->geo, page, out);
	return err;
}

static void grow_to(struct winode *dir, uint64_t blocks)
{
	uint64_t size = blocks << dir->txn->vol->geo.block_bits;

	if (inode_i_size(winode_block(dir)) < size)
		inode_set_i_size(winode_block(dir), size);
	node_dirty(dir->txn, dir->node);
}

/* Insert into the first bucket of the name's hash that has room. */
static int insert_by_level(struct winode *dir, const struct new_entry *e)
{
	uint8_t *block = winode_block(dir);
	uint32_t depth = inode_i_current_depth(block);

	for (unsigned level = 0; level < DIR_MAX_DEPTH; level++) {
		uint64_t start = dentry_bucket_start(level, inode_i_dir_level(block), e->hash);

		for (unsigned i = 0; i < dentry_bucket_blocks(level); i++) {
			struct dentry_area area;
			uint32_t slot;
			int err = page_area(dir, start + i, &area);

			if (err)
				return err;
			grow_to(dir, start + i + 1);
			err = dir_find_room(dir, &area, e, &slot);
			if (err)
				return err;
			if (slot == area.slots)
				continue;
			put_entry(&area, slot, e);
			if (level + 1 > depth)
				inode_set_i_current_depth(block, level + 1);
			node_dirty(dir->txn, dir->node);
			return 0;
		}
	}
	return error_set(dir->txn->vol->ctx, F2FS_ERR_NOSPC, "directory inode %u is full", (unsigned)dir->node->nid);
}

static int insert_inline(struct winode *dir, const struct new_entry *e, bool *done)
{
	struct dentry_area area;
	uint32_t slot;
	int err;

	dentry_area_of_inode(winode_block(dir), &dir->layout, &area);
	err = dir_find_room(dir, &area, e, &slot);
	*done = !err && slot < area.slots;
	if (!*done)
		return err;
	put_entry(&area, slot, e);
	inode_set_i_current_depth(winode_block(dir), 0);
	node_dirty(dir->txn, dir->node);
	return 0;
}

int dir_move_out(struct winode *dir)
{
	struct f2fs_context *ctx = dir->txn->vol->ctx;
	uint8_t *block = winode_block(dir), *payload = mem_alloc(ctx, dir->layout.inline_size);
	const struct inode_layout old = dir->layout;
	struct dentry_area area;
	struct dentry_ref ref;
	uint32_t slot = 0;
	enum dentry_scan found;
	int err = 0;

	if (!payload)
		return F2FS_ERR_NOMEM;
	memcpy(payload, block + old.inline_offset, old.inline_size);
	memset(block + old.slot_offset, 0, 4 + (size_t)old.inline_size);
	inode_set_i_inline(block, inode_i_inline(block) & (uint8_t)~FLAG_i_inline_inline_dentry);
	inode_set_i_size(block, 0);
	inode_set_i_current_depth(block, 1);
	winode_touch(dir);
	dentry_area_of_payload(payload, old.inline_size, &area);
	while (!err && (found = dentry_next(&area, &slot, &ref)) != DENTRY_END) {
		struct new_entry e = { ref.name, ref.name_len, ref.hash, ref.ino, ref.type, false };

		if (found == DENTRY_FOUND)
			err = insert_by_level(dir, &e);
	}
	mem_free(ctx, payload);
	return err;
}

static int insert(struct winode *dir, const struct new_entry *e)
{
	bool done = false;
	int err = 0;

	if (is_inline(dir)) {
		err = insert_inline(dir, e, &done);
		if (!err && !done)
			err = dir_move_out(dir);
	}
	return err || done ? err : insert_by_level(dir, e);
}

int dir_insert(struct winode *dir, const struct stored_name *name, f2fs_nid_t ino, unsigned type)
{
	const struct new_entry e = { name->bytes, name->len, name->hash, ino, (uint8_t)type, false };
	int err = insert(dir, &e);

	if (!err && name->is_casefold && !name->is_cipher)
		err = filing_add(dir->txn->vol, dir->node->nid, name->bytes, name->len);
	if (err)
		return err;
	last_names_add(dir->txn->vol, dir->node->nid, name->bytes, name->len);
	winode_stamp(dir, STAMP_MTIME);
	return 0;
}

int dir_hash_stored(struct winode *dir, const uint8_t *name, uint32_t len, const uint8_t *suffix, uint32_t *hash)
{
	bool is_encrypted = (inode_i_advise(winode_block(dir)) & FLAG_i_advise_encrypt) != 0;

	if (is_encrypted && (inode_i_flags(winode_block(dir)) & FLAG_i_flags_casefold))
		*hash = get_le32(suffix);
	else if (is_encrypted)
		*hash = namehash_plain(name, len);
	else {
		int err = hash_clear(dir, name, len, hash);

		return err ? err : check_encoding(dir, name, len);
	}
	return 0;
}

int dir_insert_stored(struct winode *dir, const uint8_t *name, uint32_t len, uint32_t hash, f2fs_nid_t ino,
		      unsigned type)
{
	const struct new_entry e = { name, len, hash, ino, (uint8_t)type, true };

	filing_forget(dir->txn->vol, dir->node->nid);
	return insert(dir, &e);
}

int dir_make_empty(struct winode *dir, f2fs_nid_t parent)
{
	const struct new_entry self = { (const uint8_t *)".", 1, 0, dir->node->nid, F2FS_TYPE_DIRECTORY, false };
	const struct new_entry up = { (const uint8_t *)"..", 2, 0, parent, F2FS_TYPE_DIRECTORY, false };
	int err;

	inode_set_i_size(winode_block(dir), is_inline(dir) ? dir->layout.inline_size : 0);
	err = insert(dir, &self);
	if (!err)
		err = insert(dir, &up);
	if (err)
		return err;
	/* for inline directories, too, as in the kernel; a later insertion there sets it to 0 */
	inode_set_i_current_depth(winode_block(dir), 1);
	return last_names_begin(dir->txn->vol, dir->node->nid);
}

/* Find the slot of an entry that a lookup gave. */
static int area_of_entry(struct winode *dir, const struct f2fs_dirent *entry, struct dentry_area *area, uint32_t *slot)
{
	const uint32_t per_block = dir->txn->vol->geo.dentries_per_block;

	*slot = (uint32_t)(entry->position % per_block);
	if (!is_inline(dir))
		return page_area(dir, entry->position / per_block, area);
	dentry_area_of_inode(winode_block(dir), &dir->layout, area);
	return 0;
}

static bool is_empty(const struct dentry_area *area)
{
	for (uint32_t i = 0; i < area->slots; i++)
		if (lsb_test(area->bitmap, i))
			return false;
	return true;
}

int dir_remove(struct winode *dir, const struct f2fs_dirent *entry)
{
	const uint64_t index = entry->position / dir->txn->vol->geo.dentries_per_block;
	struct dentry_area area;
	uint32_t slot;
	int err = area_of_entry(dir, entry, &area, &slot);

	if (err)
		return err;
	for (uint32_t i = 0; i < dentry_slots_of(entry->raw_len); i++)
		lsb_clear((uint8_t *)(uintptr_t)area.bitmap, slot + i);
	node_dirty(dir->txn, dir->node);
	winode_stamp(dir, STAMP_MTIME);
	err = chain_note(dir->txn, dir->node->nid, CHAIN_NAME_TAKEN);
	if (err)
		return err;
	/* a block without entries becomes a hole; size and depth stay, as in the kernel */
	return !is_inline(dir) && is_empty(&area) ? map_punch(dir, index, index + 1) : 0;
}

int dir_replace(struct winode *dir, const struct f2fs_dirent *entry, f2fs_nid_t ino, unsigned type)
{
	struct dentry_area area;
	uint8_t *raw;
	uint32_t slot;
	int err = area_of_entry(dir, entry, &area, &slot);

	if (err)
		return err;
	raw = (uint8_t *)(uintptr_t)area.entries + (size_t)slot * dentry_SIZE;
	dentry_set_ino(raw, ino);
	dentry_set_file_type(raw, (uint8_t)type);
	node_dirty(dir->txn, dir->node);
	winode_stamp(dir, STAMP_MTIME);
	return chain_note(dir->txn, dir->node->nid, CHAIN_NAME_TAKEN);
}
