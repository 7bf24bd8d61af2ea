/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the name that an inode remembers, and find its directory.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_OWN_H
#define F2FSKIT_WITNESS_WITNESS_OWN_H

#include "facts/run.h"
#include "format/dentry.h"

/* A name that an inode remembers, or that an entry should have. */
struct own_name {
	uint8_t bytes[NAME_MAX_BYTES];
	uint32_t length;
};
/* The name that an inode remembers in a directory; false: none. */
bool witness_own_name(struct checker *c, const struct inode_fact *dir, f2fs_nid_t ino, struct own_name *out);
/* Does the inode remember the name of an entry of this directory? */
bool witness_is_own_name(struct checker *c, const struct inode_fact *dir, f2fs_nid_t ino, const struct dentry_ref *ref);
/* Find the directory that an inode remembers, if the inode can return there. NULL: it cannot. Needs INODE_REACHED. */
const struct inode_fact *witness_home(const struct checker *c, const struct inode_fact *inode);
/* May a directory contain an inode? Linux opens no files in an encrypted directory that have another policy. */
bool witness_may_contain(const struct inode_fact *dir, const struct inode_fact *inode);

#endif
