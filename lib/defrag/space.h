/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make free space contiguous.
 */
#ifndef F2FSKIT_DEFRAG_SPACE_H
#define F2FSKIT_DEFRAG_SPACE_H

#include "defrag/run.h"

/* Move the blocks in use into as few segments as hold them. */
int defrag_space(struct defrag_run *r);

#endif
