/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the entries of directories.
 */
#ifndef F2FSKIT_FILE_DIR_READ_H
#define F2FSKIT_FILE_DIR_READ_H

#include "file/object.h"
#include "format/dentry.h"

struct f2fs_dir;

/* Fail with NOT_DIR for an inode that is no directory. */
int dir_need(const struct f2fs_inode *inode);
/* Point at a dentry block through the cache; *out is NULL for a hole, *span the blocks that this, or the error, holds
 * for. */
int dir_peek_block(struct f2fs_inode *inode, uint64_t index, const uint8_t **out, uint64_t *span);
/* Fill the public entry; the name as presented. */
int dir_present(struct f2fs_inode *inode, uint64_t block, const struct dentry_ref *ref, struct f2fs_dirent *out);
/* Fail with NOT_EMPTY when a directory has entries besides the dots. */
int dir_need_empty(struct f2fs_volume *vol, f2fs_nid_t ino);
/* The next entry of a directory as it is stored, and its file block. NOT_FOUND at the end; CORRUPT: it was stepped
 * over. */
int dir_next_stored(struct f2fs_dir *dir, struct dentry_ref *ref, uint64_t *block);

/* Where a reader is in its directory. */
struct dir_place {
	uint64_t block, next_block;
	uint32_t slot;
	bool is_inside; /* of that block, or of the inode */
};
void dir_tell(const struct f2fs_dir *dir, struct dir_place *out);
/* Go to where another reader of the directory was. */
int dir_seek(struct f2fs_dir *dir, const struct dir_place *to);
/* Let a reader count the blocks that it loads where others count, too: all together load no more than there are. */
void dir_count_into(struct f2fs_dir *dir, uint64_t *loaded);
/* Nothing proves keys of version 1, so one is tried on the names of the first directories that it is for: one that
 * makes no sense of any is as good as none from then on, and noted. */
int dir_try_key(struct f2fs_inode *inode);
/* f2fs_dir_open() and f2fs_dir_next() without forgetting the last error. */
int dir_open(struct f2fs_inode *inode, struct f2fs_dir **out);
int dir_next(struct f2fs_dir *dir, struct f2fs_dirent *out);

#endif
