/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Move ranges of files.
 */
#ifndef F2FSKIT_FILE_RANGE_MOVE_H
#define F2FSKIT_FILE_RANGE_MOVE_H

#include "file/winode.h"

/* Move blocks [from, from + count) to another place; buffer takes RANGE_COPY_BLOCKS blocks. */
int range_move(struct winode *w, uint64_t from, uint64_t to, uint64_t count, uint8_t *buffer);

#endif
