/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the volume has and the other side has not.
 */
#ifndef F2FSKIT_COMPARE_REST_H
#define F2FSKIT_COMPARE_REST_H

#include "compare/run.h"

/* Tell of what the volume has and no item was for. */
int compare_rest(struct compare *c);

#endif
