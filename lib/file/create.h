/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make an inode: its first contents.
 */
#ifndef F2FSKIT_FILE_CREATE_H
#define F2FSKIT_FILE_CREATE_H

#include "file/write.h"

struct inode_spec {
	uint16_t mode;
	uint32_t uid, gid;
	uint32_t rdev_major, rdev_minor;
	struct f2fs_time atime, mtime, ctime, crtime;
};

/* Make an inode for a name in a directory; the entry itself is dir_insert()'s affair. */
int inode_make(struct winode *parent, const char *name, size_t len, const struct inode_spec *spec, struct winode *out);

/* acl_inherit.c: the part of the directory's default ACL that a new inode inherits */
struct acl_heritage {
	struct acl_entry *entries; /* NULL: there is no default ACL */
	size_t count;
};
/* Read it, before anything is changed; mode has the type of the new inode. CORRUPT when it is no ACL. */
int acl_heritage_load(struct f2fs_inode *dir, const struct winode *parent, uint16_t mode, struct acl_heritage *out);
/* Give it to a new inode whose permissions are those asked for; the entries are changed by that. */
int acl_heritage_give(struct acl_heritage *h, struct winode *w);
void acl_heritage_drop(const struct f2fs_volume *vol, struct acl_heritage *h);

/* Fill a new inode that no directory names. */
int inode_fill_hidden(struct winode *w, const struct inode_spec *spec);
/* Make an empty root directory for a volume that lost its own. */
int inode_make_root(struct txn *txn);

#endif
