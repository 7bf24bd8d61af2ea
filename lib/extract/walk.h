/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walk over the volume and decide about each entry.
 */
#ifndef F2FSKIT_EXTRACT_WALK_H
#define F2FSKIT_EXTRACT_WALK_H

#include "extract/run.h"

/* Extract the entries at the target. */
int extract_walk(struct extract *x, const struct extract_target *target);
/* Go up to the root and release it. */
int extract_walk_end(struct extract *x);

#endif
