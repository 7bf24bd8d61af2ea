/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Set wrong quota inodes of the superblock right.
 */
#ifndef F2FSKIT_CHECK_ROOT_QUOTA_H
#define F2FSKIT_CHECK_ROOT_QUOTA_H

#include "facts/run.h"

/* Once inodes are read, set wrong quota inodes of the superblock right in memory. Then report them. */
int quota_find_files(struct checker *c);
int quota_raise_found(struct checker *c);

#endif
