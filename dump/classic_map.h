/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Block maps as f2fs-tools print them.
 */
#ifndef F2FSKIT_DUMP_CLASSIC_MAP_H
#define F2FSKIT_DUMP_CLASSIC_MAP_H

#include "dump/run.h"

/* The block map of a regular file that is not inline, on a line; with path in front unless NULL. */
int classic_map(struct dump *d, struct f2fs_inode *inode, const char *below);

#endif
