/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A cache of entries for the blocks of the main area, 8 bytes for each: a page holds the 512 entries of one segment.
 * Pages are kept in memory up to a limit, the least recently used one leaves first; with a sidecar they go there and
 * come back.
 * These entries are only hints: wrong or lost ones cost quality and nothing else.
 */
#ifndef F2FSKIT_HOT_HOT_CACHE_H
#define F2FSKIT_HOT_HOT_CACHE_H

#include "base/bytes.h"
#include "hot/hot_cluster.h"
#include "volume/volume.h"

/* An entry: when the block was written last, then distance (24 bits), class and delay level (4 bits each). */
#define HOT_ENTRY_SIZE 8u
#define HOT_PAGE_BYTES (HOT_ENTRY_SIZE * F2FS_SEGMENT_BLOCKS)
#define HOT_DISTANCE_MAX 0xffffffu

struct hot_page {
	struct hot_page *newer, *older; /* in the order of their use */
	f2fs_seg_t segno;
	bool is_dirty;
	uint8_t entries[HOT_PAGE_BYTES];
};

struct hot_cache {
	struct f2fs_context *ctx;
	struct f2fs_device *sidecar; /* NULL: pages that leave are lost */
	uint32_t segments, count, limit;
	struct hot_page **pages; /* by segment */
	struct hot_page *newest, *oldest;
	uint8_t *stored; /* a bit for each segment whose page the sidecar has, MSB-first */
	uint8_t *buffer; /* of a write of several pages */
	void (*lost)(void *user, f2fs_seg_t segno); /* set before hot_cache_init(): called for lost pages */
	void *user;
	uint64_t hits, misses, evictions, sidecar_reads, sidecar_writes, sidecar_errors;
};

/* The volume and state that a sidecar was made for. */
struct hot_mark {
	uint8_t uuid[16];
	uint64_t version; /* of the checkpoint */
	uint32_t segments;
	/* out: */
	uint32_t written; /* the number of the last block written */
	struct hot_clusters clusters;
};

/*
 * limit: bytes that entries may take in memory, 0: no limit. The sidecar (may be NULL) is the caller's, and no longer
 * used when it fails. *fits (with a sidecar): it was made for mark, so its pages count.
 */
int hot_cache_init(struct hot_cache *c, struct f2fs_context *ctx, struct f2fs_device *sidecar, uint64_t limit,
		   struct hot_mark *mark, bool *fits);
/* Write all pages to the sidecar, and its mark. */
void hot_cache_save(struct hot_cache *c, const struct hot_mark *mark);
void hot_cache_fini(struct hot_cache *c);
/* Bytes of a sidecar for that many segments. */
uint64_t hot_sidecar_bytes(uint32_t segments);
/* The page of a segment; NULL when there is none, with make also when there is no memory. */
struct hot_page *hot_cache_page(struct hot_cache *c, f2fs_seg_t segno, bool make);

/* How a sample is drawn from the pages in memory. */
struct hot_sampling {
	uint32_t size;	      /* values wanted */
	unsigned older_share; /* percent of them that come from the half that was not used for longer */
	bool of_halves;	      /* another reading: that share of the older half, and the rest to 100 of the newer one */
};
/* Draw distances that are known into values, at most HOT_SAMPLE or size of them; returns how many. */
size_t hot_cache_sample(const struct hot_cache *c, const struct hot_sampling *s, uint32_t *values);
/* How many values hot_cache_sample() writes at most. */
size_t hot_cache_sample_room(const struct hot_cache *c, const struct hot_sampling *s);

static inline uint32_t hot_last(const uint8_t *entry)
{
	return get_le32(entry);
}
static inline uint32_t hot_distance(const uint8_t *entry)
{
	return get_le32(entry + 4) >> 8;
}
static inline void hot_set_last(uint8_t *entry, uint32_t last)
{
	put_le32(entry, last);
}
static inline unsigned hot_delay(const uint8_t *entry)
{
	return entry[4] >> 4;
}
static inline void hot_set(uint8_t *entry, uint32_t last, uint32_t distance, unsigned class, unsigned delay)
{
	hot_set_last(entry, last);
	put_le32(entry + 4, distance << 8 | (delay & 15) << 4 | (class & 15));
}

#endif
