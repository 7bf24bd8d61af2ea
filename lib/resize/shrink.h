/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resize without moving the areas.
 */
#ifndef F2FSKIT_RESIZE_SHRINK_H
#define F2FSKIT_RESIZE_SHRINK_H

#include "gc/empty.h"
#include "resize/run.h"

int resize_shrink(struct resize *r, uint32_t segment_count);
int resize_extend(struct resize *r, uint32_t segment_count);
/* Return the main segments that shrinking to a size cuts off. */
struct gc_range resize_tail(const struct resize *r, uint32_t segment_count);

#endif
