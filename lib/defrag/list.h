/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * List the items to place, in order.
 */
#ifndef F2FSKIT_DEFRAG_LIST_H
#define F2FSKIT_DEFRAG_LIST_H

#include "defrag/run.h"

int defrag_list(struct defrag_run *r);
/* A file that is not among the items lost its order: place it, too. */
int defrag_add(struct defrag_run *r, f2fs_nid_t ino);

#endif
