/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair blocks with two owners.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_SHARED_H
#define F2FSKIT_REPAIR_REPAIR_SHARED_H

#include "repair/repair.h"

/* A step of a round (repair.h). */
int repair_shared(struct repair *r);
/* Return where the block of a slot of a node is after that step: addr if it stayed, 0 if the slot was cleared. */
f2fs_blk_t repair_moved_to(const struct repair *r, f2fs_nid_t nid, uint32_t slot, f2fs_blk_t addr);

#endif
