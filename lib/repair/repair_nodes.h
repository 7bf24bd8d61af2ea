/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair node blocks.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_NODES_H
#define F2FSKIT_REPAIR_REPAIR_NODES_H

#include "repair/repair.h"

/* A step of a round (repair.h). */
int repair_nodes(struct repair *r);
/* Sizes that no file can have. */
int repair_sizes(struct repair *r);

#endif
