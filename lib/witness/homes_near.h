/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on entries of inodes that have too many names.
 */
#ifndef F2FSKIT_WITNESS_HOMES_NEAR_H
#define F2FSKIT_WITNESS_HOMES_NEAR_H

#include "witness/homes.h"

/* An entry of one of several names of an inode that has too many. Another inode lacks one, and its number is near. */
struct near_entry {
	f2fs_nid_t ino;
	uint32_t item; /* index in dir_addrs */
	uint32_t slot;
	f2fs_nid_t dir;
	uint32_t hash;	   /* of the name */
	uint16_t name_len;
	bool may_be_wrong; /* not the name that the inode remembers */
	bool is_odd;	   /* that, and its name, hash, place or type is wrong, too */
};

/* Find the one inode that lacks a name and whose number differs from the entry's in one bit. NULL: none, or several. */
const struct inode_fact *near_find(const struct homes *h, const struct dentry_ref *ref, struct inode_fact *room);
/* Has the inode of an entry more names than i_links, of which this may be the wrong one? */
bool near_has_many(const struct homes *h, const struct dentry_ref *ref);
/* Note an entry of such an inode. is_own: it has the name that the inode remembers. */
int near_note(struct homes *h, const struct dentry_ref *ref, bool is_own);
/* Let noted entries name the inodes that are near, and forget them. */
int near_vote(struct homes *h);

#endif
