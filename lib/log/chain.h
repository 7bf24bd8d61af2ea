/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep the state of the fsync chain in a transaction.
 */
#ifndef F2FSKIT_LOG_CHAIN_H
#define F2FSKIT_LOG_CHAIN_H

#include "log/run.h"

#define NODE_MARK_COLD 1u /* of all but directories */
#define NODE_MARK_FSYNC 2u
#define NODE_MARK_DENTRY 4u
void chain_begin(struct txn *txn);
/* Remember something of an inode until the commit: bits of enum chain_bit. */
int chain_note(struct txn *txn, f2fs_nid_t ino, unsigned bits);
unsigned chain_bits(const struct txn *txn, f2fs_nid_t ino);
/* Forget such bits. */
void chain_unnote(struct txn *txn, f2fs_nid_t ino, unsigned bits);
/* The block that recovery starts an inode from: the checkpoint's, or the one with a dentry mark; F2FS_NULL_ADDR: none.
 */
int chain_base(struct txn *txn, f2fs_nid_t ino, f2fs_blk_t *addr);
/* Set that block, after room for it was made, so that setting it cannot fail. */
int chain_reserve_base(struct txn *txn, f2fs_nid_t ino);
void chain_set_base(struct txn *txn, f2fs_nid_t ino, f2fs_blk_t addr);
/* Can a recovery find room for the blocks taken, and does the chain leave most of the free segments usable? */
bool chain_has_room(const struct txn *txn);
/* A node was put into the log of the chain. */
void chain_follow(struct txn *txn, f2fs_blk_t addr, f2fs_blk_t next);

#endif
