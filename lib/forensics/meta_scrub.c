/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change a block for a metadata image: contents in inodes become zeros, names become other names on request. Right
 * checksums and hashes of names are right again afterwards, and wrong ones stay wrong.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/namehash.h"
#include "forensics/meta.h"
#include "forensics/meta_alias.h"
#include "forensics/meta_scrub.h"

bool meta_is_quota(const struct meta_plan *plan, f2fs_nid_t ino)
{
	for (unsigned i = 0; i < sizeof(plan->quota_inos) / sizeof(plan->quota_inos[0]); i++)
		if (plan->quota_inos[i] == ino)
			return true;
	return false;
}

bool meta_is_link(const uint8_t *block)
{
	const unsigned mode = inode_i_mode(block);

	return (mode & MODE_TYPE) == MODE_LNK || mode == 0777;
}

bool meta_has_contents(const struct meta_plan *plan, const uint8_t *block)
{
	const unsigned type = inode_i_mode(block) & MODE_TYPE;

	return inode_has_inline(block, FLAG_i_inline_inline_data) && type != MODE_DIR &&
	       !meta_is_link(block) &&
	       !meta_is_quota(plan, footer_nid(node_footer(&plan->geo, block)));
}

/*
 * Zero the contents inside an inode. If its size is larger than the inline room, the inline flag may be wrong and these
 * bytes may be block pointers: values that can be block addresses stay. If the inode denies having contents but has
 * some, one byte stays, so that a check finds the same contradiction.
 */
static void remove_contents(const struct meta_plan *plan, uint8_t *block, const struct inode_layout *layout)
{
	const bool is_denied = !inode_has_inline(block, FLAG_i_inline_data_exist) ||
			       (inode_i_advise(block) & (FLAG_i_advise_encrypt | FLAG_i_advise_verity));
	uint8_t *contents = block + layout->inline_offset;
	uint8_t any = 0;

	if (inode_i_size(block) > layout->inline_size) {
		for (uint32_t i = 0; i < layout->slots; i++) {
			const uint32_t at = layout->slot_offset + i * 4, addr = get_le32(block + at);

			if (!geometry_is_main(&plan->geo, addr) && addr != F2FS_NEW_ADDR && addr != F2FS_COMPRESS_ADDR)
				put_le32(block + at, 0);
		}
		return;
	}
	for (uint32_t i = 0; i < layout->inline_size; i++)
		any |= contents[i];
	memset(contents, 0, layout->inline_size);
	if (any && is_denied)
		contents[0] = 'x';
}

static uint32_t flags_of(const struct meta_plan *plan, f2fs_nid_t dir)
{
	const uint64_t *flags = map32_find(&plan->dirs, dir);

	return flags ? (uint32_t)*flags : 0;
}

/* Compute the hash that a name must have; false when that is not possible. */
static bool right_hash(uint32_t dir_flags, const uint8_t *name, size_t length, uint32_t *hash)
{
	if (dir_flags & META_DIR_FOLDED)
		return namehash_casefold(name, length, hash) != UNICODE_UNAVAILABLE;
	*hash = namehash_plain(name, length);
	return true;
}

/* Give an entry its other name, and its hash. */
static int alias_entry(const struct meta_plan *plan, uint32_t dir_flags, uint8_t *entry, uint8_t *name, size_t length)
{
	const bool is_dots = length <= 2 && memcmp(name, "..", length) == 0;
	uint32_t hash;
	bool was_right;
	int err;

	if (is_dots || (dir_flags & META_DIR_CIPHER))
		return 0;
	was_right = right_hash(dir_flags, name, length, &hash) && hash == dentry_hash_code(entry);
	err = meta_alias(plan, dir_flags, name, length);
	if (!err && right_hash(dir_flags, name, length, &hash) && (hash == dentry_hash_code(entry)) != was_right)
		dentry_set_hash_code(entry, was_right ? hash : ~hash);
	return err;
}

/* Change the names of a slot area within block. */
static int alias_area(const struct meta_plan *plan, uint32_t dir_flags, uint8_t *block, const struct dentry_area *area)
{
	uint8_t *entries = block + (area->entries - block), *names = block + (area->names - block);
	struct dentry_ref ref;
	uint32_t slot = 0, end = 0;
	enum dentry_scan found;
	int err = 0;

	if (dir_flags & META_DIR_CIPHER)
		return 0;
	while (!err && (found = dentry_next(area, &slot, &ref)) != DENTRY_END) {
		const uint32_t start = found == DENTRY_FOUND ? ref.slot : slot;
		uint8_t *name = names + (size_t)start * DENTRY_SLOT_BYTES;

		/* the rest in slots that are no longer in use */
		if (start > end)
			memset(names + (size_t)end * DENTRY_SLOT_BYTES, 0, (size_t)(start - end) * DENTRY_SLOT_BYTES);
		end = slot;
		if (found != DENTRY_FOUND)
			continue;
		err = alias_entry(plan, dir_flags, entries + (size_t)ref.slot * dentry_SIZE, name, ref.name_len);
		memset(name + ref.name_len, 0, (size_t)(slot - start) * DENTRY_SLOT_BYTES - ref.name_len);
	}
	memset(names + (size_t)end * DENTRY_SLOT_BYTES, 0, (size_t)(area->slots - end) * DENTRY_SLOT_BYTES);
	return err;
}

