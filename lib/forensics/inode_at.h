/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open an inode at a block address.
 */
#ifndef F2FSKIT_FORENSICS_INODE_AT_H
#define F2FSKIT_FORENSICS_INODE_AT_H

#include "forensics/fate.h"

int past_open_inode(struct f2fs_volume *vol, struct f2fs_past *past, f2fs_blk_t addr, unsigned flags,
		    struct f2fs_inode **out);
/* Open an inode of a view. */
int past_open_as_of(struct f2fs_past *past, f2fs_nid_t ino, struct f2fs_inode **out);
/* The time of an inode opened here, and its search; counts of nodes so far go to counts. */
struct f2fs_past *past_of(const struct f2fs_inode *inode, const struct past_time **time);
/* The judgement of one block, by an inode opened here. */
int past_judge(struct f2fs_inode *inode, f2fs_nid_t nid, uint32_t ofs_in_node, f2fs_blk_t addr, enum fate *out);
/* Does the file have a digest, and what does it say about the contents, with blank blocks as they read? */
enum digest { DIGEST_UNASKED, DIGEST_NONE, DIGEST_RIGHT, DIGEST_WRONG };
/* Asks once for each inode that was opened here. Fails with NOMEM, CANCELED. */
int past_digest(const struct f2fs_inode *inode, enum digest *out);
/* Let loads of nodes count into this, NULL: into nothing. */
void past_count_into(struct f2fs_inode *inode, struct f2fs_remains *counts);

#endif
