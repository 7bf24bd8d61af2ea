/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Amends: corrections that a check knows, before a repair writes them. A volume that has amends shows the amended words
 * of blocks and the amended NAT entries to everything that reads it, as if they were stored.
 */
#ifndef F2FSKIT_VOLUME_AMENDS_H
#define F2FSKIT_VOLUME_AMENDS_H

#include "volume/volume.h"

/* Bytes of a block. */
struct amended_bytes {
	f2fs_blk_t addr;
	uint32_t offset; /* in the block */
	uint32_t length; /* 1 to 8 */
	uint64_t value;	 /* little-endian */
	size_t next;	 /* 1 + index of another place in the same block, 0: none */
};

/* All of a block, whatever the device has there. Bytes that are amended in it as well are in data, too. */
struct amended_block {
	f2fs_blk_t addr;
	uint8_t *data;
};

struct amends {
	struct vec bytes;     /* struct amended_bytes, in the order in which they were made */
	struct map32 blocks;  /* of bytes: address -> 1 + index of the last place in the block */
	struct vec whole;     /* struct amended_block */
	struct map32 whole_of; /* address -> index in whole */
	struct vec entries;   /* struct f2fs_nat_info: nid, ino, block_addr and version count */
	struct map32 entry_of; /* nid -> index in entries */
};

void amends_init(struct amends *a, struct f2fs_context *ctx);
void amends_fini(struct amends *a);
/* Amend bytes of a block. *is_new: false when that place is amended already, and nothing was done. */
int amends_add_bytes(struct amends *a, f2fs_blk_t addr, uint32_t offset, uint32_t length, uint64_t value, bool *is_new);
/* Amend bytes that an earlier amend has, too, of the same place and length; or new ones. */
int amends_set_bytes(struct amends *a, f2fs_blk_t addr, uint32_t offset, uint32_t length, uint64_t value);
/* Amend a whole block of this size. *is_new: false when some of it is amended already, and nothing was done. */
int amends_add_block(struct amends *a, f2fs_blk_t addr, const uint8_t *block, uint32_t size, bool *is_new);
/* The block that is amended as a whole; NULL: it is not. */
uint8_t *amends_whole(const struct amends *a, f2fs_blk_t addr);
/* Write the bytes to where they belong. */
void amended_bytes_put(const struct amended_bytes *b, uint8_t *to);
/* Put all that is amended of a block of this size into a copy of it. */
void amends_apply(const struct amends *a, f2fs_blk_t addr, uint8_t *block, uint32_t size);
/* Amend a NAT entry, or what an earlier amend said of it; *is_new: false when it said the same. */
int amends_add_entry(struct amends *a, const struct f2fs_nat_info *entry, bool *is_new);
/* The amended NAT entry of a node id; NULL: it is as stored. a may be NULL. */
const struct f2fs_nat_info *amends_entry(const struct amends *a, f2fs_nid_t nid);
/* Are bytes of this block amended, or all of it? a may be NULL. */
bool amends_has_block(const struct amends *a, f2fs_blk_t addr);

#endif
