/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep blocks of files that were changed and wait to be written.
 */
#ifndef F2FSKIT_FILE_PAGE_STORE_H
#define F2FSKIT_FILE_PAGE_STORE_H

#include "file/object.h"
#include "log/run.h"

/* Find a waiting block; NULL when there is none. */
const uint8_t *page_find(const struct f2fs_volume *vol, f2fs_nid_t ino, uint64_t file_block);
/* The same for readers of a handle: an inode as it once was has none. */
static inline const uint8_t *inode_page(const struct f2fs_inode *inode, uint64_t file_block)
{
	return inode->is_past ? NULL : page_find(inode->vol, inode->ino, file_block);
}
/* Does a file have any? */
bool pages_exist(const struct f2fs_volume *vol, f2fs_nid_t ino);
/* How many blocks from file_block on, of at most count, do not wait? */
uint64_t pages_gap(const struct f2fs_volume *vol, f2fs_nid_t ino, uint64_t file_block, uint64_t count);
/* Forget waiting blocks from first on, or of a range. */
void pages_forget(struct txn *txn, f2fs_nid_t ino, uint64_t first);
void pages_forget_range(struct txn *txn, f2fs_nid_t ino, uint64_t first, uint64_t count);
/* Keep a dirty page for `level` more rounds. */
void page_delay(struct txn *txn, uint8_t *page, unsigned level);
/* Forget all waiting blocks; their memory is kept for the next ones. */
void pages_forget_all(struct txn *txn);
/* The same at the end of a transaction: the memory goes, too. */
void pages_drop(struct txn *txn);

/* Waiting blocks of one file. */
struct file_pages {
	f2fs_nid_t ino;
	struct map32 blocks; /* file block -> uint8_t * */
};
/*
 * Memory for a block, not initialized, and one byte after it (0): the rounds that it waits. Freed pages are kept for
 * the next ones of the transaction, of which no more wait than change_trim() allows. NULL: no memory.
 */
uint8_t *page_new(struct txn *txn);
void page_free(struct txn *txn, uint8_t *page);
/* The waiting blocks of a file, NULL for none. */
struct file_pages *file_pages_find(const struct txn *txn, f2fs_nid_t ino);
/* The same; begins with none. */
int file_pages_need(struct txn *txn, f2fs_nid_t ino, struct file_pages **out);

#endif
