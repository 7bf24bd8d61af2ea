/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare contents of a file, and the places of its blocks.
 */
#ifndef F2FSKIT_COMPARE_CONTENTS_H
#define F2FSKIT_COMPARE_CONTENTS_H

#include "compare/run.h"

int compare_contents(struct compare *c, struct source_item *item, struct f2fs_inode *inode, bool *differ);
/* Do blocks of two inodes, of two volumes, have different places? */
int compare_layout(struct compare *c, struct f2fs_inode *inode, struct f2fs_inode *other, bool *differ);

#endif
