/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Let the witnesses of lost pointers vote.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_GHOSTS_H
#define F2FSKIT_WITNESS_WITNESS_GHOSTS_H

#include "facts/run.h"

/* A part of witness_data(). */
int witness_ghosts(struct checker *c);

#endif
