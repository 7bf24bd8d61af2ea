/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Place by update distances (M2H).
 */
#ifndef F2FSKIT_HOT_M2H_H
#define F2FSKIT_HOT_M2H_H

#include "hot/hotness.h"

/* Complete the options, and set own, end, stat and the functions of placement. end is called when that fails, too. */
int m2h_begin(struct f2fs_hotness *h);

#endif
