/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on the node ids of NAT entries.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_ENTRIES_H
#define F2FSKIT_WITNESS_WITNESS_ENTRIES_H

#include "facts/run.h"

/* Part of that: let blocks say whose the entries of the NAT journal are. */
int witness_entries(struct checker *c);
/* Does an entry of the journal that cannot count lead to a block in use that is no node by the NAT? */
bool entries_are_lost(const struct checker *c);

#endif
