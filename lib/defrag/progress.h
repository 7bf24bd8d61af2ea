/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Track the progress of a run.
 */
#ifndef F2FSKIT_DEFRAG_PROGRESS_H
#define F2FSKIT_DEFRAG_PROGRESS_H

#include "defrag/run.h"

/* The next item that is not done; NULL: none. */
struct defrag_item *defrag_next_item(struct defrag_run *r);
void defrag_finish_item(struct defrag_run *r, struct defrag_item *item);
bool defrag_is_out_of_time(const struct defrag_run *r);
bool defrag_is_at_limit(const struct defrag_run *r);
/* Of the limit of blocks; UINT64_MAX: there is none. */
uint64_t defrag_blocks_left(const struct defrag_run *r);
void defrag_progress(struct defrag_run *r, const char *phase);

#endif
