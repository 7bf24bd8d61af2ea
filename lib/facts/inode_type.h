/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decide the types of inodes whose mode is in doubt.
 */
#ifndef F2FSKIT_FACTS_INODE_TYPE_H
#define F2FSKIT_FACTS_INODE_TYPE_H

#include "facts/run.h"

/* An entry in dir gives the inode this type. Note it when the mode has another type or none. */
int type_doubt(struct checker *c, f2fs_nid_t dir, const struct inode_fact *inode, unsigned type);
/* After all entries are read: decide the type of each inode whose mode is in doubt. If there are any, the check starts
 * again. */
int types_decide(struct checker *c);
/* Was another mode decided for the inode? */
bool type_is_decided(const struct checker *c, f2fs_nid_t ino, uint16_t *mode);
/* Return the name of a mode's file type. */
const char *type_name(uint16_t mode);

#endif
