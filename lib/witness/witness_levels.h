/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Let the places of names vote on i_dir_level.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_LEVELS_H
#define F2FSKIT_WITNESS_WITNESS_LEVELS_H

#include "facts/run.h"

/* Once directories are read: the places of their names vote on i_dir_level. */
int witness_levels(struct checker *c);

#endif
