/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make a lost inode from its entry, its directory and its blocks.
 */
#include <string.h>

#include "format/dentry.h"
#include "witness/fresh_layout.h"
#include "witness/inode_cipher.h"
#include "witness/inode_fresh.h"
#include "witness/inode_packed.h"
#include "witness/inode_rest.h"
#include "witness/witness.h"
#include "witness/witness_rebuild.h"

static void put_times(uint8_t *block, const uint8_t *from)
{
	inode_set_i_atime(block, inode_i_mtime(from));
	inode_set_i_mtime(block, inode_i_mtime(from));
	inode_set_i_ctime(block, inode_i_mtime(from));
	inode_set_i_atime_nsec(block, inode_i_mtime_nsec(from));
	inode_set_i_mtime_nsec(block, inode_i_mtime_nsec(from));
	inode_set_i_ctime_nsec(block, inode_i_mtime_nsec(from));
}

/* Take owner, times, project and, for a directory, flags from the directory above, as a new inode would. */
static void inherit(uint8_t *block, const uint8_t *from, unsigned type)
{
	const uint32_t flags = inode_i_flags(from) & (FLAG_i_flags_casefold | FLAG_i_flags_projinherit);

	inode_set_i_uid(block, inode_i_uid(from));
	inode_set_i_gid(block, inode_i_gid(from));
	put_times(block, from);
	if (type == F2FS_TYPE_DIRECTORY) {
		inode_set_i_dir_level(block, inode_i_dir_level(from));
		inode_set_i_flags(block, inode_i_flags(block) | flags);
	}
	if ((flags & FLAG_i_flags_projinherit) && inode_has_extra(from, extra_OFS_i_projid + 4) &&
	    inode_has_extra(block, extra_OFS_i_projid + 4))
		extra_set_i_projid(block + INODE_ADDR_OFFSET, extra_i_projid(inode_extra(from)));
}

/* Fill in the fields that all made inodes have. from: the inode of its directory, NULL: none. */
static void fill_fresh(struct builder *b, const struct lost_inode *lost, const uint8_t *from)
{
	static const uint16_t modes[F2FS_TYPE_END] = { [F2FS_TYPE_REGULAR] = MODE_REG | 0600,
						       [F2FS_TYPE_DIRECTORY] = MODE_DIR | 0700,
						       [F2FS_TYPE_SYMLINK] = MODE_LNK | 0777 };
	uint8_t *block = b->block;

	memset(block, 0, b->c->geo->block_size);
	inode_set_i_mode(block, lost->nid != lost->dir ? modes[b->type] : MODE_DIR | 0755);
	fresh_layout(b, lost, from);
	inode_set_i_links(block, b->type == F2FS_TYPE_DIRECTORY ? 2 : lost->names);
	inode_set_i_generation(block, lost->nid);
	inode_set_i_pino(block, lost->dir);
	if (b->type == F2FS_TYPE_DIRECTORY)
		inode_set_i_flags(block, FLAG_i_flags_index);
	if (from)
		inherit(block, from, b->type);
	if (geometry_has(b->c->geo, F2FS_FEAT_INODE_CRTIME) && inode_has_extra(block, extra_OFS_i_crtime_nsec + 4)) {
		extra_set_i_crtime(block + INODE_ADDR_OFFSET, inode_i_mtime(block));
		extra_set_i_crtime_nsec(block + INODE_ADDR_OFFSET, inode_i_mtime_nsec(block));
	}
}

static void put_dot(uint8_t *payload, const struct dentry_inline_geometry *g, uint32_t slot, f2fs_nid_t ino)
{
	uint8_t *entry = payload + g->entry_offset + (size_t)slot * dentry_SIZE;

	dentry_set_ino(entry, ino);
	dentry_set_name_len(entry, (uint16_t)(slot + 1));
	dentry_set_file_type(entry, F2FS_TYPE_DIRECTORY);
	memset(payload + g->name_offset + (size_t)slot * DENTRY_SLOT_BYTES, '.', slot + 1);
	payload[0] |= (uint8_t)(1u << slot);
}

