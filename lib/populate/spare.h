/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Protect entries that could not be read.
 */
#ifndef F2FSKIT_POPULATE_SPARE_H
#define F2FSKIT_POPULATE_SPARE_H

#include "populate/run.h"

/*
 * Note that the current item, or a part of it, could not be read: the entry at its path in the volume stays, with all
 * below.
 */
int populate_spare(struct populate *p);

#endif
