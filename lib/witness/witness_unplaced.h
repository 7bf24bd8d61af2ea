/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Build lost indirect nodes again to which no pointer leads.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_UNPLACED_H
#define F2FSKIT_WITNESS_WITNESS_UNPLACED_H

#include "facts/run.h"

/* loose: struct loose_node, the nodes that no pointer leads to, sorted by ino, offset and node id. */
int witness_unplaced(struct checker *c, const struct vec *loose);

#endif
