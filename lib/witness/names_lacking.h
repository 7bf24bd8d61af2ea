/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How many names an inode lacks, by i_links.
 */
#ifndef F2FSKIT_WITNESS_NAMES_LACKING_H
#define F2FSKIT_WITNESS_NAMES_LACKING_H

#include "facts/run.h"

/* Should an inode have names that are counted? */
static inline bool names_are_due(const struct checker *c, const struct inode_fact *inode)
{
	return inode && inode->ino != c->geo->root_ino && inode->links != 0 &&
	       !(inode->state & (INODE_ORPHAN | INODE_HIDDEN | INODE_GUESSED));
}

/* Count the names that it should have in addition to those found, and to those that a vote gave it. */
static inline uint32_t names_lacking(const struct checker *c, const struct inode_fact *inode, uint32_t given)
{
	uint32_t due;

	if (!names_are_due(c, inode))
		return 0;
	due = inode->type == F2FS_TYPE_DIRECTORY ? 1 : inode->links;
	return due > inode->links_found + given ? due - inode->links_found - given : 0;
}

#endif
