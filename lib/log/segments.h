/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep the segment table of a transaction.
 */
#ifndef F2FSKIT_LOG_SEGMENTS_H
#define F2FSKIT_LOG_SEGMENTS_H

#include "log/run.h"

/* Is a log in that segment? */
bool segment_is_current(const struct txn *txn, f2fs_seg_t segno);
int segment_get(struct txn *txn, f2fs_seg_t segno, struct segment **out);
/* Look at the volume's clock. */
void txn_tick(struct txn *txn);
/* Set or clear a block's bit; counts and the segment's age follow. */
int segment_mark(struct txn *txn, f2fs_blk_t addr, bool valid);
int segment_load_all(struct txn *txn);
/* A segment, when all are loaded. */
static inline struct segment *segment_loaded(const struct txn *txn, f2fs_seg_t segno)
{
	return &txn->chunks[segno / txn->vol->geo.sit_per_block][segno % txn->vol->geo.sit_per_block];
}
/* From now on no block that is in use now, or will be, is handed out again before the commit. */
void segment_hold_all(struct txn *txn);
static inline bool segment_is_free(const struct segment *s)
{
	return s->valid == 0 && s->ckpt_valid == 0;
}
/* One segment more is free, or one less: the only place that counts them while a transaction runs. */
void segments_count_free(struct txn *txn, bool is_free);
/* A segment that was taken by this transaction counts as free again when nothing is left in it. */
void segment_give_back(struct txn *txn, f2fs_seg_t segno, struct segment *s);
/* The first offset from at on that is free now and in the last checkpoint; F2FS_SEGMENT_BLOCKS: none. */
uint32_t segment_next_hole(const struct segment *s, uint32_t at);
/* Is no block from at on in use, neither now nor in the last checkpoint? */
bool segment_is_unused_from(const struct segment *s, uint32_t at);
/*
 * Keep every log, and every other allocation, out of the segments [first, end) until segments_unbar() or the end of the
 * transaction; free ones do not count as free meanwhile. Logs that are in one stay there: see that there are none.
 */
int segments_bar(struct txn *txn, f2fs_seg_t first, f2fs_seg_t end);
int segments_unbar(struct txn *txn, f2fs_seg_t first, f2fs_seg_t end);

#endif
