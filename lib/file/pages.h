/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blocks of files that wait in memory, as those who keep and write them see them: page_store.c, pages.c, pages_flush.c.
 */
#ifndef F2FSKIT_FILE_PAGES_H
#define F2FSKIT_FILE_PAGES_H

#include "file/write.h"

/* Waiting blocks of one file. */
struct file_pages {
	f2fs_nid_t ino;
	struct map32 blocks; /* file block -> uint8_t * */
};
/*
 * page_store.c: memory for a block, not initialized, and one byte after it (0): the rounds that it waits. Freed pages
 * are kept for the next ones of the transaction, of which no more wait than change_trim() allows. NULL: no memory.
 */
uint8_t *page_new(struct txn *txn);
void page_free(struct txn *txn, uint8_t *page);
/* The waiting blocks of a file, NULL for none. */
struct file_pages *file_pages_find(const struct txn *txn, f2fs_nid_t ino);
/* The same; begins with none. */
int file_pages_need(struct txn *txn, f2fs_nid_t ino, struct file_pages **out);

/* data_append.c: write count blocks of contents from file_block on, whose slots follow each other from one on. */
int data_append_run(struct winode *w, struct slot_ref *slot, uint64_t file_block, const uint8_t *data, uint32_t count);
#endif
