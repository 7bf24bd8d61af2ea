/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the places of nodes in the trees of inodes.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_TREE_H
#define F2FSKIT_WITNESS_WITNESS_TREE_H

#include "facts/run.h"

/* A node that the passes would drop: its place according to its footer. */
struct loose_node {
	f2fs_nid_t ino, nid;
	uint32_t offset;
};
/* Order them by inode and offset. */
int loose_compare_places(const void *a, const void *b);

/* Where a node of an offset hangs in the tree of an inode. */
enum place_state {
	PLACE_NONE,  /* there is no such place, or the way to it is broken */
	PLACE_TAKEN, /* by a node that belongs there */
	PLACE_FREE   /* the pointer is zero, or leads to something that does not belong there */
};
struct tree_place {
	enum place_state state;
	f2fs_nid_t parent; /* node with the pointer */
	f2fs_blk_t addr;   /* its block */
	uint32_t slot;	   /* of the pointer, as findings have it */
	uint32_t byte;	   /* in the block */
	f2fs_nid_t value;  /* its value */
};
int tree_find_place(struct checker *c, f2fs_nid_t ino, uint32_t offset, struct tree_place *out);
/*
 * Find the offsets of the indirect nodes that are missing between an inode and a node of this offset, the uppermost
 * first. None if the uppermost one is lost, but a pointer still leads to it.
 */
#define TREE_MOST_GAPS 2
int tree_find_gaps(struct checker *c, f2fs_nid_t ino, uint32_t offset, uint32_t gaps[TREE_MOST_GAPS], unsigned *count);
/* Return the offset of the node that points to the node of this offset (0: the inode), and the slot of the pointer. */
uint32_t tree_parent_of(const struct f2fs_geometry *geo, uint32_t offset, uint32_t *slot);
/* Put the pointer to a loose node back, when its block is its own by the tables and its place is free. */
int tree_hang(struct checker *c, const struct loose_node *loose);
/* Give loose nodes, sorted by ino and offset, back to their files. */
int tree_hang_loose(struct checker *c, const struct vec *loose);
/* Is the node part of its inode's tree, in its place, according to its parent? */
bool node_hangs(const struct checker *c, const struct nid_fact *fact);
/* Is it a lost node to which one pointer leads, from a node of the same inode? Needs the further parents sorted. */
bool node_is_lost_in_place(const struct checker *c, const struct nid_fact *fact);
/* Is it in its place by one of the further pointers that lead to it? */
bool node_hangs_further(const struct checker *c, const struct nid_fact *fact);

#endif
