/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Apply the plan of a recovery.
 */
#ifndef F2FSKIT_RECOVER_ROLLFORWARD_H
#define F2FSKIT_RECOVER_ROLLFORWARD_H

#include "recover/replay.h"

/* Keep the blocks that the plan needs from being allocated, before anything else is done. */
int replay_keep(struct replay *r);
/* Apply all of the plan. */
int replay_plan(struct replay *r);

#endif
