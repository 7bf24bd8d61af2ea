/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The facts of nodes and inodes: find, walk, change, and pack them.
 */
#ifndef F2FSKIT_FACTS_FACT_SLOTS_H
#define F2FSKIT_FACTS_FACT_SLOTS_H

#include "facts/facts.h"

/* Add a node id in use that is not read yet. */
int facts_add_nid(struct facts *f, const struct nid_fact *fact);
/* Make the index of node ids, once all are added. */
int facts_index_nids(struct facts *f);
static inline size_t facts_nid_count(const struct facts *f)
{
	return f->slots.count;
}

/*
 * Find a node id; NULL when the NAT does not have it in use. The result is in room if the node is packed, and a copy
 * then. The macro gives it room until the end of the enclosing block.
 */
const struct nid_fact *facts_find_nid(const struct facts *f, f2fs_nid_t nid, struct nid_fact *room);
#define facts_nid(f, number) facts_find_nid(f, number, &(struct nid_fact){ .nid = 0 })
/* Has the NAT this node id in use? */
bool facts_has_nid(const struct facts *f, f2fs_nid_t nid);
/* Set the seal of a node that was read; false: it was not. */
bool facts_seal(const struct facts *f, f2fs_nid_t nid, uint32_t *seal);
/* Find the inode of this number; NULL when there is none. Room is as above. */
const struct inode_fact *facts_find_inode(const struct facts *f, f2fs_nid_t ino, struct inode_fact *room);
#define facts_inode(f, number) facts_find_inode(f, number, &(struct inode_fact){ .ino = 0 })
/* Return the inode of a node that has one. Room is as above. */
const struct inode_fact *facts_find_owner(const struct facts *f, const struct nid_fact *fact, struct inode_fact *room);
#define facts_owner(f, fact) facts_find_owner(f, fact, &(struct inode_fact){ .ino = 0 })
/* Find the directory of this number, which is always whole; NULL when there is none. */
struct inode_fact *facts_dir(const struct facts *f, f2fs_nid_t ino);

/* Find a node or an inode and make it whole, to change it. NULL when there is none or memory is short. */
struct nid_fact *facts_edit_nid(struct facts *f, f2fs_nid_t nid);
struct inode_fact *facts_edit_inode(struct facts *f, f2fs_nid_t ino);

/* Return a whole inode by its index: the first ones in the order in which they were found. */
static inline struct inode_fact *facts_inode_at(const struct facts *f, uint32_t index)
{
	return chunks_at(&f->inodes, index);
}
static inline uint32_t facts_whole_count(const struct facts *f)
{
	return (uint32_t)f->inodes.count;
}
/* All inodes, in the order in which they were found: the one at i. Room is as above. */
static inline uint32_t facts_inode_count(const struct facts *f)
{
	return (uint32_t)f->found.count;
}
static inline f2fs_nid_t facts_ino_nth(const struct facts *f, uint32_t i)
{
	return *(const f2fs_nid_t *)vec_at(&f->found, i);
}
#define facts_inode_nth(f, i) facts_inode(f, facts_ino_nth(f, i))

/* A walk over all node ids, ascending. */
struct facts_walk {
	size_t next;	  /* index of the slot after the present one, unless only whole nodes are visited */
	size_t page;	  /* pages entered, */
	unsigned word;	  /* words of the last one entered, */
	uint64_t bits;	  /* and the rest of the last word, */
	f2fs_nid_t first; /* which begins with this id */
	f2fs_nid_t nid;	  /* the present id */
	struct nid_fact room;
};

/* Return the next node id of a walk that began with zeros; NULL at the end. Valid until the next call. */
const struct nid_fact *facts_next(const struct facts *f, struct facts_walk *walk);
/* The same, without plain inodes, and those to change in their place. */
struct nid_fact *facts_next_whole(const struct facts *f, struct facts_walk *walk);

/* Room for what is known about a node while its block is read. */
struct node_room {
	struct nid_slot *slot;
	struct nid_fact fact;
	struct inode_fact inode;
};

/* Return the fact of a node that is about to be read: in room when it is packed. NULL: none. */
struct nid_fact *facts_open(struct facts *f, f2fs_nid_t nid, struct node_room *room);
/* Add the inode of a whole node, zeroed. */
struct inode_fact *facts_add_inode(struct facts *f, struct nid_fact *fact);
/* Keep an inode that was read into room: packed when it is plain and not to be whole. */
int facts_close(struct facts *f, const struct node_room *room, bool be_whole);
/* Mark all inodes as kept. */
void facts_keep_inodes(struct facts *f);

/* Take an entry that names an inode for the first time. Returns false, and does nothing, if the inode is not plain. */
bool facts_name_plain(struct facts *f, f2fs_nid_t ino, unsigned type, f2fs_nid_t dir, f2fs_blk_t block, uint32_t slot);
/* Is an inode plain, and does a directory name it? */
bool facts_has_its_name(const struct facts *f, f2fs_nid_t ino);
/* Return the class of a plain inode, and its blocks; NULL: it is not plain. */
const struct inode_class *facts_class_of(const struct facts *f, f2fs_nid_t ino, uint64_t *blocks);
/* Add the numbers of plain inodes of each type (enum f2fs_file_type). */
void facts_count_plain(const struct facts *f, uint64_t *counts);

#endif
