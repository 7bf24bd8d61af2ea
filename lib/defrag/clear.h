/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Empty sections.
 */
#ifndef F2FSKIT_DEFRAG_CLEAR_H
#define F2FSKIT_DEFRAG_CLEAR_H

#include "defrag/run.h"

struct space_view;

/* Count the blocks in use in each section; in a transaction. */
int defrag_look(struct defrag_run *r);
/* Begin a transaction in which sections that are kept are barred, and room is known. */
int defrag_begin(struct defrag_run *r, struct space_view *view);
/* How many nodes may change when that many of the free sections are taken for something else. */
void defrag_limit_nodes(struct defrag_run *r, const struct space_view *view, uint32_t taken);
/*
 * End it with a commit, or drop it when err is not 0 or nothing was changed. Returns err or the result of the commit.
 */
int defrag_end(struct defrag_run *r, int err);
/* Open the place for blocks that are in the way: fullest segments first, or those at the end of the volume. */
int defrag_open_sink(struct defrag_run *r, uint32_t free_sections);
/* Move the blocks in use out of a section, which is barred. *cleared: it is empty now. *fits: there was room. */
int defrag_clear(struct defrag_run *r, uint32_t section, bool *cleared, bool *fits);

#endif
