/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make the files of a new volume.
 */
#ifndef F2FSKIT_MKFS_TREE_H
#define F2FSKIT_MKFS_TREE_H

#include "mkfs/run.h"

/* Make the nodes and blocks that a new volume has. */
int mkfs_build_tree(struct mkfs *m);
/* Write the appended blocks, each log in one go. */
int mkfs_write_logs(struct mkfs *m);

#endif
