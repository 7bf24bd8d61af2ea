/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Estimate the cost of a resize without writing.
 */
#ifndef F2FSKIT_RESIZE_ESTIMATE_H
#define F2FSKIT_RESIZE_ESTIMATE_H

#include "resize/run.h"

struct gc_range;

/* Commits and seconds, when blocks of a range are the first to be moved. */
int resize_estimate(struct resize *r, const struct gc_range *range);

#endif
