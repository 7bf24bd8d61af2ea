/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * State of a check, shared by all passes: facts, raised problems, and reads in physical order.
 */
#ifndef F2FSKIT_FACTS_RUN_H
#define F2FSKIT_FACTS_RUN_H

#include "base/pool.h"
#include "facts/fact_slots.h"
#include "facts/problem.h"
#include "format/evidence.h"
#include "volume/volume.h"

/* Blocks of a directory, collected by the nodes pass for the dirs pass. */
struct dir_block {
	uint32_t inode;	 /* index of the directory's inode_fact */
	uint32_t number; /* file block */
};

/* A further pointer to a node that another pointer led to before: its node and the place it implies. */
struct further_parent {
	f2fs_nid_t nid, parent;
	uint32_t place;
};

/* An entry of a directory of several blocks: its hash and slot, to find names that occur twice. */
struct dir_name {
	uint32_t hash;
	uint16_t slot;
};

/* The entries of one block among the dir_names. */
struct dir_run {
	size_t first;	/* index of the first entry in names */
	uint32_t inode; /* index of the directory's inode_fact */
	f2fs_blk_t block;
	uint32_t count;
};

/* An entry whose type is not that of the mode of the inode it names. */
struct type_doubt {
	f2fs_nid_t ino, dir;
	uint32_t type;
};

struct witness_book;

struct checker {
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct f2fs_check_options options;
	struct f2fs_check_result *result;
	struct f2fs_volume *vol; /* NULL when it cannot be opened */
	const struct f2fs_geometry *geo;
	struct f2fs_geometry plain; /* without the feature inode_checksum: checksums are judged apart */
	struct pool *pool;
	enum f2fs_open_mode mode; /* how the volume is opened */
	const char *last_pass;	  /* NULL: all are run */
	bool has_warned;	  /* of contents that this build cannot read */
	bool is_as_is;		  /* the superblock stays as it was read */
	bool is_flagged;	  /* that the checkpoint asks for a check is the repair's own doing */
	bool is_impossible;
	bool is_frozen;	    /* a repair could destroy unknown or unseen data: nothing is written */
	bool has_older_tables; /* the roots are those of an older checkpoint: CP_LOST or CP_CONTENT was raised */
	uint32_t newer_nodes;  /* written after the checkpoint that leads to them: it is not the last one */
	bool is_foreign;    /* another system owns the device, according to this signature */
	struct f2fs_signature foreign;
	bool is_unread;	    /* the device did not give a node, or a block of a directory */
	bool is_recount;    /* claims are collected again, from kept nodes only; nothing is raised */
	uint8_t *scratch;   /* one block, for a mended inode */
	struct vec *claims; /* list of claims_collect(), and the flag of its segments */
	uint32_t claim_flag;
	f2fs_seg_t claim_from, claim_end;
	uint32_t max_claims; /* blocks of segments listed at once, 0: MAX_CLAIMS */
	uint32_t max_items;  /* nodes that a sweep lists at once, 0: a sixteenth, or WINDOW_ITEMS */
	struct evidence evidence;     /* signs of features in the inodes */
	uint32_t feature_found;	      /* with has_other_features: the superblock's features */
	bool has_other_features;      /* the inodes showed others, by which the volume is read since */
	struct facts facts;
	struct vec findings;	   /* struct finding */
	struct vec further_parents; /* struct further_parent: nodes that hang in more than one place */
	uint64_t findings_dropped; /* beyond max_findings */
	struct vec dir_addrs;	   /* struct sweep_item, tag: index in dir_blocks */
	struct vec dir_blocks;	   /* struct dir_block */
	struct vec targets;	   /* struct sweep_item: blocks of symlinks, tag: inode */
	uint8_t *nat_bits;	   /* maps of full and empty NAT blocks; NULL: none in force */
	bool nat_bits_are_bad;	   /* already reported */
	struct vec misnamed;	   /* struct f2fs_nat_info: entries of the NAT journal that break a rule */
	struct vec uncounted;	   /* the same: entries behind those that its count says there are */
	struct vec names;	   /* struct dir_name: entries of directories of several blocks */
	struct vec name_runs;	   /* struct dir_run: the blocks of these entries */
	bool has_bad_summary;	   /* of some segment, marked SEG_SUMMARY */
	struct vec doubts;	   /* struct type_doubt */
	struct map32 modes;	   /* ino -> mode, where the one in the inode is wrong */
	struct map32 heads;	   /* inodes whose first bytes are lost, and are corrected field by field -> 1 */
	bool asks_heads;	   /* inodes whose first bytes are lost count as lost, and are built again */
	uint32_t lost_heads;	   /* how many were found */
	bool must_restart;	   /* modes were decided: begin again after the roots */
	bool has_other_quota;	   /* the superblock named wrong quota files: set right in memory */
	unsigned quota_moved;	   /* bits of the types, */
	f2fs_nid_t quota_found[sb_COUNT_qf_ino]; /* and the inodes that it named */
	unsigned restarts;
	struct repair *repair; /* a repair under way (repair/repair.h) */
	struct witness_book *book; /* decisions of the witnesses (witness/witness.h) */
	bool owns_book;		   /* it ends with this check */
	f2fs_blk_t cut_end;    /* where the volume should end, when it ends earlier (cut.c); 0: it does not */
	struct map32 emptied;  /* directories with a block that may have lost its entries -> 1 */
	struct map32 cut;      /* ino -> its nodes and blocks past the end */
	f2fs_nid_t lost_found; /* the directory of that name in the root, 0: none */
	unsigned bits_sought;  /* lists of attributes in which one wrong bit was looked for */
};

#endif
