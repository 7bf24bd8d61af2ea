/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the place of lost direct nodes.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_DIRECT_H
#define F2FSKIT_WITNESS_WITNESS_DIRECT_H

#include "facts/run.h"

/* Build direct nodes again that are lost with all pointers to them, if one place in the file is left for them. */
int witness_direct(struct checker *c);

#endif
