/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find names that occur twice in one directory.
 */
#ifndef F2FSKIT_FACTS_DIR_TWINS_H
#define F2FSKIT_FACTS_DIR_TWINS_H

#include "facts/run.h"

/* Find names that occur twice in one directory. */
int dirs_check_twins(struct checker *c);

#endif
