/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cut blocks and nodes out of files.
 */
#ifndef F2FSKIT_FILE_MAP_CUT_H
#define F2FSKIT_FILE_MAP_CUT_H

#include "file/winode.h"

/* Make the blocks [first, end) holes; nodes stay. */
int map_punch(struct winode *w, uint64_t first, uint64_t end);
/* Fail with NOSPC when there is no room for blocks in the holes of bytes [from, to). */
int map_need_space(struct winode *w, uint64_t from, uint64_t to);
/*
 * Count the blocks that bytes [from, to) may take, nodes among them: at most, or with is_exact without those that the
 * file has already.
 */
int map_count_space(struct winode *w, uint64_t from, uint64_t to, bool is_exact, uint64_t *blocks);
/* Free all blocks from first on, and the nodes that only they needed. */
int map_truncate(struct winode *w, uint64_t first);

#endif
