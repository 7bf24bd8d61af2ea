/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Let the hashes of names vote on the flag casefold of their directory.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_FOLDING_H
#define F2FSKIT_WITNESS_WITNESS_FOLDING_H

#include "facts/run.h"

/* Once directories are read: the hashes of their names vote on casefold. */
int witness_folding(struct checker *c);

#endif
