/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair superblocks.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_ROOTS_H
#define F2FSKIT_REPAIR_REPAIR_ROOTS_H

#include "repair/repair.h"

/* The last step of a round, after the commit (repair.h). */
int repair_superblocks(struct repair *r);

#endif
