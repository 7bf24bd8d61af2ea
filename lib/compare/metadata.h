/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare the stat(2) and listxattr(2) data.
 */
#ifndef F2FSKIT_COMPARE_METADATA_H
#define F2FSKIT_COMPARE_METADATA_H

#include "compare/run.h"

/* Add the differences between an item, whose attributes are ready, and an inode to *fields. */
int compare_metadata(struct compare *c, const struct source_item *item, struct f2fs_inode *inode, unsigned *fields);

#endif
