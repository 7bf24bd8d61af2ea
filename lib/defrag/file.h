/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Move the blocks of one file.
 */
#ifndef F2FSKIT_DEFRAG_FILE_H
#define F2FSKIT_DEFRAG_FILE_H

#include "defrag/run.h"

/* Collect the blocks of an item that are not in place yet, into r->blocks. *left: they cannot be moved. */
int defrag_collect(struct defrag_run *r, const struct defrag_item *item, bool *left);
/* Do the collected blocks follow each other? */
bool defrag_is_whole(const struct defrag_run *r);
/* Move collected blocks to the current run, as many as fit; *moved of them were. */
int defrag_place(struct defrag_run *r, uint8_t type, size_t *moved);
/* Continue in the next segment. The rest of the current one stays free. */
int defrag_next_segment(struct defrag_run *r);
/* Blocks to the end of the current section; 0: at the start of one. */
uint32_t defrag_rest_of_section(const struct defrag_run *r);
/* Continue in the next section. The rest of the current one, up to the end of the run, stays free. */
int defrag_next_section(struct defrag_run *r);
/* A block was moved. */
void defrag_count(struct defrag_run *r, f2fs_blk_t from, f2fs_blk_t to);
/* The collected blocks stay where they are, as if this run had placed them there. */
void defrag_keep(struct defrag_run *r);

#endif
