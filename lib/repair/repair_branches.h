/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep the data of lost nodes that have no place any more.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_BRANCHES_H
#define F2FSKIT_REPAIR_REPAIR_BRANCHES_H

#include "repair/repair.h"

/* Make a file of each node's blocks in a directory. */
int repair_branches(struct repair *r, f2fs_nid_t dir);

#endif
