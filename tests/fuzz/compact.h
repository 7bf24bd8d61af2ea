/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A volume as a short byte string: the size, and pieces of blocks that are not zero. Later pieces overwrite earlier
 * ones, so a mutation is a piece appended to the others.
 *
 *	header  16 bytes: "F2CI", u8 flags, u8 block bits, u16 0, u32 blocks, u32 0
 *	piece   8 bytes: u32 block, u16 offset in the block, u16 length; then the bytes
 *
 * Any bytes are a valid input: excess is cut off.
 */
#ifndef F2FSKIT_TESTS_FUZZ_COMPACT_H
#define F2FSKIT_TESTS_FUZZ_COMPACT_H

#include <f2fskit/device.h>

#define COMPACT_HEADER 16u
#define COMPACT_PIECE 8u

enum compact_flag {
	COMPACT_REPAIR = 1, /* make checksums right after loading: superblocks, checkpoints, inodes */
	COMPACT_STRICT = 2, /* open in strict mode */
	COMPACT_PACK1 = 4,  /* open this pack */
	COMPACT_PACK2 = 8
};

struct compact {
	const uint8_t *data;
	size_t size;
	uint8_t flags;
	uint32_t block_bits; /* 12 or 14 */
	uint32_t blocks;     /* of the volume */
};

/* One piece; bytes point into the input. */
struct compact_piece {
	uint32_t block;
	uint32_t offset;
	uint32_t length;
	const uint8_t *bytes;
};

/* Read the header; 0 for an input that is no compact image. */
int compact_open(struct compact *c, const uint8_t *data, size_t size);
/* Get the piece at *at (start with COMPACT_HEADER) and move past it; 0 after the last. */
int compact_next(const struct compact *c, size_t *at, struct compact_piece *out);
/* Write all pieces to a device of blocks << block_bits bytes, and repair checksums if the flags say so. */
int compact_load(const struct compact *c, struct f2fs_device *dev);

#endif
