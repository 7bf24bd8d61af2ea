/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair directory entries.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_DIRS_H
#define F2FSKIT_REPAIR_REPAIR_DIRS_H

#include "repair/repair.h"

/* An entry on its way to a place. */
struct wanderer {
	f2fs_nid_t dir, ino;
	uint32_t hash;
	uint8_t type, length;
	uint8_t name[NAME_MAX_BYTES];
};

/* A step of a round (repair.h). */
int repair_dirs(struct repair *r);
/* Write the blocks of directories that witnesses amended, and index all blocks of directories. */
int repair_amended_dirs(struct repair *r);

/* Give an inode a name in a directory; another one when it is taken. */
int repair_insert(struct repair *r, f2fs_nid_t dir, const uint8_t *name, uint32_t length, f2fs_nid_t ino,
		  unsigned type);
/* Insert an entry whose name is ciphertext, as it is stored. false in *is_done: the name is taken or too short. */
int repair_insert_cipher(struct repair *r, const struct wanderer *entry, bool *is_done);
/* Set ".." of a directory. */
int repair_set_dotdot(struct repair *r, f2fs_nid_t dir, f2fs_nid_t parent);
/* Clear the entry at a place. */
int repair_clear_entry(struct repair *r, f2fs_nid_t dir, f2fs_blk_t block, uint32_t slot);

#endif
