/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write files that are compressed.
 */
#ifndef F2FSKIT_FILE_CLUSTER_WRITE_H
#define F2FSKIT_FILE_CLUSTER_WRITE_H

#include "file/object.h"
#include "file/winode.h"

/*
 * Make the cluster of a file block ordinary: contents of a compressed one wait as pages then, and its slots are
 * reserved. Nothing happens in a file that is not compressed. Before slots of a file are changed in any way but whole
 * clusters.
 */
int cluster_open(struct f2fs_inode *inode, struct winode *w, uint64_t file_block);
/* Write bytes of a compressed file. */
int clusters_write(struct f2fs_inode *inode, struct winode *w, uint64_t offset, const uint8_t *data, size_t length);
/* Store a cluster all of whose blocks wait, if compressing saves something. */
int cluster_flush(struct winode *w, uint64_t first, bool *stored);
/* Count a compressed cluster out whose slots are about to be freed; false: its head is not counted as a block. */
bool cluster_forget(struct winode *w, const uint8_t *slots);
void clusters_drop(struct txn *txn);

#endif
