/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose the number and sizes of the groups of MiDAS by a model of a chain. The distribution of the intervals between
 * updates gives the part of blocks that are alive at an age. A block enters the chain once for each write. It is in a
 * group for as many writes as fill the group, and if it is alive then, it moves to the next. From the hot group it
 * moves to the chain.
 */
#ifndef F2FSKIT_LAB_MIDAS_MODEL_H
#define F2FSKIT_LAB_MIDAS_MODEL_H

#include <stdint.h>

#define MIDAS_GROUPS 8 /* the hot one and seven of the chain */
#define MIDAS_UNITS 4096 /* of age */

struct midas_load {
	/* [MIDAS_UNITS] of the hot group and the chain, by age: blocks that died, and blocks that had this age */
	const uint64_t *deaths[2], *lives[2];
	uint64_t writes[2]; /* of users to these, in the epoch */
	uint64_t unit;	    /* of age, in blocks that users wrote */
	uint32_t segments;	      /* that all groups can have */
	uint64_t live;		      /* blocks alive in them */
};

/* The hot group 0, and groups 1 to `groups`; the last one has the rest of the room. */
struct midas_plan {
	unsigned groups;
	uint32_t size[MIDAS_GROUPS]; /* segments */
	double live[MIDAS_GROUPS];   /* predicted: the part of a victim that is alive */
	double amplification;	     /* predicted: blocks written for each that users write */
};

/* Find the plan of least amplification with at most `most` groups of the chain. 0, or -1 without memory. */
int midas_model_plan(const struct midas_load *load, unsigned most, struct midas_plan *out);

#endif
