/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parts of the dirs pass: judge a directory's block by itself, on any thread, and take its entries into the facts.
 */
#ifndef F2FSKIT_FACTS_DIR_JUDGE_H
#define F2FSKIT_FACTS_DIR_JUDGE_H

#include "facts/run.h"
#include "format/dentry.h"

struct sweep_item;

/* Point at the slots of a block of the directory, or of its inode block if it holds entries inside. */
void dir_area(const struct checker *c, const struct inode_fact *dir, const uint8_t *block, struct dentry_area *out);
/* Level of the hash buckets that a file block belongs to, DIR_MAX_DEPTH + 1 when to none. */
unsigned dir_level_of(const struct inode_fact *dir, uint32_t number);

/* The same for another i_dir_level than it has. */
unsigned dir_level_with(unsigned dir_level, uint32_t number);
/* Number of blocks in the first levels of the directory's hash buckets. */
uint64_t dir_levels_end(const struct inode_fact *dir, uint32_t levels);
/* Return the depth that the directory should have: its own, unless it has deeper names or no blocks that deep. */
uint32_t dir_depth_due(const struct f2fs_geometry *geo, const struct inode_fact *dir);
/* The most blocks that it can have had, by that depth. */
static inline uint64_t dir_most_blocks(const struct f2fs_geometry *geo, const struct inode_fact *dir)
{
	const uint64_t end = dir_levels_end(dir, dir_depth_due(geo, dir));

	return end > dir->end_found ? end : dir->end_found;
}
/* The hash that a name should have; false when that cannot be known. */
bool dir_expected_hash(const struct inode_fact *dir, const struct dentry_ref *ref, uint32_t *hash);

/* Can a name be looked up in a directory that is INODE_STRICT? */
bool dir_is_encoded(const uint8_t *name, uint32_t length);

enum dir_fault {
	DIR_FAULT_NONE = 0,
	DIR_FAULT_CHARS,
	DIR_FAULT_HASH, /* expected in *expected */
	DIR_FAULT_PLACE
};
/* Judge an entry by itself and its place. Returns its fault. */
enum dir_fault dir_judge_entry(const struct inode_fact *dir, unsigned level, uint32_t number,
			       const struct dentry_ref *ref, uint32_t *expected);
/* Are name, hash and place of an entry right in this file block? */
bool dir_entry_is_right(const struct inode_fact *dir, uint32_t number, const struct dentry_ref *ref);
/*
 * Has a directory's block lost its entries? Then it has no sound one. The first one has its own "." instead, or entries
 * of inodes that remember the directory.
 */
bool dir_block_is_lost(const struct checker *c, const struct inode_fact *dir, uint32_t number, const uint8_t *block);
/* Is there anything in the block that needs a closer look? */
uint32_t dir_judge(const struct checker *c, const struct sweep_item *item, const uint8_t *block);

static inline bool dir_is_inline(const struct inode_fact *dir)
{
	return (dir->inlines & FLAG_i_inline_inline_dentry) != 0;
}

static inline bool name_is_dots(const struct dentry_ref *ref)
{
	return ref->name_len <= 2 && ref->name[0] == '.' && ref->name[ref->name_len - 1] == '.';
}

#endif