/* Give each part of a symlink's target its other name. */
static int alias_target(const struct meta_plan *plan, uint8_t *text, size_t room)
{
	const uint8_t *nul = memchr(text, 0, room);
	const size_t length = nul ? (size_t)(nul - text) : room;
	int err = 0;

	for (size_t from = 0, to; from < length && !err; from = to + 1) {
		for (to = from; to < length && text[to] != '/'; to++)
			;
		err = meta_alias(plan, 0, text + from, to - from);
	}
	memset(text + length, 0, room - length);
	return err;
}

/* The name that the inode says it has: filed in the directory that it names. */
static int alias_own_name(const struct meta_plan *plan, uint8_t *block)
{
	const uint32_t length = inode_i_namelen(block), room = inode_SIZE_i_name;
	const uint32_t dir_flags = flags_of(plan, inode_i_pino(block));
	uint8_t *name = block + inode_OFS_i_name;
	int err = 0;

	if ((dir_flags & META_DIR_CIPHER) ||
	    (!map32_find(&plan->dirs, inode_i_pino(block)) && (inode_i_advise(block) & FLAG_i_advise_encrypt)))
		return 0;
	if (length <= room) {
		err = meta_alias(plan, dir_flags, name, length);
		memset(name + length, 0, room - length);
	} else {
		memset(name, 0, room);
	}
	return err;
}

static int scrub_inode(const struct meta_plan *plan, uint8_t *block)
{
	const bool is_aliased = (plan->options.flags & F2FS_METADATA_SCRAMBLE) != 0;
	const bool is_cipher = (inode_i_advise(block) & FLAG_i_advise_encrypt) != 0;
	struct inode_layout layout;
	int err = 0;

	inode_layout(&plan->geo, block, &layout);
	if (meta_has_contents(plan, block))
		remove_contents(plan, block, &layout);
	if (!is_aliased)
		return 0;
	err = alias_own_name(plan, block);
	if (!err && inode_has_inline(block, FLAG_i_inline_inline_data) && meta_is_link(block) && !is_cipher)
		err = alias_target(plan, block + layout.inline_offset, layout.inline_size);
	if (!err && inode_has_inline(block, FLAG_i_inline_inline_dentry)) {
		struct dentry_area area;

		dentry_area_of_inode(block, &layout, &area);
		err = alias_area(plan, flags_of(plan, footer_nid(node_footer(&plan->geo, block))), block, &area);
	}
	return err;
}

static int scrub_node(const struct meta_plan *plan, uint8_t *block)
{
	const uint8_t *footer = node_footer(&plan->geo, block);
	uint8_t *sum = block + INODE_ADDR_OFFSET;
	uint32_t difference; /* which bit is wrong, if it is one */
	bool has_sum;
	int err;

	if (footer_nid(footer) == 0 || (footer_nid(footer) != footer_ino(footer) && node_offset_of(footer) != 0))
		return 0;
	has_sum = inode_has_checksum(&plan->geo, block);
	difference = extra_i_inode_checksum(sum) ^ inode_checksum(&plan->geo, block, plan->checksum_seed);
	err = scrub_inode(plan, block);
	if (!err && has_sum)
		extra_set_i_inode_checksum(sum, inode_checksum(&plan->geo, block, plan->checksum_seed) ^ difference);
	return err;
}

static int scrub_dir(const struct meta_plan *plan, f2fs_nid_t dir, uint8_t *block)
{
	struct dentry_area area;

	dentry_area_of_block(&plan->geo, block, &area);
	return alias_area(plan, flags_of(plan, dir), block, &area);
}

int meta_scrub(const struct meta_plan *plan, f2fs_blk_t addr, uint8_t *block)
{
	const bool is_aliased = (plan->options.flags & F2FS_METADATA_SCRAMBLE) != 0;
	const uint64_t *kind = map32_find(&plan->kinds, addr);

	switch (kind ? (enum meta_kind)(*kind & 0xFF) : META_NODE) {
	case META_NODE:
		return scrub_node(plan, block);
	case META_DIR:
		return is_aliased ? scrub_dir(plan, (f2fs_nid_t)(*kind >> 8), block) : 0;
	case META_LINK:
		return is_aliased ? alias_target(plan, block, plan->geo.block_size) : 0;
	case META_FOOTER:
		memset(block, 0, node_bytes(&plan->geo));
		return 0;
	case META_RAW:
		break;
	}
	return 0;
}
