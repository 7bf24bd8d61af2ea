/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print the path of an inode that is known by its number.
 */
#ifndef F2FSKIT_DUMP_VIEW_BLOCK_H
#define F2FSKIT_DUMP_VIEW_BLOCK_H

#include "dump/run.h"

/* The same as dump_path(), of an inode that is known by its number. */
void dump_path_of(struct dump *d, f2fs_nid_t ino);

#endif
