/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read extended attributes.
 */
#ifndef F2FSKIT_FILE_XATTR_READ_H
#define F2FSKIT_FILE_XATTR_READ_H

#include "file/object.h"

/* The same as the public functions of these names, without forgetting the last error. */
int xattr_count(struct f2fs_inode *inode);
int xattr_at(struct f2fs_inode *inode, unsigned index, struct f2fs_xattr *out);
int xattr_get(struct f2fs_inode *inode, const char *name, struct f2fs_xattr *out);
/* Load the attributes once; the set is freed with the inode. */
int xattr_load(struct f2fs_inode *inode);
/* Find a stored attribute by index and stored name ("" for none); NO_ATTR when absent. */
int xattr_find_stored(struct f2fs_inode *inode, unsigned index, const char *name, const uint8_t **value, size_t *size);

#endif
