/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replay block pointers of the chain.
 */
#ifndef F2FSKIT_RECOVER_REPLAY_INDEX_H
#define F2FSKIT_RECOVER_REPLAY_INDEX_H

#include "recover/replay.h"

/* Replay the block pointers of an inode or direct node. */
int replay_indexes(struct replay *r, struct replay_step *step);

#endif
