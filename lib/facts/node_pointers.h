/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take the pointers of a node into the facts.
 */
#ifndef F2FSKIT_FACTS_NODE_POINTERS_H
#define F2FSKIT_FACTS_NODE_POINTERS_H

#include "facts/run.h"

/* Take the pointers of a node of the inode. */
int pointers_digest(struct checker *c, struct nid_fact *fact, struct inode_fact *inode, const uint8_t *block);
/* Does an inode's block lead to nodes other than that of its attributes? */
bool node_has_children(const struct f2fs_geometry *geo, const uint8_t *block);

#endif
