/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Visit nodes in use, along with their footers.
 */
#ifndef F2FSKIT_DUMP_NODE_FOOTERS_H
#define F2FSKIT_DUMP_NODE_FOOTERS_H

#include "dump/run.h"

/*
 * Find the first node id >= nid in use. Reports and skips unreadable NAT blocks. F2FS_ERR_NOT_FOUND past the last;
 * other errors (reported) end the search.
 */
int dump_next_node(struct dump *d, f2fs_nid_t nid, struct f2fs_nat_info *out);

/* A node's footer along with its NAT entry. */
struct dump_node {
	struct f2fs_nat_info nat;
	int has_footer; /* 0: the block could not be read */
	f2fs_nid_t nid, ino;
	uint32_t flag;
	uint64_t cp_ver;
	f2fs_blk_t next_blkaddr;
};
/*
 * Visit the nodes in use with range->first <= nid < range->end, in order, with their footers. Damage is reported and
 * does not end the visit; a negative return of visit does.
 */
int dump_each_node(struct dump *d, const struct dump_range *range,
		   int (*visit)(void *user, const struct dump_node *node), void *user);

#endif
