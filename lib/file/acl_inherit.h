/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Give a new inode its part of the directory's default ACL.
 */
#ifndef F2FSKIT_FILE_ACL_INHERIT_H
#define F2FSKIT_FILE_ACL_INHERIT_H

#include "file/object.h"
#include "file/winode.h"

struct acl_entry;

struct acl_heritage {
	struct acl_entry *entries; /* NULL: there is no default ACL */
	size_t count;
};
/* Read it, before anything is changed; mode has the type of the new inode. CORRUPT when it is no ACL. */
int acl_heritage_load(struct f2fs_inode *dir, const struct winode *parent, uint16_t mode, struct acl_heritage *out);
/* Give it to a new inode whose permissions are those asked for; the entries are changed by that. */
int acl_heritage_give(struct acl_heritage *h, struct winode *w);
void acl_heritage_drop(const struct f2fs_volume *vol, struct acl_heritage *h);

#endif
