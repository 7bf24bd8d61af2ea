/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the name that an inode remembers.
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

#endif
