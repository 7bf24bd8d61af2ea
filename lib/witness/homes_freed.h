/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on slots that are marked as free.
 */
#ifndef F2FSKIT_WITNESS_HOMES_FREED_H
#define F2FSKIT_WITNESS_HOMES_FREED_H

#include "witness/homes.h"

/* Slots marked as free that name an inode which lacks a name. */
struct freed_entry {
	f2fs_nid_t ino;
	f2fs_blk_t addr;
	uint32_t item; /* index in dir_addrs */
	uint16_t slot;
	bool is_part;  /* further slots of the name are marked as taken */
	bool is_own;   /* it has the name that the inode remembers */
	bool is_only;  /* believed only if it is the one name that the inode lacks */
};

/* Note a slot that is marked as free, but names an inode which lacks a name. */
int freed_note_slot(struct homes *h, uint32_t slot);
/* Take back slots of each inode, when as many of them are as likely as it lacks names. */
int freed_vote(struct homes *h);

#endif
