/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair: make the facts of a check true. One round is one transaction of the write engine. It is based on the facts
 * (log/derive.c) and takes effect in one commit. Rounds follow each other until a check finds nothing more to repair,
 * because a round's repairs may reveal further damage. Steps of a round, in this order:
 *
 *	repair_recover.c  before the first round: fsynced data
 *	repair_tables.c   segment table, NAT, summaries, maps of free ids
 *	repair_shared.c   blocks with two owners: the loser gets a copy
 *	repair_nodes.c    node blocks, patched by repair_inode.c: pointers, counts, flags, footers
 *	repair_xattrs.c   lists of extended attributes
 *	repair_dirs.c     directory entries
 *	repair_links.c    lost inodes, link counts, parents, unlinked inodes
 *	repair_quota.c    usage
 *	repair_roots.c    after the commit: superblocks
 */
#ifndef F2FSKIT_CHECK_REPAIR_H
#define F2FSKIT_CHECK_REPAIR_H

#include "check/checker.h"
#include "file/write.h"

struct txn_keep;

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

/* alias.c: set the extent and the flag of a device alias. */
void alias_mend(const struct repair *r, const struct inode_fact *inode, uint8_t *block);
/* Start the transaction, and make tables as the facts have them. */
int repair_tables(struct repair *r);
/*
 * Parts of it for a recovery. First the transaction alone; keep: the blocks that it must not overwrite. Then the
 * summaries.
 */
int repair_begin(struct repair *r, const struct txn_keep *keep);
int repair_summaries(struct repair *r);
/* Summaries are written in place, before the commit: put them back after a round that failed. Then forget them. */
void repair_put_back_summaries(struct repair *r);
void repair_forget_summaries(struct repair *r);
/* The NAT entries that witnesses decided on (witness.h). */
int repair_amended_entries(struct repair *r);
int repair_shared(struct repair *r);
int repair_nodes(struct repair *r);
/* Sizes that no file can have. */
int repair_sizes(struct repair *r);
int repair_xattrs(struct repair *r);
int repair_dirs(struct repair *r);
int repair_links(struct repair *r);
int repair_quota(struct repair *r);
int repair_superblocks(struct repair *r);

/* Patch a kept inode's block as the facts have it. */
void repair_inode_block(const struct repair *r, const struct nid_fact *fact, const struct inode_fact *inode,
			uint8_t *block);
/* Clear pointers that lead nowhere, and put in those that moved. */
void repair_slots(const struct repair *r, const struct nid_fact *fact, const struct inode_fact *inode, uint8_t *slots,
		  uint32_t count);
/* Is the pointer to a node one that counts? */
bool repair_keeps_child(const struct repair *r, const struct nid_fact *by, uint32_t slot, f2fs_nid_t child,
			uint32_t place);

/* repair_dirs.c: give an inode a name in a directory; another one when it is taken. */
int repair_insert(struct repair *r, f2fs_nid_t dir, const uint8_t *name, uint32_t length, f2fs_nid_t ino,
		  unsigned type);
/* Set ".." of a directory. */
int repair_set_dotdot(struct repair *r, f2fs_nid_t dir, f2fs_nid_t parent);
/* Clear the entry at a place. */
int repair_clear_entry(struct repair *r, f2fs_nid_t dir, f2fs_blk_t block, uint32_t slot);

/* Would nodes be found by their footers that the tables do not lead to? */
bool repair_needs_search(const struct checker *c);

/* repair_left.c: take in the decisions about the findings, and ask. */
void repair_left_init(struct repair *r);
int repair_note_left(struct repair *r);
/* Is a problem of a node to be made right where it is met? */
bool repair_wanted(const struct repair *r, enum problem problem, f2fs_nid_t nid);
bool repair_wants_slot(const struct repair *r, enum problem problem, f2fs_nid_t nid, uint32_t slot);
/* May the block of an inode be written? */
bool repair_may_write(const struct repair *r, f2fs_nid_t nid);

/* repair_hold.c: take in nodes that stay though the facts drop them; before the transaction begins. */
int repair_hold(struct repair *r);

/* Was a problem found that is not left? */
bool repair_found(const struct checker *c, enum problem problem);
struct f2fs_recover_result;
/* Was something fsynced after the last checkpoint that can be had? *is_unread: it cannot be
 * read. Fails with NOMEM and CANCELED only. */
int repair_must_recover(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
			bool *out, bool *is_unread);
/* Recover it; *is_done: set when that worked. Fails likewise. */
int repair_recover(struct checker *c, struct f2fs_recover_result *out, bool *is_done);
/* Where the pointers of all inodes are depends on the superblock: is it to be set right before anything else? */
bool repair_roots_first(const struct checker *c);
/* repair.c: one round. Makes all facts true in one commit, or, where they come first, the superblocks alone. */
int repair_round(struct checker *c);
/* repair_driver.c: check and repair in rounds. */
int repair_volume(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
		  struct f2fs_check_result *result);
/* The same as a check: dev is a layer in memory, the result is about the volume as it was. */
int repair_rehearse(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
		    struct f2fs_check_result *result);
/* rehearsal.c: check, and if a repair could find more, rehearse it in memory. */
int check_rehearsed(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
		    struct f2fs_check_result *result);

#endif
