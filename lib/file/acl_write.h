/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Set access control lists.
 */
#ifndef F2FSKIT_FILE_ACL_WRITE_H
#define F2FSKIT_FILE_ACL_WRITE_H

#include "file/object.h"
#include "file/winode.h"

/* Set an ACL in its system call form, and with an access ACL the permissions. */
int acl_set(struct f2fs_inode *inode, unsigned index, const uint8_t *value, size_t size);
/* Before permissions are set: the access ACL, if there is one, says the same. */
int acl_follow_mode(struct f2fs_inode *inode, struct winode *w, uint16_t mode);

#endif
