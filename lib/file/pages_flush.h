/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write the blocks of files that wait.
 */
#ifndef F2FSKIT_FILE_PAGES_FLUSH_H
#define F2FSKIT_FILE_PAGES_FLUSH_H

#include "file/winode.h"

/* Write one file's waiting blocks. */
int pages_flush_file(struct txn *txn, f2fs_nid_t ino);
/* At the end of a change: blocks of a pinned file do not wait, as their place is known. */
int pages_flush_pinned(struct winode *w);
/* Write all waiting blocks to their logs. */
int pages_flush(struct txn *txn);
/* End rounds until at most half of `most` pages wait: write the due ones. */
int pages_end_rounds(struct txn *txn, size_t most);

#endif
