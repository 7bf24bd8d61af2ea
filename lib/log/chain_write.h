/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write nodes of the fsync chain.
 */
#ifndef F2FSKIT_LOG_CHAIN_WRITE_H
#define F2FSKIT_LOG_CHAIN_WRITE_H

#include "log/run.h"

/*
 * Write nodes of one file, a list of nodes_detach(), so that a recovery takes all of them or none; durable on return.
 * The last one carries the mark; with_name: its dentry mark too.
 */
int chain_write(struct txn *txn, f2fs_nid_t ino, struct node *list, bool with_name);

#endif
