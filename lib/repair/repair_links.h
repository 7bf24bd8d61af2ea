/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair link counts, parents, and lost inodes.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_LINKS_H
#define F2FSKIT_REPAIR_REPAIR_LINKS_H

#include "repair/repair.h"

/* A step of a round (repair.h). */
int repair_links(struct repair *r);
/* Before a recovery takes names away: set the numbers of links to those of the entries, as the findings have them. */
int repair_link_counts(struct repair *r);

#endif
