/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checkpoint pack: validation, checksum, and the places of its parts and of the version bitmaps.
 */
#ifndef F2FSKIT_FORMAT_CHECKPOINT_H
#define F2FSKIT_FORMAT_CHECKPOINT_H

#include <stdbool.h>

#include "format/geometry.h"
#include "format/rules.h"

/* Compute the checksum of a checkpoint block; its checksum_offset must be in range (FORMAT volume 1.6). */
uint32_t checkpoint_crc(const uint8_t *cp, uint32_t block_size);
/* Get the checksum that the block stores. */
uint32_t checkpoint_stored_crc(const uint8_t *cp);
/* Check one checkpoint block by itself: checksum and pack size (FORMAT volume 4.4). */
enum rule checkpoint_check_block(const uint8_t *cp, uint32_t block_size);
/* Check the contents against the superblock's numbers (FORMAT volume 10.1 B). */
enum rule checkpoint_check(const uint8_t *cp, const struct f2fs_geometry *geo);

/* The places of a pack's parts, in blocks from its start (FORMAT volume 4.1). */
struct pack_layout {
	uint32_t orphan_start, orphan_blocks;
	uint32_t data_start, data_blocks; /* compact (1 or 2 blocks) or three normal data summaries */
	bool compact;
	uint32_t node_start; /* three node summaries, when present */
	bool has_nodes;
	uint32_t total;
};
void checkpoint_pack_layout(const uint8_t *cp, const struct f2fs_geometry *geo, struct pack_layout *out);

/* Byte offsets of the version bitmaps in checkpoint block and payload as one array (FORMAT volume 4.5). */
void checkpoint_bitmaps(const uint8_t *cp, const struct f2fs_geometry *geo, uint32_t *sit_offset, uint32_t *nat_offset);
/* Is there room for the bitmaps of this checkpoint with, or without, large_nat_bitmap? */
bool checkpoint_bitmaps_fit(const uint8_t *cp, const struct f2fs_geometry *geo, bool large);
/*
 * Turn large_nat_bitmap on or off in a checkpoint block and its payload: the flag, the place of the checksum, and the
 * bitmaps. They must fit. from: a copy of cp.
 */
void checkpoint_move_bitmaps(uint8_t *cp, const uint8_t *from, const struct f2fs_geometry *geo, bool large);

/* How a log allocates: alloc_type of the checkpoint (FORMAT volume 4.2). */
enum alloc_type {
	ALLOC_APPEND = 0, /* block after block of a free segment: LFS */
	ALLOC_HOLES = 1	  /* free blocks in a used one: SSR */
};

/* Segment and next offset of log 0..5 in the order of enum f2fs_log_type. */
uint32_t checkpoint_log_segno(const uint8_t *cp, unsigned type);
uint16_t checkpoint_log_blkoff(const uint8_t *cp, unsigned type);

/* Are the current segments of all six logs different? On a volume that mkfs made with the feature ro they are not. */
bool checkpoint_has_six_logs(const uint8_t *cp);

/* The cp_ver that nodes written under this checkpoint carry (FORMAT volume 4.6). */
uint64_t checkpoint_node_version(const uint8_t *cp);
/* Features that the checkpoint speaks against: a read-only volume keeps nothing for GC. */
uint32_t checkpoint_denied(const uint8_t *cp);
/* Does a node's cp_ver belong to this checkpoint, so that roll-forward takes it (FORMAT files 1.2)? */
bool checkpoint_is_recoverable(const uint8_t *cp, uint64_t node_cp_ver);

#endif
