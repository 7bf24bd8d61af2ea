/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the wrong bit of an inode by its checksum.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_BITS_H
#define F2FSKIT_WITNESS_WITNESS_BITS_H

#include "facts/run.h"

/* Part of that: find the one bit that makes a wrong checksum of an inode right. */
int witness_bits(struct checker *c);

#endif