/* A directory without a block holds "." and "..". Its other entries come back by the names that inodes remember. */
static void put_dots(const struct f2fs_geometry *geo, uint8_t *block, f2fs_nid_t ino, f2fs_nid_t parent)
{
	struct dentry_inline_geometry g;
	struct inode_layout layout;

	inode_set_i_inline(block, inode_i_inline(block) | (uint8_t)FLAG_i_inline_inline_dentry);
	inode_layout(geo, block, &layout);
	inode_set_i_size(block, layout.inline_size);
	dentry_inline_geometry(layout.inline_size, &g);
	put_dot(block + layout.inline_offset, &g, 0, ino);
	put_dot(block + layout.inline_offset, &g, 1, parent);
}

/* Set the size of a symlink to the length of its target. false in *is_target: its block holds none. */
static int measure_target(struct builder *b, f2fs_blk_t addr, bool *is_target)
{
	const uint8_t *target;
	uint32_t length = 0;
	int err = witness_peek(b->c, addr, &target);

	*is_target = false;
	if (err || !target)
		return err;
	while (length < b->c->geo->block_size && target[length])
		length++;
	*is_target = length > 0 && length < b->c->geo->block_size;
	inode_set_i_size(b->block, length);
	return 0;
}

/* An inode without an entry is a directory if its first block is one of this directory, else it is taken for a file. */
static int guess_type(struct builder *b, f2fs_nid_t ino)
{
	uint8_t first[4] = { 0 };
	struct dentry_area area;
	const uint8_t *block;
	int err;

	b->type = F2FS_TYPE_REGULAR;
	rebuild_slots(&b->blocks, ino, first, 1);
	if (get_le32(first) == F2FS_NULL_ADDR)
		return 0;
	err = witness_peek(b->c, get_le32(first), &block);
	if (err || !block)
		return err;
	dentry_area_of_block(b->c->geo, block, &area);
	if (dentry_has_own_dot(&area, ino))
		b->type = F2FS_TYPE_DIRECTORY;
	return 0;
}

/* Make the inode from the entry and the blocks. */
int inode_make_fresh(struct builder *b, const struct lost_inode *lost, uint32_t *end, bool *is_made)
{
	struct checker *c = b->c;
	const struct inode_fact *dir = facts_inode(&c->facts, lost->dir);
	const struct nid_fact *at = dir && lost->nid != lost->dir ? facts_nid(&c->facts, lost->dir) : NULL;
	const uint8_t *from = NULL;
	struct inode_layout layout;
	const bool is_cipher = dir && lost->block && (dir->advise & FLAG_i_advise_encrypt);
	bool is_packed = false, has_key;
	uint8_t *slots;
	int err = 0;

	*is_made = false;
	if (lost_is_nameless(lost)) {
		err = guess_type(b, lost->nid);
		b->cipher = geometry_has(c->geo, F2FS_FEAT_ENCRYPT) ? CIPHER_UNKNOWN : CIPHER_NONE;
	}
	if (!err && at)
		err = witness_peek(c, at->addr, &from); /* nothing else is read before it is used */
	if (err || (at && !from) ||
	    (b->type != F2FS_TYPE_REGULAR && b->type != F2FS_TYPE_DIRECTORY && b->type != F2FS_TYPE_SYMLINK))
		return err;
	fill_fresh(b, lost, from);
	err = inode_keep_rest(b, lost, &has_key);
	if (has_key)
		b->cipher = CIPHER_KEPT;
	if (err || (has_key && b->type == F2FS_TYPE_SYMLINK) ||
	    (!has_key && (is_cipher || b->cipher) && b->type != F2FS_TYPE_REGULAR))
		return err;
	inode_layout(c->geo, b->block, &layout);
	slots = b->block + layout.slot_offset;
	*end = rebuild_slots(&b->blocks, lost->nid, slots, layout.slots);
	err = is_cipher && !has_key ? inode_cipher(b, lost) : inode_looks_packed(b, has_key, &is_packed);
	*is_made = !err && (*end > 0 || lost->has_nodes) && !is_packed;
	if (err || is_packed)
		return err;
	if (*is_made && b->type == F2FS_TYPE_SYMLINK)
		return *end == 1 ? measure_target(b, get_le32(slots), is_made) : (*is_made = false, 0);
	if (b->type == F2FS_TYPE_DIRECTORY && !*is_made && lost->block) {
		put_dots(c->geo, b->block, lost->nid, lost->dir);
		*is_made = true;
	}
	return 0;
}
