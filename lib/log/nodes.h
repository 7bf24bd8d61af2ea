/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep the nodes of a transaction in memory while they change, and write them.
 */
#ifndef F2FSKIT_LOG_NODES_H
#define F2FSKIT_LOG_NODES_H

#include "log/run.h"

/* Get a node for reading or changing; the pointer stays valid until nodes_trim(). */
int node_get(struct txn *txn, f2fs_nid_t nid, struct node **out);
/* Make a node: allocates a node id (ino 0: an inode, which owns itself), counts it, fills the footer. */
int node_new(struct txn *txn, f2fs_nid_t ino, uint32_t node_offset, bool is_directory, struct node **out);
/* The same for an inode whose number is given and free. */
int node_new_at(struct txn *txn, f2fs_nid_t ino, struct node **out);
/* Say that a node was changed; before or after the change. */
void node_dirty(struct txn *txn, struct node *node);
/* Free a node: its id and its block. */
int node_free(struct txn *txn, f2fs_nid_t nid);
/* Give a node a block and its final footer, mark bits (FORMAT files 1.1) included; the caller writes it. */
int node_place(struct txn *txn, struct node *node, uint32_t marks, f2fs_blk_t *addr);
/* Write all dirty nodes to their logs. */
int nodes_flush(struct txn *txn);
/* Take the dirty direct nodes of a file, xattr node and inode too, off the list of dirty nodes, as a list of their
 * own, oldest first. */
struct node *nodes_detach(struct txn *txn, f2fs_nid_t ino);
/* Put a list back: its nodes are dirty. */
void nodes_attach(struct txn *txn, struct node *list);
#define NODES_IN_MEMORY 8192u /* 32 MiB at 4 KiB blocks */
/* Between operations: keep memory bounded by writing and dropping nodes when there are more than that. */
int nodes_trim(struct txn *txn);
void nodes_end(struct txn *txn);

#endif
