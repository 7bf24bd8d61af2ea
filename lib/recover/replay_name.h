/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replay names of the chain.
 */
#ifndef F2FSKIT_RECOVER_REPLAY_NAME_H
#define F2FSKIT_RECOVER_REPLAY_NAME_H

#include "recover/replay.h"

/* Enter the name of an inode block in the chain. */
int replay_name(struct replay *r, struct replay_step *step);
/* Free the inodes that lost their last name, directories with all that is below them. */
int replay_bury(struct replay *r);

#endif
