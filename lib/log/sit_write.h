/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Store the SIT changes of a transaction.
 */
#ifndef F2FSKIT_LOG_SIT_WRITE_H
#define F2FSKIT_LOG_SIT_WRITE_H

#include "log/run.h"

/* Add an entry to a journal that has room. */
void journal_add_sit(uint8_t *journal, f2fs_seg_t segno, const struct segment *s);
/* Write changed SIT entries into the journal or to idle copies of their blocks; part of the commit. */
int sit_store(struct txn *txn, uint8_t *journal);

#endif
