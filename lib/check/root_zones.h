/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check the feature blkzoned against the device.
 */
#ifndef F2FSKIT_CHECK_ROOT_ZONES_H
#define F2FSKIT_CHECK_ROOT_ZONES_H

#include "facts/run.h"

/* Report a feature blkzoned that does not fit the device. */
int root_zones_check(struct checker *c);

#endif
