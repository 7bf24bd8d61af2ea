/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What fallocate's operations are made of; places and lengths are blocks.
 */
#ifndef F2FSKIT_FILE_RANGE_H
#define F2FSKIT_FILE_RANGE_H

#include "file/write.h"

#define RANGE_COPY_BLOCKS 128u /* moved at once */

/* Reserve every hole of blocks [first, end); with fresh whatever else is there is freed, too, so that it reads as
 * zeros. */
int range_reserve(struct winode *w, uint64_t first, uint64_t end, bool fresh);
/* Make blocks [first, end) holes, in steps. */
int range_punch(struct winode *w, uint64_t first, uint64_t end);
/* Move blocks [from, from + count) to another place; buffer takes RANGE_COPY_BLOCKS blocks. */
int range_move(struct winode *w, uint64_t from, uint64_t to, uint64_t count, uint8_t *buffer);

#endif
