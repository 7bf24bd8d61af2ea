/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on directory blocks that hold the entries of another directory.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_COPIES_H
#define F2FSKIT_WITNESS_WITNESS_COPIES_H

#include "facts/run.h"

/* Empty such blocks. Needs the names of all inodes. */
int witness_copies(struct checker *c);

#endif
