/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes of an item on an inode of the volume.
 */
#ifndef F2FSKIT_POPULATE_ATTRIBUTES_H
#define F2FSKIT_POPULATE_ATTRIBUTES_H

#include "populate/run.h"

/* Set all attributes of a list on an inode of the volume; those that do not go are problems. */
int populate_attributes_set(struct populate *p, const struct vec *list, struct f2fs_inode *inode);
/* Remove attributes of the kinds that are kept and that are not in a list from an inode. */
int populate_attributes_prune(struct populate *p, const struct vec *list, struct f2fs_inode *inode);

#endif
