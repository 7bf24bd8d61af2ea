/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directory entries: the slot areas of dentry blocks and inline directories, scanning one area, and the arithmetic of
 * hash levels (FORMAT files 3.3, 5).
 */
#ifndef F2FSKIT_FORMAT_DENTRY_H
#define F2FSKIT_FORMAT_DENTRY_H

#include "base/bitmap.h"
#include "format/inode.h"

/* The parts of one slot area; pointers into the block. */
struct dentry_area {
	const uint8_t *bitmap;
	const uint8_t *entries;
	const uint8_t *names;
	uint32_t slots;
};

/* Sizes of the slot area of an inline directory with this payload. */
struct dentry_inline_geometry {
	uint32_t slots, bitmap_size, entry_offset, name_offset;
};
void dentry_inline_geometry(uint32_t payload, struct dentry_inline_geometry *out);

/* Areas of a dentry block, of an inline directory's payload, and of one in its inode block. */
void dentry_area_of_block(const struct f2fs_geometry *geo, const uint8_t *block, struct dentry_area *out);
void dentry_area_of_payload(const uint8_t *payload, uint32_t size, struct dentry_area *out);
void dentry_area_of_inode(const uint8_t *block, const struct inode_layout *layout, struct dentry_area *out);

/* One entry of an area. name points into the area. */
struct dentry_ref {
	uint32_t slot;
	uint32_t hash;
	f2fs_nid_t ino;
	uint16_t name_len;
	uint8_t type;
	const uint8_t *name;
};

enum dentry_scan { DENTRY_FOUND = 0, DENTRY_END = 1, DENTRY_BAD = 2 };

/*
 * Find the next entry from slot *slot on and move *slot past it. DENTRY_BAD: an entry whose length does not fit; *slot
 * moves by one slot.
 */
enum dentry_scan dentry_next(const struct dentry_area *area, uint32_t *slot, struct dentry_ref *out);
/* Does an area start with the "." of this inode? */
bool dentry_has_own_dot(const struct dentry_area *area, f2fs_nid_t ino);
/* Is a hash in any slot, in use or not? A quick no before the entries are looked at. */
bool dentry_may_have_hash(const struct dentry_area *area, uint32_t hash);
/* First of count free slots, at or after slot from, that follow each other and that no name reaches into; area->slots
 * when there are none. */
uint32_t dentry_find_room(const struct dentry_area *area, uint32_t from, uint32_t count);

static inline uint32_t dentry_slots_of(uint32_t name_len)
{
	return (name_len + DENTRY_SLOT_BYTES - 1) / DENTRY_SLOT_BYTES;
}

/* Hash buckets of a level; blocks per bucket; first block of a level's bucket for a hash (FORMAT files 5.3). */
uint64_t dentry_buckets(unsigned level, unsigned dir_level);
unsigned dentry_bucket_blocks(unsigned level);
uint64_t dentry_bucket_start(unsigned level, unsigned dir_level, uint32_t hash);

#endif
