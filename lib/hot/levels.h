/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Place by levels that blocks climb by changing.
 */
#ifndef F2FSKIT_HOT_LEVELS_H
#define F2FSKIT_HOT_LEVELS_H

#include "hot/hotness.h"

/* Begin the method, as m2h_begin() does. */
int levels_begin(struct f2fs_hotness *h);

#endif
