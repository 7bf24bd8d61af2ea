/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plan the steps to a size.
 */
#ifndef F2FSKIT_RESIZE_STAGES_H
#define F2FSKIT_RESIZE_STAGES_H

#include "resize/run.h"

/* Change v to its state after a step. */
void stage_take(struct stage_volume *v, const struct f2fs_resize_step *step);
/*
 * Find the steps to a size in segments, areas included: at most F2FS_RESIZE_STEPS. With NO_ROOM *missing is the number
 * of further main segments that would have to be free. *room: of the volume after the last step. Untouched without
 * steps.
 */
enum stage_result stage_plan(const struct stage_volume *v, uint32_t target, struct f2fs_resize_step *steps,
			     uint32_t *count, uint32_t *missing, struct stage_room *room);
/* Return the segments of the smallest volume that shrinking leads to. */
uint32_t stage_smallest(const struct stage_volume *v);

#endif
