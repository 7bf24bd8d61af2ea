/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replay an inode block of the chain.
 */
#ifndef F2FSKIT_RECOVER_REPLAY_INODE_H
#define F2FSKIT_RECOVER_REPLAY_INODE_H

#include "recover/replay.h"

/* Make the inode that a block of the chain brings along. */
int replay_create(struct replay *r, const struct chain_inode *inode);
int replay_fields(struct replay_step *step);
int replay_inline_xattrs(struct replay_step *step);
int replay_xattr_node(struct replay_step *step);
/* Replay inline data. *done: the node has nothing further to replay. */
int replay_inline_data(struct replay_step *step, bool *done);

#endif
