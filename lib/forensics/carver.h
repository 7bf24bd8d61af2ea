/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Look for files by their signatures: carve.c searches the free blocks, carve_slack.c the slack after the ends of
 * files, carve_stream.c puts the blocks of one file in a row and unpacks clusters, carve_ends.c finds where a file
 * ends.
 */
#ifndef F2FSKIT_FORENSICS_CARVER_H
#define F2FSKIT_FORENSICS_CARVER_H

#include "base/bitmap.h"
#include "base/comp.h"
#include "forensics/leftovers.h"

#define CLUSTER_MAX_BLOCKS 256u
#define NO_ADDR UINT32_MAX

/* A row of plain blocks, or one cluster. */
struct carve_piece {
	uint64_t start; /* byte of the stream */
	uint64_t length;
	f2fs_blk_t addr;
	uint32_t skip;	    /* bytes of its first block before it; of slack */
	uint16_t blocks;    /* of a cluster: stored ones; 0: plain */
	uint8_t algorithm; /* of a cluster */
};

/* Consecutive bytes on the device after the end of a file, and all such of one inode. */
struct slack_range {
	uint64_t offset, length;
};
struct slack_row {
	f2fs_nid_t ino; /* NO_NID: none */
	struct vec ranges;
	uint64_t length, limit; /* of all; of the used part */
	bool is_cut;
};

/* The blocks of one file as far as anybody asked. */
struct carve_stream {
	f2fs_blk_t addr; /* of its first block; NO_ADDR: none */
	struct vec pieces;
	uint64_t length;
	uint64_t limit;	  /* no more than this */
	f2fs_blk_t last;  /* block */
	uint32_t clusters;
	bool is_ended; /* nothing follows */
	size_t loaded;	/* cluster that data holds, or SIZE_MAX */
	const struct slack_row *slack; /* that it goes through; NULL: free blocks */
	size_t next_range; /* of it */
	uint64_t skip;	   /* bytes of that */
};

struct carve_segment {
	f2fs_seg_t segno; /* UINT32_MAX: none */
	bool is_data;
	uint8_t entries[SUMMARY_BYTES];
};

struct f2fs_carver {
	struct f2fs_past *past;
	struct f2fs_volume *vol;
	struct f2fs_carve_options options;
	struct f2fs_carve_stat stat;
	char *kinds;
	uint8_t *free; /* a bit for each block of the main area: free, and no node */
	uint8_t *buffer; /* the bytes under search */
	struct carve_segment segment;
	struct carve_stream stream;
	struct slack_row slack; /* that was read last */
	struct comp_state codec;
	uint8_t *stored, *data; /* a cluster */
	uint64_t work;	/* blocks that may still be followed or unpacked */
	unsigned hint_algorithm, hint_blocks; /* of the last cluster; hint_blocks 0: none yet */
	f2fs_nid_t owner; /* of the block before the one that is looked at */
	uint32_t owner_slot;
};

#define WORK_FIRST 65536u /* blocks that may be followed at once, and for each that is looked at: */
#define WORK_EACH 16u

static inline bool carve_is_free(const struct f2fs_carver *c, f2fs_blk_t addr)
{
	return geometry_is_main(&c->vol->geo, addr) && msb_test(c->free, addr - c->vol->geo.main_blkaddr);
}

#endif
