/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep the rest of an inode whose first bytes are lost.
 */
#ifndef F2FSKIT_WITNESS_INODE_REST_H
#define F2FSKIT_WITNESS_INODE_REST_H

#include "witness/inode_builder.h"

/*
 * Copy the attributes in the block of a lost inode into the one that is being built, which is divided already. *has_key
 * becomes true if the context of an encrypted file is among them, and the inode is marked as encrypted then. An inode
 * without attributes, or of which nothing is left, is no error. The attributes of an older copy give way to them.
 */
int inode_keep_rest(struct builder *b, const struct lost_inode *lost, bool *has_key);

#endif
