/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hand the values of an item to the caller.
 */
#ifndef F2FSKIT_COMPARE_SIDE_H
#define F2FSKIT_COMPARE_SIDE_H

#include "compare/run.h"

/* Fill *side from an item; is_ready: its target and attributes are there. Pointers are the source's. */
void compare_side(const struct compare *c, const struct source_item *item, bool is_ready, struct f2fs_diff_side *side);

#endif
