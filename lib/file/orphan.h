/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep inodes that have lost their last name while they are open.
 */
#ifndef F2FSKIT_FILE_ORPHAN_H
#define F2FSKIT_FILE_ORPHAN_H

#include "file/winode.h"

/* Fail with NOSPC when a commit could not list one more. */
int orphans_need_room(const struct txn *txn);
/* Keep an inode without a name until its last handle is closed. */
int orphan_make(struct winode *w);
/* Was the inode made without a name, and has it had none since? */
bool orphan_is_unnamed(const struct winode *w);
/* An inode without a name gets one. */
void orphan_end(struct winode *w);
/* Free those whose last handle was closed. */
int orphans_free(struct txn *txn);

#endif
