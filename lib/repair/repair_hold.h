/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take in nodes that stay though the facts drop them.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_HOLD_H
#define F2FSKIT_REPAIR_REPAIR_HOLD_H

#include "repair/repair.h"

/* Take in nodes that stay though the facts drop them; before the transaction begins. */
int repair_hold(struct repair *r);

#endif
