/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change the inode of a file.
 */
#ifndef F2FSKIT_FILE_WINODE_H
#define F2FSKIT_FILE_WINODE_H

#include "file/run.h"
#include "format/inode.h"
#include "log/run.h"

/* An inode being changed: the transaction's node, and how its block is divided now. */
struct winode {
	struct txn *txn;
	struct node *node;
	struct inode_layout layout;
};

/* Point at an inode in the running transaction. */
int winode_get(struct f2fs_volume *vol, f2fs_nid_t ino, struct winode *out);
/*
 * Get a node of the file, by its id and its place in the tree (FORMAT files 1.4). CORRUPT: it is a node of another file
 * or place, and a change would be one of something else.
 */
int winode_node(struct winode *w, f2fs_nid_t nid, uint32_t node_offset, struct node **out);
/* Free such a node, and count it. */
int winode_free_node(struct winode *w, f2fs_nid_t nid, uint32_t node_offset);
/* Divide i_addr again after flags have changed, and say that the inode changed. */
void winode_touch(struct winode *w);
/* Change i_blocks by that many blocks. */
int winode_count(struct winode *w, int64_t blocks);
/* Set the change time, and with STAMP_MTIME the modification time, when the volume has a time and the rules of the
 * change allow it. */
enum stamp { STAMP_CTIME, STAMP_MTIME };
void winode_stamp(struct winode *w, enum stamp which);
/* Is a slot's block one that the last checkpoint has? */
int block_is_old(struct txn *txn, f2fs_blk_t addr, bool *is_old);
static inline uint8_t *winode_block(const struct winode *w)
{
	return w->node->block;
}

/* When contents of a file are written in place, enum f2fs_in_place: as the options say, but never during an atomic
 * write. */
static inline uint8_t winode_in_place(const struct winode *w)
{
	return w->txn->file->elsewhere == w->node->nid ? F2FS_IN_PLACE_NEVER : w->txn->vol->write.in_place;
}
static inline bool winode_is_inline(const struct winode *w)
{
	return inode_has_inline(winode_block(w), FLAG_i_inline_inline_data);
}

static inline bool winode_is_dir(const struct winode *w)
{
	return (inode_i_mode(winode_block(w)) & MODE_TYPE) == MODE_DIR;
}

#endif
