/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the wanted attributes of an inode.
 */
#ifndef F2FSKIT_SINK_XATTR_H
#define F2FSKIT_SINK_XATTR_H

#include "sink/sink.h"

/* Are there attributes at all? Cheap: no false no. */
bool sink_has_xattrs(const struct f2fs_inode *inode);
/*
 * Find the next wanted attribute of an inode. Advances *index. Returns F2FS_ERR_NO_ATTR (not recorded) after the last.
 * *bit is the enum f2fs_keep bit of its class.
 */
int sink_xattr_next(struct sink *sink, struct f2fs_inode *inode, unsigned *index, struct f2fs_xattr *out,
		    unsigned *bit);

#endif
