/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Know the future of a load: run it twice. The first run records when each block of a file is written or freed, the
 * second one places blocks by the times of their death.
 */
#ifndef F2FSKIT_LAB_BASELINE_FUTURE_H
#define F2FSKIT_LAB_BASELINE_FUTURE_H

#include <f2fskit/placement.h>

struct lab_future;

/* A new one records. NULL: no memory. */
struct lab_future *lab_future_new(void);
/* The first run is over: from now on, placements know it. 0, or -1 when there was no memory for a record. */
int lab_future_turn(struct lab_future *future);
void lab_future_free(struct lab_future *future);
/* Fill in a placement that uses `future`, as make in baseline.h. */
size_t lab_future_placement(struct lab_future *future, const struct f2fs_geometry *geo, struct f2fs_placement *out);

#endif
