/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count, release and reserve the blocks that compression saves.
 */
#ifndef F2FSKIT_FILE_CLUSTER_SAVED_H
#define F2FSKIT_FILE_CLUSTER_SAVED_H

#include "file/winode.h"

/* Change i_compr_blocks, which never goes below zero. */
void cluster_count_saved(struct winode *w, int64_t change);
/*
 * Release or reserve the blocks that one compressed cluster saves; *change grows by how many the file has less or more.
 * Counted are all slots of a compressed cluster, and of a released one only those with a block.
 */
int cluster_convert(struct winode *w, uint64_t first, bool reserve, uint64_t *change);

#endif
