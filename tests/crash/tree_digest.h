/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A number for everything that a volume shows: the same for two states of a device exactly when a reader cannot
 * distinguish them.
 */
#ifndef F2FSKIT_TESTS_CRASH_TREE_DIGEST_H
#define F2FSKIT_TESTS_CRASH_TREE_DIGEST_H

#include <f2fskit/f2fskit.h>

struct tree_digest {
	uint64_t tree;	 /* names, contents and attributes of all files */
	uint64_t tables; /* NAT and SIT, counters of the checkpoint */
	uint32_t files;
	const char *fault; /* a contradiction within the volume; NULL: none */
};

/* Read all of a volume. Returns 0 or the error of the first thing that cannot be read. */
int tree_digest(struct f2fs_volume *vol, struct tree_digest *out);
/* Names, contents and attributes alone: also while changes wait for their commit. */
int tree_digest_files(struct f2fs_volume *vol, struct tree_digest *out);

/* Contents and attributes of one inode. */
int tree_digest_inode(struct f2fs_inode *inode, struct tree_digest *out);

#endif
