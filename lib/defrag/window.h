/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose target sections.
 */
#ifndef F2FSKIT_DEFRAG_WINDOW_H
#define F2FSKIT_DEFRAG_WINDOW_H

#include "defrag/run.h"

struct space_view;

/* Choose the next target sections, and clear them. */
int defrag_window(struct defrag_run *r);
/* How many sections placing may take before the commit. */
uint32_t defrag_placing_sections(const struct defrag_run *r, const struct space_view *view);
/* Return the number of blocks that can still be placed without a break. */
uint64_t defrag_room(const struct defrag_run *r);
/* Are there target sections other than the current run? */
bool defrag_has_more(const struct defrag_run *r);
/* Continue with them. The rest of the current run stays free. */
int defrag_next_run(struct defrag_run *r);

#endif
