/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose segments of the logs of a zoned volume.
 */
#ifndef F2FSKIT_LOG_ZONED_LOGS_H
#define F2FSKIT_LOG_ZONED_LOGS_H

#include "log/run.h"

static inline bool txn_is_zoned(const struct txn *txn)
{
	return geometry_has(&txn->vol->geo, F2FS_FEAT_BLKZONED);
}
/* Are spare free sections left besides those that data leaves to the commit and to GC? */
int section_is_spare(struct txn *txn, uint32_t spare, bool *is_spare);
/* What follows a segment that a log has filled: the next one of its section, or a new section. */
int section_choose_next(struct txn *txn, unsigned type, f2fs_seg_t current, f2fs_seg_t *segno);
/* Finish zones that a power cut or a dropped transaction left open, if the device keeps only some open. */
int sections_tidy(struct txn *txn);
/* A log begins a segment: a zone is empty when that is its first. */
int section_enter(struct txn *txn, f2fs_seg_t segno);

#endif
