/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find further pointers to nodes that another pointer led to before.
 */
#ifndef F2FSKIT_WITNESS_FURTHER_PARENTS_H
#define F2FSKIT_WITNESS_FURTHER_PARENTS_H

#include "facts/run.h"

/* Sort further_parents, and find the first one of a node; further_parents.count: none. */
void further_parents_sort(struct checker *c);
size_t further_parents_of(const struct checker *c, f2fs_nid_t nid);
/* Does a further pointer lead to a node? Needs them sorted. */
bool further_parents_has(const struct checker *c, f2fs_nid_t nid);

#endif
