/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find older copies of nodes in blocks that are free again.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_OLDER_H
#define F2FSKIT_WITNESS_WITNESS_OLDER_H

#include "facts/run.h"

/* The newest older copy of a node. */
struct older_copy {
	f2fs_nid_t ino;	 /* the owner: the node itself, or the inode whose attributes it has */
	f2fs_blk_t addr; /* 0: none was found */
	uint32_t cp_ver;
};

struct older_copies {
	struct map32 index; /* nid -> index in found */
	struct vec found;   /* struct older_copy */
};

void older_copies_init(struct older_copies *o, struct f2fs_context *ctx);
void older_copies_fini(struct older_copies *o);
/* Ask for copies of an inode (ino: nid), or of a node of attributes of the inode ino. */
int older_copies_want(struct older_copies *o, f2fs_nid_t nid, f2fs_nid_t ino);
/*
 * Look through the free blocks of the segments in use that hold nodes, up to the write pointers of zones. Each block is
 * read once.
 */
int older_copies_find(struct checker *c, struct older_copies *o);
/* Return where the copy of a node is; 0: there is none. */
f2fs_blk_t older_copies_at(const struct older_copies *o, f2fs_nid_t nid);

#endif
