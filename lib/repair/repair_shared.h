/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair blocks with two owners.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_SHARED_H
#define F2FSKIT_REPAIR_REPAIR_SHARED_H

#include "repair/repair.h"

/* A step of a round (repair.h). */
int repair_shared(struct repair *r);

#endif
