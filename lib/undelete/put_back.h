/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make staged files again in the volume.
 */
#ifndef F2FSKIT_UNDELETE_PUT_BACK_H
#define F2FSKIT_UNDELETE_PUT_BACK_H

#include "undelete/undelete_run.h"

/* Make all that is staged below a directory of the volume. */
int undelete_put_back(struct undelete *u, const char *top);

#endif
