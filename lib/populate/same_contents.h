/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare contents with those of the current item.
 */
#ifndef F2FSKIT_POPULATE_SAME_CONTENTS_H
#define F2FSKIT_POPULATE_SAME_CONTENTS_H

#include "populate/run.h"

/* Are contents of an inode those of the current item, of the same size? If those can be read only once: yes. */
int populate_same_contents(struct populate *p, struct f2fs_inode *inode, const struct source_item *item, bool *same);

#endif
