/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take in nodes that stay though the facts drop them.
 */
#ifndef F2FSKIT_CHECK_REPAIR_HOLD_H
#define F2FSKIT_CHECK_REPAIR_HOLD_H

#include "check/repair.h"

/* Take in nodes that stay though the facts drop them; before the transaction begins. */
int repair_hold(struct repair *r);

#endif
