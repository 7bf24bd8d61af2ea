/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take in the decisions about the findings, and ask.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_LEFT_H
#define F2FSKIT_REPAIR_REPAIR_LEFT_H

#include "repair/repair.h"

/* Take in the decisions about the findings, and ask. */
void repair_left_init(struct repair *r);
int repair_note_left(struct repair *r);
/* Is a problem of a node to be made right where it is met? */
bool repair_wanted(const struct repair *r, enum problem problem, f2fs_nid_t nid);
bool repair_wants_slot(const struct repair *r, enum problem problem, f2fs_nid_t nid, uint32_t slot);
/* May the block of an inode be written? */
bool repair_may_write(const struct repair *r, f2fs_nid_t nid);

#endif
