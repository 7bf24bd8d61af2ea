/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reserve and punch ranges of files.
 */
#ifndef F2FSKIT_FILE_RANGE_BLOCKS_H
#define F2FSKIT_FILE_RANGE_BLOCKS_H

#include "file/winode.h"

/* Reserve every hole of blocks [first, end); with fresh whatever else is there is freed, too, so that it reads as
 * zeros. */
int range_reserve(struct winode *w, uint64_t first, uint64_t end, bool fresh);
/* Make blocks [first, end) holes, in steps. */
int range_punch(struct winode *w, uint64_t first, uint64_t end);

#endif
