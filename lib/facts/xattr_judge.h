/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Judge the extended attributes of an inode.
 */
#ifndef F2FSKIT_FACTS_XATTR_JUDGE_H
#define F2FSKIT_FACTS_XATTR_JUDGE_H

#include "facts/run.h"

/* Look at the attributes of an inode, as one string of which inline_size bytes are in the inode. */
int xattrs_judge(struct checker *c, struct inode_fact *inode, const uint8_t *string, uint32_t size);
/* Has an inode no attributes, and needs it none? */
bool xattrs_are_absent(const struct f2fs_geometry *geo, const uint8_t *block);

#endif
