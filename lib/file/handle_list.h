/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The open handles of a volume, found by inode number. The cost of each call is that of the handles of one inode, but
 * for handles_settle().
 */
#ifndef F2FSKIT_FILE_HANDLE_LIST_H
#define F2FSKIT_FILE_HANDLE_LIST_H

#include "file/object.h"

struct txn;

/* List a handle with its volume. Fails with NOMEM. */
int handles_add(struct f2fs_inode *inode);
/* Take a handle off the list, if it is listed. */
void handles_remove(struct f2fs_inode *inode);
/* Does the inode have an open handle that the running transaction has not freed? */
bool inode_is_open(const struct f2fs_volume *vol, f2fs_nid_t ino);
/* The running transaction frees an inode. Its handles are of no use unless that is rolled back. */
void handles_freed(struct f2fs_volume *vol, f2fs_nid_t ino);
/* A transaction ends, committed or rolled back. Handles of inodes that no longer exist die. */
void handles_settle(const struct txn *txn);

#endif
