/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make an inode: its first contents.
 */
#ifndef F2FSKIT_FILE_INODE_NEW_H
#define F2FSKIT_FILE_INODE_NEW_H

#include "file/write.h"

struct stored_name;
struct winode;

struct inode_spec {
	uint16_t mode;
	uint32_t uid, gid;
	uint32_t rdev_major, rdev_minor;
	struct f2fs_time atime, mtime, ctime, crtime;
};

/* Make an inode for a name in a directory, or for none (NULL). dir_insert() adds the entry. */
int inode_make(struct winode *parent, const struct stored_name *name, const struct inode_spec *spec,
	       struct winode *out);

/* Fill a new inode that no directory names. */
int inode_fill_hidden(struct winode *w, const struct inode_spec *spec);
/* Make an empty root directory for a volume that lost its own. */
int inode_make_root(struct txn *txn);

#endif
