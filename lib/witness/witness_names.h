/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Let hashes and inodes vote on names and entries.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_NAMES_H
#define F2FSKIT_WITNESS_WITNESS_NAMES_H

#include "facts/run.h"

/* After that: hashes and inodes vote on names, on the inodes they name, and on slots marked as free. */
int witness_names(struct checker *c);

#endif
