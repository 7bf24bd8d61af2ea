/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Delete orphans.
 */
#ifndef F2FSKIT_RECOVER_ORPHANS_H
#define F2FSKIT_RECOVER_ORPHANS_H

#include "recover/replay.h"

/* Delete the listed orphans that no directory names. */
int orphans_finish(struct replay *r);

#endif
