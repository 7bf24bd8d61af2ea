/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ask what a repair needs.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_NEED_H
#define F2FSKIT_REPAIR_REPAIR_NEED_H

#include "facts/run.h"

/* Would nodes be found by their footers that the tables do not lead to? */
bool repair_needs_search(const struct checker *c);

/* Is what a repair of this problem writes in the superblocks alone? */
bool repair_is_of_superblock(enum problem problem);

/* Was a problem found that is not left? */
bool repair_found(const struct checker *c, enum problem problem);

#endif
