/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Let the witnesses of data blocks vote.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_DATA_H
#define F2FSKIT_WITNESS_WITNESS_DATA_H

#include "facts/run.h"

/* Once claims are those of kept nodes: the witnesses of data. */
int witness_data(struct checker *c);

#endif
