/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The chain of nodes that were written after the last checkpoint, and the part of it that counts (FORMAT files 12.3).
 */
#ifndef F2FSKIT_RECOVER_CHAIN_H
#define F2FSKIT_RECOVER_CHAIN_H

#include <f2fskit/recover.h>

#include "format/node.h"
#include "log/run.h"

struct txn_keep;

#define CHAIN_NOWHERE UINT32_MAX

/* A node of the chain. */
struct chain_node {
	f2fs_blk_t addr;
	f2fs_nid_t nid, ino;
	uint32_t flag; /* of the footer */
};

/* An inode with at least one fsynced node. Positions are indexes of the chain. */
struct chain_inode {
	f2fs_nid_t ino;
	bool is_new;
	bool is_known;	      /* false: fsynced nodes, but no inode to apply them to */
	bool is_taken;	      /* to be created, but the number is in use: nothing of the chain can be applied */
	uint32_t created_by;  /* the inode block that creates it */
	uint32_t last;	      /* last fsynced node: later ones do not count */
	uint32_t last_dentry; /* last inode block with a name, or CHAIN_NOWHERE */
};

struct f2fs_recovery {
	struct f2fs_volume *vol;
	struct vec nodes;   /* struct chain_node */
	struct vec inodes;  /* struct chain_inode */
	struct map32 index; /* ino -> number in inodes */
	struct map32 linked; /* listed orphans that stay: a directory names them, or a check decided so */
	f2fs_blk_t start, end_block;
	int end;
	uint64_t end_version;
	uint64_t fsynced, dropped, replayed;
	uint32_t known, created;
};

/* Blocks of the main area, read ahead as long as they follow each other. */
struct chain_reader {
	struct f2fs_volume *vol;
	uint8_t *buffer;
	f2fs_blk_t first;
	uint32_t count, ahead;
};
int chain_reader_init(struct chain_reader *reader, struct f2fs_volume *vol);
void chain_reader_fini(struct chain_reader *reader);
/* Point at a block; valid until the next call. */
int chain_read(struct chain_reader *reader, f2fs_blk_t addr, const uint8_t **block);

static inline bool chain_is_fsynced(const struct chain_node *node)
{
	return (node->flag & 2) != 0;
}

/* An inode block that brings its name along. */
static inline bool chain_has_dentry(const struct chain_node *node)
{
	return node->nid == node->ino && (node->flag & 4) != 0;
}

static inline struct chain_node *chain_node_at(const struct f2fs_recovery *plan, size_t i)
{
	return vec_at(&plan->nodes, i);
}

static inline struct chain_inode *chain_inode_at(const struct f2fs_recovery *plan, size_t i)
{
	return vec_at(&plan->inodes, i);
}

/* Listed orphans: not those that were removed here and are still open. */
static inline uint32_t chain_orphans(const struct f2fs_volume *vol)
{
	return vol->owns_orphans ? 0 : (uint32_t)vol->orphans.count;
}

/* The inode that node number i counts for, or NULL when it does not. */
struct chain_inode *chain_counts(const struct f2fs_recovery *plan, size_t i);

/* Add to linked the listed orphans that a directory names (orphan_links.c). */
int orphans_find_linked(struct f2fs_volume *vol, struct map32 *linked);
/* Number of listed entries that a recovery deletes. */
uint32_t chain_deletes(const struct f2fs_recovery *plan);

/* f2fs_recovery_open() without clearing the last error. kept: listed orphans that stay, NULL: find out which. */
int recovery_plan(struct f2fs_volume *vol, const struct map32 *kept, struct f2fs_recovery **out);
/* Inode number index of those that count; NULL, with NOT_FOUND recorded, past the last. */
const struct chain_inode *recovery_find_inode(const struct f2fs_recovery *plan, uint32_t index);
/*
 * For a repair: another base of the transaction than the tables of the checkpoint, and inodes that are left alone,
 * because damage prevented the recovery from changing them.
 */
struct recovery_base {
	void *user;
	int (*begin)(void *user, const struct txn_keep *keep);
	const struct vec *left;	  /* f2fs_nid_t */
	const struct map32 *kept; /* entries of the list of orphans that nothing is done about */
	f2fs_nid_t failed;	  /* out: the inode that it failed at; 0: at none, or it did not fail */
};
/*
 * Recover as f2fs_recover() does (base is NULL), or on a base. On a base, a chain that runs in a circle is recovered up
 * to the circle. Without a base a listed orphan that a directory names is an error.
 */
int recovery_apply_on(struct f2fs_volume *vol, struct recovery_base *base, struct f2fs_recover_result *result);
/* Do the same for a view in memory, which shows such an orphan. */
int recovery_apply_view(struct f2fs_volume *vol);
/* Is there anything that keeps the volume from being changed? */
bool recovery_is_needed(const struct f2fs_recovery *plan);

/* f2fs_volume_open() without forgetting the last error. */
int volume_open_recovered(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *options,
			  struct f2fs_volume **out);

#endif
