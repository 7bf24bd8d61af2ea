/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find entries of the volume that the other side lacks.
 */
#ifndef F2FSKIT_COMPARE_REST_H
#define F2FSKIT_COMPARE_REST_H

#include "compare/run.h"

/* Report the entries of the volume without an item. */
int compare_rest(struct compare *c);

#endif
