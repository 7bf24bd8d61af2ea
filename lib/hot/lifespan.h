/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Place by lifespans.
 */
#ifndef F2FSKIT_HOT_LIFESPAN_H
#define F2FSKIT_HOT_LIFESPAN_H

#include "hot/hotness.h"

/* Begin the method, as m2h_begin() does. */
int lifespan_begin(struct f2fs_hotness *h);

#endif
