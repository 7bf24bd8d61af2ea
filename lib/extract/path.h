/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resolve and sort the listed paths.
 */
#ifndef F2FSKIT_EXTRACT_PATH_H
#define F2FSKIT_EXTRACT_PATH_H

#include "extract/run.h"

/* Resolve the listed paths into canonical ones (struct extract_target), in order, without those below others. */
int extract_targets_load(struct extract *x, struct vec *targets);
void extract_targets_fini(struct vec *targets);

#endif
