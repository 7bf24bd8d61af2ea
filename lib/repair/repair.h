/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair: write the facts of a check to the volume. One round is one transaction of the write engine. It is based on
 * the facts (log/derive.c) and takes effect in one commit. Rounds follow each other until a check finds nothing more
 * to repair, because a round's repairs may reveal further damage. Steps of a round, in this order:
 *
 *	repair_recover.c  before the first round: fsynced data
 *	repair_tables.c   segment table, NAT, summaries, maps of free ids
 *	repair_shared.c   blocks with two owners: the loser gets a copy
 *	repair_nodes.c    node blocks, patched by repair_inode.c: pointers, counts, flags, footers
 *	repair_xattrs.c   lists of extended attributes
 *	repair_dirs.c     directory entries
 *	repair_links.c    lost inodes, link counts, parents, unlinked inodes
 *	repair_branches.c data of lost nodes without a place, as files in lost+found
 *	repair_quota.c    usage
 *	repair_roots.c    after the commit: superblocks
 */
#ifndef F2FSKIT_REPAIR_REPAIR_H
#define F2FSKIT_REPAIR_REPAIR_H

#include "facts/run.h"
#include "file/write.h"

/* A pointer that gets another value: of a block that was copied for the loser. */
struct moved_slot {
	f2fs_nid_t nid;
	uint32_t slot;
	f2fs_blk_t addr; /* 0: cleared */
};

/* A summary as it was before the round wrote it. */
struct kept_summary {
	uint8_t *bytes;
	f2fs_blk_t addr;
	uint32_t offset, length;
	bool is_read; /* else there is nothing to put back */
};

struct repair {
	struct checker *c;
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	const struct f2fs_geometry *geo;
	struct txn *txn;
	struct vec left;	/* struct left (repair_left.c), ascending */
	struct vec moved;	/* struct moved_slot, ascending */
	struct vec summaries;	/* struct kept_summary */
	struct map32 dir_index; /* block -> index in c->dir_blocks */
	uint8_t *block;		/* one block of scratch */
	bool keeps_strays;	/* blocks that only the SIT has in use stay in use */
	uint32_t held_nodes;	/* dropped by the facts, but left as they are */
	uint64_t held_blocks;	/* these, and their data */
	bool is_changed;	/* something other than the tables was changed */
};
/* Must superblocks be repaired before anything else? The place of pointers in all inodes depends on their features. */
bool repair_roots_first(const struct checker *c);
/* Run one round: write all facts in one commit, or the superblocks alone where they come first. */
int repair_round(struct checker *c);

#endif
