/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plan smaller areas for a volume that was larger once.
 */
#ifndef F2FSKIT_RESIZE_REDUCE_H
#define F2FSKIT_RESIZE_REDUCE_H

#include "resize/run.h"

/* The place of smaller areas, in the end and between the two hops. */
struct stage_hop {
	struct f2fs_layout layout;
	uint32_t meta;	/* segments of the smaller areas */
	uint32_t by;	/* from home to their place between the hops */
	uint32_t moved; /* main segments that are emptied for it */
};

/* Areas of a volume of that many segments that was larger once; ids in use stay. Return their segments; 0: none. */
uint32_t stage_lesser(const struct stage_volume *v, uint32_t segment_count, struct f2fs_layout *out);
/* Can the areas become smaller once the volume has that many segments? Then fill *hop. */
bool stage_reduce(const struct stage_volume *v, uint32_t segment_count, struct stage_hop *hop);
/* Return the smallest size from least on at which the areas can become smaller; 0: none. steps: taken already. */
uint32_t stage_reducible(const struct stage_volume *v, uint32_t least, uint32_t steps);

#endif
