/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening a volume whose roots or tables are damaged (F2FS_MODE_RESCUE): the lost parts of the last checkpoint are
 * rebuilt from the rest. Order: rescue_superblock.c finds the layout, rescue_checkpoint.c a checkpoint or makes one,
 * scan_nodes.c reads the main area once and keeps the newest version of each node, rescue.c decides between the NAT and
 * the scan and then answers for the NAT. Nothing is written.
 */
#ifndef F2FSKIT_VOLUME_RESCUE_H
#define F2FSKIT_VOLUME_RESCUE_H

#include "volume/volume.h"

/* How much of the checkpoint is known. */
enum rescue_root {
	RESCUE_ROOT_WHOLE = 0, /* a valid pack */
	RESCUE_ROOT_HALF = 1,  /* one checkpoint block of a pack that is not valid as a whole */
	RESCUE_ROOT_MADE = 2,  /* none: numbers are made up so that tables can be read */
	RESCUE_ROOT_OLDER = 3  /* a valid pack; the one that came after it is lost */
};

enum rescue_flag {
	RESCUE_RECENT = 1, /* written after the checkpoint in force, when that is not the last */
	RESCUE_FREED = 2   /* the idle copy of the NAT is newer and has the id free */
};

/* A node as it was found. 28 bytes for each node id in use. */
struct rescue_node {
	f2fs_nid_t nid, ino;
	f2fs_blk_t addr;      /* 0: only the NAT speaks of it, and its block is something else */
	f2fs_blk_t nat_addr;  /* address in the NAT, 0: none */
	f2fs_blk_t idle_addr; /* address in the idle copy of the NAT, when a pack is lost */
	uint32_t cp_ver;      /* low half of the footer's */
	uint8_t nat_version;  /* of the NAT entry */
	uint8_t is_in_nat;    /* addr is that of the NAT, and the block agrees */
	uint8_t is_sit_valid; /* the SIT has the block */
	uint8_t flags;	      /* enum rescue_flag */
};

struct rescue {
	enum rescue_root root;
	bool has_superblock; /* it is on the device, not rebuilt */
	bool has_features;   /* so are the features that it names */
	bool has_seed;	     /* the seed of inode checksums is known */
	bool sit_trusted;    /* the SIT's sums agree with the checkpoint's: other blocks are free */
	bool is_ready;	     /* the table answers for the NAT */
	uint64_t unread;     /* blocks of the main area that the device did not give to the search */
	f2fs_blk_t first_unread;
	uint64_t beyond; /* of these, blocks past the end of the device */
	bool has_limit;
	uint32_t limit;	    /* highest version that a node of this volume can have, with has_limit */
	struct map32 index; /* while scanning: nid -> number in nodes */
	struct vec nodes;   /* struct rescue_node; in the end sorted by nid, with an address each */
};

/* The superblock as usual, or found again: in place of roots_load_superblock(). */
int rescue_find_superblock(struct f2fs_volume *vol, unsigned preferred);
/* Everything above: called by the opening in place of loading the checkpoint. */
int rescue_load(struct f2fs_volume *vol, unsigned forced_pack);
void rescue_close(struct f2fs_volume *vol);

#endif
