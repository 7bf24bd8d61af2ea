/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the best choice of victims for tiny cases of the cleaning of cleaner.h, by trying all.
 */
#ifndef F2FSKIT_LAB_ORACLE_H
#define F2FSKIT_LAB_ORACLE_H

#include "bound.h"

/*
 * The fewest moves when victims are chosen as well as can be, when cleaning is done as by lab_cleaner_write(): all
 * choices are tried, states that are alike once, but for sections in which all blocks are valid: to clean one wins
 * nothing. For tiny cases: at most 12 sections of 8 blocks, 250 logical blocks. Return 0; -1 without memory; -2 when
 * the case is too large, or has more than some 400,000 states, or no choice leads to the end.
 */
int lab_optimal_moves(const struct lab_space *space, const uint32_t *trace, size_t count, uint64_t *moves);

#endif
