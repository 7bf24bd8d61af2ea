/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The list of files of atomic writes, with the blocks that wait.
 */
#ifndef F2FSKIT_FUSE_ATOMIC_LIST_H
#define F2FSKIT_FUSE_ATOMIC_LIST_H

#include "fuse/mount.h"

struct block {
	uint64_t number; /* in the file */
	char *data;	 /* a whole block */
};

struct atomic_file {
	struct atomic_file *next;
	struct known *known; /* pinned */
	int process;	     /* a descriptor, which can be polled */
	uint64_t size;	     /* of the file */
	struct block *blocks;
	size_t count, room;
};

#endif
