/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the entries of inodes that have fewer names than they should.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_HOMES_H
#define F2FSKIT_WITNESS_WITNESS_HOMES_H

#include "facts/run.h"

/* Find the entries of inodes that have fewer names than they should. */
int witness_homes(struct checker *c);

#endif
