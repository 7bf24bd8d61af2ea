/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flash translation layers as models: a model takes the host's writes and counts the erases, programs and merges of the
 * layer. It has no contents.
 *
 * A model is named by a text, "sast:superblock=2M,logs=8,k=4,op=7%"; ftl_keys.def has the keys.
 *   page   every page is mapped; greedy cleaning
 *   block only blocks are mapped: a page that is not appended causes a merge at once
 *   bast   each data block has at most one log block
 *   fast   one log block for sequential writes, the others for all data blocks alike
 *   sast   n log blocks for each k data blocks that are neighbours
 *   dftl   every page is mapped; the map is in flash, and a cache holds a part of it
 *   multi  every page is mapped; the host names a stream for each write, and streams share no block
 */
#ifndef F2FSKIT_LAB_FTL_H
#define F2FSKIT_LAB_FTL_H

#include <f2fskit/device.h>

struct ftl;

struct ftl_counts {
	uint64_t host_writes; /* pages that the host wrote, in part or as a whole */
	uint64_t host_bytes;  /* bytes that it wrote */
	uint64_t host_reads, host_trims; /* pages */
	uint64_t part_writes; /* of host_writes: those of a part of a page, so that the rest had to be read */
	uint64_t programs;    /* pages programmed: by the host, and copies */
	uint64_t copies;      /* pages that were read and programmed elsewhere */
	uint64_t erases;      /* superblocks */
	uint64_t full, partial, switches; /* merges: all copied, the tail copied, nothing copied */
	uint64_t dead;	      /* log blocks that were erased without a merge, as nothing in them was live */
	uint64_t map_lookups, map_hits;	 /* of entries of the map, and those that the cache answered */
	uint64_t map_reads, map_writes;	 /* pages of the map read, and written: these are in programs */
	uint32_t wear_least, wear_most;	  /* erases of one superblock since it was new */
};

/*
 * Make a model of the text for bytes (> 0) of logical space. INVALID names the model, the key and the rule; NOMEM. At
 * most 2^32 - 2 pages of flash. stamps: keep a number for each page, see ftl_stamp().
 */
int ftl_open(struct f2fs_context *ctx, const char *text, uint64_t bytes, int stamps, struct ftl **out);
void ftl_close(struct ftl *ftl);
/* Logical pages, and their bytes. */
uint32_t ftl_pages(const struct ftl *ftl);
uint32_t ftl_page_bytes(const struct ftl *ftl);
uint32_t ftl_block_bytes(const struct ftl *ftl); /* of a superblock */
/* The host writes a logical page, as a whole, or says that it needs it no more. */
void ftl_write(struct ftl *ftl, uint32_t logical);
void ftl_trim(struct ftl *ftl, uint32_t logical);
/* The host reads a page. */
void ftl_read(struct ftl *ftl, uint32_t logical);
/* Name the stream of the writes that follow. 0: none, and so are those that the device does not have. */
void ftl_set_stream(struct ftl *ftl, unsigned stream);
/* Ask a function for the stream of each page that ftl_write_bytes() writes; NULL: they have none. */
void ftl_set_hint(struct ftl *ftl, unsigned (*hint)(void *user, uint64_t offset), void *user);
/* The same in bytes: every page that is touched is written; only whole pages are trimmed. */
void ftl_write_bytes(struct ftl *ftl, uint64_t offset, uint64_t length);
void ftl_read_bytes(struct ftl *ftl, uint64_t offset, uint64_t length);
void ftl_trim_bytes(struct ftl *ftl, uint64_t offset, uint64_t length);
/* The number of the write that the page now holds (the first write of all is 1), 0: none. Only with stamps. */
uint32_t ftl_stamp(const struct ftl *ftl, uint32_t logical);
/* Return the counts since the beginning, or since the last reset. */
void ftl_count(const struct ftl *ftl, struct ftl_counts *out);
void ftl_reset_counts(struct ftl *ftl);
/* Wear acceleration index: bytes erased per byte that the host wrote; 0 when it wrote nothing. */
double ftl_wear_index(const struct ftl *ftl);
/* Share of the lookups in the map that its cache answered; 0 without any. */
double ftl_hit_ratio(const struct ftl *ftl);
/* Write amplification: pages programmed, those of the map included, per page that the host wrote. */
double ftl_write_amplification(const struct ftl *ftl);
/* Look over all tables: each logical page has at most one live copy, wear is the number of erases. Returns NULL, or an
 * error text. */
const char *ftl_check(const struct ftl *ftl);
/* The name of the model. */
const char *ftl_name(const struct ftl *ftl);

#endif
