/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take an older copy of a lost inode.
 */
#ifndef F2FSKIT_WITNESS_INODE_OLDER_H
#define F2FSKIT_WITNESS_INODE_OLDER_H

#include "witness/inode_builder.h"

/* Copy an older version of the inode into the builder's block, if there is one of the same file. */
int inode_copy_older(struct builder *b, const struct lost_inode *lost, bool *is_copied);
/* Bring the copy to the present. *end: the slot after the last one in use. false in *fits: it must not be used. */
int inode_renew(struct builder *b, const struct lost_inode *lost, uint32_t *end, bool *fits);

#endif
