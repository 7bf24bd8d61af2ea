/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The chain of nodes that were written after the last checkpoint, and the part of it that counts (FORMAT files 12.3).
 */
#ifndef F2FSKIT_RECOVER_RUN_H
#define F2FSKIT_RECOVER_RUN_H

#include <f2fskit/recover.h>

#include "format/node.h"
#include "log/run.h"

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
	f2fs_nid_t hidden; /* an inode with dropped nodes that a directory names and the NAT does not have; 0: none */
};

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
	return vol->files.owns_orphans ? 0 : (uint32_t)vol->view->orphans.count;
}

#endif
