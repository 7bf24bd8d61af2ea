/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answer with the value or the names of extended attributes.
 */
#ifndef F2FSKIT_FUSE_SERVE_XATTRS_H
#define F2FSKIT_FUSE_SERVE_XATTRS_H

#include "fuse/mount.h"

/* Answer with a value that is `length` long, or with its length if there is no room; an errno fails the request. */
void xattr_reply(fuse_req_t req, int code, const char *value, size_t length, size_t room);
/* Add up the lengths of the names in *length; copy them while there is room. An error of the library. */
int xattr_names(struct f2fs_inode *inode, int is_root, char *out, size_t room, size_t *length);

#endif
