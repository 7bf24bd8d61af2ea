/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Move a range of blocks, as f2fs-tools do.
 */
#ifndef F2FSKIT_DEFRAG_MOVED_RANGE_H
#define F2FSKIT_DEFRAG_MOVED_RANGE_H

#include "defrag/run.h"

/* Returns 0, or non-zero with a message written. */
int defrag_range(struct defrag *d);

#endif
