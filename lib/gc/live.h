/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collect the valid blocks of a section and their owners.
 */
#ifndef F2FSKIT_GC_LIVE_H
#define F2FSKIT_GC_LIVE_H

#include "volume/volume.h"

struct move_target;

enum live_verdict {
	LIVE_CONFIRMED,
	LIVE_UNCONFIRMED, /* an owner does not confirm a block: something is damaged */
	LIVE_UNREADABLE,
	LIVE_PINNED /* a block belongs to a pinned file or a device alias */
};

struct live_block {
	f2fs_blk_t addr;
	f2fs_seg_t segno; /* segment of addr */
	f2fs_nid_t nid; /* the node itself, or the one that holds the slot of a data block */
	f2fs_nid_t ino; /* of data: the file */
	uint16_t ofs;	/* of data: the slot */
	uint8_t version;
	bool is_node;
	bool is_pinned; /* data of a pinned file, which may be moved */
};

static inline struct owner live_owner(const struct live_block *b)
{
	return (struct owner){ .nid = b->nid, .ofs = b->ofs, .version = b->version };
}

/* The valid blocks of a section. */
struct live {
	struct f2fs_volume *vol;
	struct vec blocks;  /* struct live_block, by segment; within one data by (ino, nid, ofs), then nodes by nid */
	uint32_t data;	    /* how many are data */
	uint32_t owners;    /* nodes and inodes that change when the data is moved */
	uint8_t *block[2];  /* an inode, a direct node */
	bool keeps_age;	    /* data that is moved stays as old as the segment that it was in */
	bool moves_pinned;  /* blocks of pinned files are no reason to leave a section alone */
	uint32_t pinned;    /* how many of data are of pinned files */
	const struct move_target *target; /* to be set before anything is moved */
	enum live_verdict verdict;
	f2fs_blk_t at;	 /* the first block that is not confirmed, */
	f2fs_nid_t nid;	 /* the node that it should belong to, */
	const char *why; /* and the reason */
};
int live_init(struct live *live, struct f2fs_volume *vol);
void live_fini(struct live *live);
/*
 * Look at a section. Damage and read errors are a verdict, not a failure. Blocks may have been moved out of it since
 * the last commit, none into it.
 */
int live_find(struct live *live, uint32_t section);

#endif
