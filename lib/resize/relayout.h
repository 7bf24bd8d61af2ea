/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Move the areas to another size, in two hops.
 */
#ifndef F2FSKIT_RESIZE_RELAYOUT_H
#define F2FSKIT_RESIZE_RELAYOUT_H

#include "resize/run.h"

int resize_relayout(struct resize *r, const struct f2fs_resize_step *step);
int resize_reduce(struct resize *r, const struct f2fs_resize_step *step);
int resize_home(struct resize *r, uint32_t segment_count);

#endif
