/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find free sections.
 */
#ifndef F2FSKIT_LOG_FREE_SECTIONS_H
#define F2FSKIT_LOG_FREE_SECTIONS_H

#include "log/run.h"

/* The section of a segment of the main area. */
static inline uint32_t section_of(const struct txn *txn, f2fs_seg_t segno)
{
	return segno / txn->vol->geo.segs_per_sec;
}
/* Is every segment of a section free, and none a log's? */
int segment_section_is_free(struct txn *txn, uint32_t section, bool *is_free);
/* Count free sections, but stop when there are more than `most`: so no more of the SIT is read than that takes. */
int sections_count_free(struct txn *txn, uint32_t most, uint32_t *count);
/* The first segment of a free section, for a log. */
int section_choose(struct txn *txn, unsigned type, f2fs_seg_t *segno, bool *found);
/* The next free segment of the section that a log is in. */
int section_go_on(struct txn *txn, f2fs_seg_t current, f2fs_seg_t *segno, bool *found);

#endif
