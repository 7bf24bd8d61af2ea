/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fill a chosen segment beside the logs: a free one from its start, or the holes of one in use.
 */
#ifndef F2FSKIT_LOG_FILLER_H
#define F2FSKIT_LOG_FILLER_H

#include "log/run.h"

struct filler {
	struct f2fs_context *ctx;
	struct txn *txn; /* NULL when it is over */
	f2fs_seg_t segno;
	uint32_t at;	   /* no block before this one is taken */
	uint8_t *sums;	   /* summary entries of the segment */
	uint8_t *buffer;   /* up to a segment of blocks that follow each other, to be written */
	f2fs_blk_t buffer_addr;
	uint32_t buffer_count;
	bool is_open, is_node;
	bool bars;	   /* it barred the segment itself */
	bool is_rehearsal; /* set by the caller: contents are not written */
	struct f2fs_stream_stat *stat; /* of a stream, set by it; else NULL */
	uint32_t stream_bit;	       /* the same; else 0 */
	struct filler *next;
};
/* Prepare one; filler_end() or filler_drop() in any case, also after the transaction. */
int filler_begin(struct filler *f, struct txn *txn);
/*
 * Begin with a segment: a free one, which becomes of that type, or one of the same class with holes, from offset at on.
 * One that the caller has barred stays so, others are barred while open. STATE: a log is in it, or it cannot be filled.
 */
int filler_open(struct filler *f, f2fs_seg_t segno, unsigned type, uint32_t at);
/*
 * Allocate up to `want` consecutive blocks for the owner's slots from owner.ofs on, and queue `data` for them; without
 * data they become zeros. *got is 0 when the segment is full.
 */
int filler_put(struct filler *f, struct owner owner, uint32_t want, const uint8_t *data, f2fs_blk_t *addr,
	       uint32_t *got);
/*
 * Where the contents of the next blocks can be put, so that nobody copies them: *count of them, up to want, follow each
 * other; 0 when the segment is full. Then filler_put() takes them, with *to for data; until then nothing is taken. In
 * a rehearsal *to is NULL. The place is lost when the filler is flushed, as reading what waits in it does: write that
 * out before.
 */
int filler_reserve(struct filler *f, uint32_t want, uint8_t **to, uint32_t *count);
/* Done with the segment: write what waits and the summaries. */
int filler_close(struct filler *f);
int filler_end(struct filler *f);
/* Forget what waits, and free the memory. */
void filler_drop(struct filler *f);
/* All but streams whose bit is set. */
int fillers_flush(struct txn *txn, uint32_t but_streams);
int fillers_close(struct txn *txn);
/* Write out, or find, blocks that wait in fillers: as heads_write_out() and heads_find(). */
int fillers_write_out(struct txn *txn, f2fs_blk_t addr, uint64_t count);
const uint8_t *fillers_find(const struct txn *txn, f2fs_blk_t addr);
void fillers_forget(struct txn *txn);

#endif
