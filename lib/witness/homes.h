/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state of the vote on names, and what its parts share.
 */
#ifndef F2FSKIT_WITNESS_HOMES_H
#define F2FSKIT_WITNESS_HOMES_H

#include "facts/run.h"
#include "format/dentry.h"

struct homes {
	struct checker *c;
	struct vec lost;     /* struct homeless, in order of compare_lost() */
	struct vec freed;    /* struct freed_entry */
	struct vec near;     /* struct near_entry */
	struct map32 given;  /* ino -> names that the vote gave it */
	bool is_by_name;     /* only names that inodes remember count */
	const struct inode_fact *dir; /* whose block is looked through: */
	f2fs_blk_t addr;
	uint32_t item;
	struct dentry_area area;
};

/* Count the names that an inode should have in addition to those found and given. */
uint32_t homes_lacking(const struct homes *h, const struct inode_fact *inode);
/* Count a name that the vote gave to an inode. */
int homes_give(struct homes *h, f2fs_nid_t ino);
/* A finding about an entry of the block that is looked through. */
struct finding homes_about_entry(const struct homes *h, enum problem problem, uint32_t slot, uint64_t found,
				 uint64_t expected, unsigned witnesses);
/* Are name, hash and place of an entry right? */
bool homes_is_right(const struct homes *h, const struct dentry_ref *ref);
/* Look through another block: item is its index in dir_addrs. */
int homes_look_at(struct homes *h, uint32_t item, bool *is_read);
/* Let the entry in a slot name another inode, and take the type of that. */
int homes_amend_ino(struct homes *h, uint32_t slot, f2fs_nid_t found, const struct inode_fact *inode,
		    unsigned witnesses);

#endif
