/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Judge a directory block on its own: names, hashes, buckets, slots.
 */
#include <string.h>

#include "base/namehash.h"
#include "facts/dir_judge.h"
#include "facts/sweep.h"

void dir_area(const struct checker *c, const struct inode_fact *dir, const uint8_t *block, struct dentry_area *out)
{
	struct inode_layout layout;

	if (!dir_is_inline(dir)) {
		dentry_area_of_block(c->geo, block, out);
		return;
	}
	inode_layout(c->geo, block, &layout);
	dentry_area_of_inode(block, &layout, out);
}

unsigned dir_level_with(unsigned dir_level, uint32_t number)
{
	uint64_t end = 0;

	for (unsigned level = 0; level < DIR_MAX_DEPTH; level++) {
		end += dentry_buckets(level, dir_level) * dentry_bucket_blocks(level);
		if (number < end)
			return level;
	}
	return DIR_MAX_DEPTH + 1;
}

unsigned dir_level_of(const struct inode_fact *dir, uint32_t number)
{
	return dir_level_with(dir->dir_level, number);
}

uint64_t dir_levels_end(const struct inode_fact *dir, uint32_t levels)
{
	uint64_t end = 0;

	for (unsigned level = 0; level < levels && level < DIR_MAX_DEPTH; level++)
		end += dentry_buckets(level, dir->dir_level) * dentry_bucket_blocks(level);
	return end;
}

uint32_t dir_depth_due(const struct f2fs_geometry *geo, const struct inode_fact *dir)
{
	const uint64_t blocks = dir->size >> geo->block_bits;
	uint32_t depth = dir->depth;

	/* a level is added together with its first block, and the size never shrinks */
	while (depth > 1 && depth > dir->depth_found && blocks <= dir_levels_end(dir, depth - 1))
		depth--;
	return depth > dir->depth_found ? depth : dir->depth_found;
}

bool dir_expected_hash(const struct inode_fact *dir, const struct dentry_ref *ref, uint32_t *hash)
{
	const bool folded = (dir->iflags & FLAG_i_flags_casefold) != 0;

	if (!folded || name_is_dots(ref)) {
		*hash = namehash_plain(ref->name, ref->name_len);
		return true;
	}
	if (dir->advise & FLAG_i_advise_encrypt)
		return false;
	return namehash_casefold(ref->name, ref->name_len, hash) != UNICODE_UNAVAILABLE;
}

bool dir_is_encoded(const uint8_t *name, uint32_t length)
{
	uint32_t hash;
	const unsigned status = (unsigned)namehash_casefold(name, length, &hash);

	return status == UNICODE_OK || status == UNICODE_UNAVAILABLE;
}

enum dir_fault dir_judge_entry(const struct inode_fact *dir, unsigned level, uint32_t number,
			       const struct dentry_ref *ref, uint32_t *expected)
{
	uint64_t start;

	if (!(dir->advise & FLAG_i_advise_encrypt) &&
	    (memchr(ref->name, '/', ref->name_len) || memchr(ref->name, 0, ref->name_len)))
		return DIR_FAULT_CHARS;
	if ((dir->state & INODE_STRICT) && !name_is_dots(ref) && !dir_is_encoded(ref->name, ref->name_len))
		return DIR_FAULT_CHARS;
	if (dir_expected_hash(dir, ref, expected) && *expected != ref->hash)
		return DIR_FAULT_HASH;
	if (dir_is_inline(dir) || (name_is_dots(ref) && number == 0))
		return DIR_FAULT_NONE;
	if (level > DIR_MAX_DEPTH)
		return DIR_FAULT_PLACE;
	start = dentry_bucket_start(level, dir->dir_level, ref->hash);
	return number >= start && number < start + dentry_bucket_blocks(level) ? DIR_FAULT_NONE : DIR_FAULT_PLACE;
}

bool dir_entry_is_right(const struct inode_fact *dir, uint32_t number, const struct dentry_ref *ref)
{
	uint32_t expected;

	return dir_judge_entry(dir, dir_level_of(dir, number), number, ref, &expected) == DIR_FAULT_NONE;
}

bool dir_block_is_lost(const struct checker *c, const struct inode_fact *dir, uint32_t number, const uint8_t *block)
{
	const unsigned level = dir_level_of(dir, number);
	struct dentry_area area;
	struct dentry_ref ref;
	enum dentry_scan found;
	uint32_t slot = 0, expected;
	const bool is_later = number != 0;

	if (dir_is_inline(dir))
		return false;
	dentry_area_of_block(c->geo, block, &area);
	if (!is_later && dentry_has_own_dot(&area, dir->ino))
		return false;
	while ((found = dentry_next(&area, &slot, &ref)) != DENTRY_END) {
		const struct inode_fact *inode = found == DENTRY_FOUND && !name_is_dots(&ref) &&
						 geometry_is_nid(c->geo, ref.ino)
							 ? facts_inode(&c->facts, ref.ino)
							 : NULL;

		if (inode && (is_later || inode->pino == dir->ino) &&
		    dir_judge_entry(dir, level, number, &ref, &expected) == DIR_FAULT_NONE)
			return false;
	}
	return true;
}

#define MAX_ENTRIES 1024u /* more than a block has slots */
#define MET_BITS 4096u

/* Hashes met before in a block. Most new ones show by their bit, without a comparison with all. */
struct met {
	uint32_t hashes[MAX_ENTRIES], count;
	uint64_t bits[MET_BITS / 64];
};

static bool is_known(const struct met *met, uint32_t hash)
{
	bool known = false;

	for (uint32_t i = 0; i < met->count; i++)
		known |= met->hashes[i] == hash;
	return known;
}

/* Add a hash. False if it was met before, or there are too many. */
static bool meet(struct met *met, uint32_t hash)
{
	const uint32_t number = hash >> 12 & (MET_BITS - 1); /* lower bits are alike in a bucket */
	const uint64_t bit = (uint64_t)1 << number % 64;

	if (met->count == MAX_ENTRIES || ((met->bits[number / 64] & bit) && is_known(met, hash)))
		return false;
	met->bits[number / 64] |= bit;
	met->hashes[met->count++] = hash;
	return true;
}

uint32_t dir_judge(const struct checker *c, const struct sweep_item *item, const uint8_t *block)
{
	const struct dir_block *place = vec_at(&c->dir_blocks, item->tag);
	const struct inode_fact *dir = facts_inode_at(&c->facts, place->inode);
	const unsigned level = dir_level_of(dir, place->number);
	struct dentry_area area;
	struct dentry_ref ref;
	struct met met;
	uint32_t slot = 0, end = 0, expected;
	enum dentry_scan found;

	met.count = 0;
	memset(met.bits, 0, sizeof(met.bits));
	dir_area(c, dir, block, &area);
	while ((found = dentry_next(&area, &slot, &ref)) != DENTRY_END) {
		if (found == DENTRY_BAD || dir_judge_entry(dir, level, place->number, &ref, &expected) ||
		    (!name_is_dots(&ref) && !meet(&met, ref.hash)))
			return 1;
		for (; end < ref.slot; end++) /* slots that belong to no entry */
			if (lsb_test(area.bitmap, end))
				return 1;
		for (; end < slot; end++) /* slots of the name */
			if (!lsb_test(area.bitmap, end))
				return 1;
	}
	for (; end < area.slots; end++)
		if (lsb_test(area.bitmap, end))
			return 1;
	return 0;
}
