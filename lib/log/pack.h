/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write a checkpoint pack from memory: the one writer of them, for commits and new volumes alike (pack.c).
 */
#ifndef F2FSKIT_LOG_PACK_H
#define F2FSKIT_LOG_PACK_H

#include "base/context.h"
#include "format/checkpoint.h"
#include "format/summary.h"
#include "volume/volume.h"

/* A log as described in a pack. */
struct pack_log {
	f2fs_seg_t segno;
	uint16_t blkoff;
	uint8_t alloc_type; /* enum alloc_type */
	const uint8_t *sums; /* summary entries from the start of the segment; NULL: the checkpoint's fields stay */
	uint32_t sum_count;  /* number of entries; later ones are zero */
	uint32_t entries;    /* of a data log: how many a compact summary carries */
};

struct pack {
	struct f2fs_context *ctx;
	const struct f2fs_geometry *geo;
	struct f2fs_volume *vol; /* counts the writes; NULL: none */
	/*
	 * The checkpoint: block and payload. Given with all that is no affair of the pack: bitmaps and their sizes,
	 * counts of blocks, nodes and segments, checksum_offset. pack_build() fills in the rest.
	 */
	uint8_t *cp;
	uint64_t version;
	uint32_t flags; /* flags that do not follow from the contents of the pack */
	struct pack_log logs[F2FS_LOG_COUNT];
	const uint8_t *nat_journal, *sit_journal; /* journal_size bytes each */
	const uint8_t *nat_maps; /* of full and of empty NAT blocks, one after the other; NULL: none */
	const f2fs_nid_t *orphans;
	size_t orphan_count;
	/* made by pack_build(): what stands between the two copies of the checkpoint block */
	uint8_t *blocks, *maps;
	uint32_t block_count;
};

/* Is there room for maps of NAT blocks beside that many orphans? */
bool pack_holds_maps(const struct f2fs_geometry *geo, size_t orphans);
/* Put the pack together in memory. pack_free() in any case. */
int pack_build(struct pack *pack);
/* Write it to its place but for its last block, which makes it count. */
int pack_write(const struct pack *pack, struct f2fs_device *dev, f2fs_blk_t start);
/* Return the address of that block. */
f2fs_blk_t pack_seal_addr(const struct pack *pack, f2fs_blk_t start);
int pack_seal(const struct pack *pack, struct f2fs_device *dev, f2fs_blk_t start);
void pack_free(struct pack *pack);

#endif
