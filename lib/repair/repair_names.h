/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Put the names back that inodes remember.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_NAMES_H
#define F2FSKIT_REPAIR_REPAIR_NAMES_H

#include "repair/repair.h"

/* Put an inode into the directory that it remembers, under that name. false in *is_done: it is not possible. */
int repair_return_home(struct repair *r, const struct inode_fact *inode, bool *is_done);
/* Read the name that an inode remembers. Its length is 0 if it cannot be read, or is ciphertext. */
int repair_plain_name(struct repair *r, f2fs_nid_t ino, uint8_t *name, uint32_t *length);

#endif
