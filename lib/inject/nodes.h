/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find nodes, and fields in them or in blocks of files.
 */
#ifndef F2FSKIT_INJECT_NODES_H
#define F2FSKIT_INJECT_NODES_H

#include "inject/run.h"

int place_inode(struct f2fs_inject *inject, const struct address *address, struct place *out);
int place_node_at(struct f2fs_inject *inject, const struct address *address, struct place *out);
int place_dentry(struct f2fs_inject *inject, const struct address *address, struct place *out);
int place_xattr(struct f2fs_inject *inject, const struct address *address, struct place *out);
int place_file(struct f2fs_inject *inject, const struct address *address, struct place *out);

#endif
