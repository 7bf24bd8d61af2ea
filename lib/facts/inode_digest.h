/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take an inode's fields into the facts.
 */
#ifndef F2FSKIT_FACTS_INODE_DIGEST_H
#define F2FSKIT_FACTS_INODE_DIGEST_H

#include "facts/run.h"

/* Is the inode a quota file, which no directory names? */
bool inode_is_hidden(const struct checker *c, f2fs_nid_t ino);
/*
 * Take an inode's fields into its fact, which *inode returns. own: that fact, zeroed or read before, when the node is
 * packed; else NULL.
 */
int inode_digest(struct checker *c, struct nid_fact *fact, const uint8_t *block, uint32_t judged,
		 struct inode_fact *own, struct inode_fact **inode);

#endif
