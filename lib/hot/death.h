/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Place by the expected time of death.
 */
#ifndef F2FSKIT_HOT_DEATH_H
#define F2FSKIT_HOT_DEATH_H

#include "hot/hotness.h"

/* Begin the method, as m2h_begin() does. */
int death_begin(struct f2fs_hotness *h);

#endif
