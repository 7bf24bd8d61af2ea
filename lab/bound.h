/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compute a bound that no policy can beat for the cleaning of cleaner.h, with two heads (one of the user, one for moved
 * blocks) and a trace that is known as a whole. A trace is an array of logical blocks in the order of their writes.
 */
#ifndef F2FSKIT_LAB_BOUND_H
#define F2FSKIT_LAB_BOUND_H

#include <stddef.h>
#include <stdint.h>

/* death[i]: when the block of write i is written again, counted in writes, or CLEANER_NEVER. -1: no memory. */
int lab_deaths(const uint32_t *trace, size_t count, uint32_t logical, uint64_t *death);

struct lab_space {
	uint32_t logical, sections, section_blocks;
};

/*
 * A lower bound of the moves of any choice of victims at any times, and any way to pack moved blocks. Take a window of
 * the trace. At its end the space holds live blocks from before it, whole sections that the user filled in it and that
 * were not cleaned, and the moved live blocks of the cleaned ones. That must fit, so enough of these sections were
 * cleaned, and each cost at least its blocks that live at the end. The cheapest (even fractions of sections) give the
 * bound of the window; windows of one length that do not overlap add up. The best length of those tried counts. *moves
 * is set; -1: no memory.
 */
int lab_moves_bound(const struct lab_space *space, const uint32_t *trace, size_t count, uint64_t *moves);

#endif
