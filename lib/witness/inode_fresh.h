/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make a lost inode.
 */
#ifndef F2FSKIT_WITNESS_INODE_FRESH_H
#define F2FSKIT_WITNESS_INODE_FRESH_H

#include "witness/inode_builder.h"

/*
 * Make the inode in the builder's block. *end: the slot after the last one in use. false in *is_made: the
 * contents of the file are unknown.
 */
int inode_make_fresh(struct builder *b, const struct lost_inode *lost, uint32_t *end, bool *is_made);

#endif
