/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check and finish zones.
 */
#ifndef F2FSKIT_FACTS_ZONES_H
#define F2FSKIT_FACTS_ZONES_H

#include "facts/run.h"

/* Compare the blocks in use, and the logs, with the write pointers of a zoned device. */
int zones_check(struct checker *c);
/* Finish zones in which something is in use that was never written. */
int zones_repair(struct checker *c);

#endif
