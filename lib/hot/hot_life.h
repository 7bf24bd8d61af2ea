/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remember when blocks were written, for each segment instead of each block: the blocks of one segment are written at
 * about the same time, as far as they are kept apart. Time is counted in blocks written.
 */
#ifndef F2FSKIT_HOT_HOT_LIFE_H
#define F2FSKIT_HOT_HOT_LIFE_H

#include "hot/hotness.h"

struct segment_life {
	uint64_t births; /* sum over its blocks */
	uint32_t blocks;
	uint32_t stream; /* of the block that began it */
	uint64_t begun;
};

static inline uint64_t life_birth(const struct segment_life *s)
{
	return s->blocks ? s->births / s->blocks : 0;
}

static inline void life_add(struct segment_life *s, uint64_t birth, uint64_t now, unsigned stream)
{
	if (s->blocks == 0)
		*s = (struct segment_life){ .stream = stream, .begun = now };
	s->births += birth;
	s->blocks++;
}

/* A block of it is free, which one is not known: it is taken for an average one. False: nothing is known of it. */
static inline bool life_take(struct segment_life *s, uint64_t *birth)
{
	*birth = life_birth(s);
	if (s->blocks == 0)
		return false;
	s->births -= *birth;
	s->blocks--;
	return true;
}

#endif
