/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The write side: one running transaction per volume. Everything that changes goes to blocks that the last checkpoint
 * does not use, through six log heads; NAT and SIT changes stay in memory; one commit makes all of it true (commit.c
 * has the argument why that is safe). Dropping the transaction leaves the volume as it was.
 */
#ifndef F2FSKIT_LOG_RUN_H
#define F2FSKIT_LOG_RUN_H

#include "log/nat_changes.h"
#include "volume/volume.h"

/*
 * One segment in memory. A block may be allocated when it is clear in both maps (FORMAT volume 6.5): blocks that the
 * last checkpoint or a node of the fsync chain refers to stay as they are until the commit.
 */
struct segment {
	uint64_t mtime;
	uint16_t valid;	     /* set bits of cur */
	uint16_t ckpt_valid; /* set bits of ckpt */
	uint8_t type;
	bool was_free;	  /* nothing was valid in the last checkpoint */
	bool is_dirty;	  /* differs from the last checkpoint */
	bool is_barred;	  /* nothing may be put there (segments_bar) */
	bool is_taken;	  /* a free one that does not count as free any more */
	uint8_t cur[64];  /* as it is now, MSB-first */
	uint8_t ckpt[64]; /* as in the last checkpoint, plus later holds (segment_hold_all) */
};

/* A log head: where the next block of its kind goes, and what waits to be written there. */
struct head {
	f2fs_seg_t segno;
	uint32_t blkoff;	/* next offset; F2FS_SEGMENT_BLOCKS: the segment is used up */
	uint8_t alloc_type;	/* enum alloc_type */
	uint8_t *sums;		/* a summary block: 512 entries; journal and check_sum stay zero */
	uint8_t *buffer;	/* up to a segment of blocks that follow each other */
	f2fs_blk_t buffer_addr; /* where they go */
	uint32_t buffer_count;
};

/* A node in memory; its block follows the struct. */
struct node {
	f2fs_nid_t nid;
	uint8_t version; /* of its NAT entry; summaries name it */
	bool is_dirty;
	struct node *next_dirty, *prev_dirty; /* in the list of dirty nodes, or (next) detached or unused */
	uint8_t *block;
};

/* Nodes written since the last checkpoint for a recovery; chain.c. */
struct chain {
	f2fs_blk_t next;     /* where the chain's next node has to be */
	bool is_broken;	     /* a node went elsewhere: only a checkpoint makes things durable */
	bool holds;	     /* segment_hold_all() was called */
	uint64_t taken;	     /* blocks counted since the last checkpoint, without those given back */
	struct map32 inodes; /* inode number -> bits but CHAIN_UNMARKED, << 32 the block that recovery starts it from */
	struct map32 unmarked; /* inode number / 64 -> a bit for each inode that has CHAIN_UNMARKED: many at once */
	struct map32 sizes;  /* inode number -> bytes that recovery finds without the inode's block */
};

enum chain_bit {
	CHAIN_UNMARKED = 1,   /* a node was written without a mark, and no marked one after it */
	CHAIN_NODE_FREED = 2, /* the file lost a node that recovery would find in the checkpoint or the chain */
	CHAIN_NAME_TAKEN = 4, /* a directory: a name was taken out of it */
	CHAIN_DIR_XATTR = 8,  /* a directory: its attributes changed */
	/* a directory: a name was taken out of it, of a directory or of what lives on under another name, which a
	 * recovery that gives the name to a new file would lose */
	CHAIN_NAME_LIVES = 16,
	CHAIN_UNFLUSHED = 32 /* contents were overwritten in place, and no fsync of the file flushed the device since */
};

/* Operations of the layer above on a transaction. */
struct txn_ops {
	int (*start)(struct txn *txn);	 /* it begins: make txn->file */
	int (*prepare)(struct txn *txn); /* a commit begins: write what waits */
	void (*forget)(struct txn *txn); /* it ends: free txn->file, which may be NULL, and drop what waits */
};

struct txn {
	struct f2fs_volume *vol;
	struct segment **chunks; /* per SIT block in use: its segments, NULL until touched */
	struct head heads[F2FS_LOG_COUNT];
	unsigned log_count;		 /* 6, 4 or 2 */
	bool lacks_ssa;			 /* volume_lacks_ssa() */
	struct map32 nodes;		 /* nid -> struct node * */
	struct node *dirty, *dirty_last; /* list of dirty nodes, newest first; its end */
	struct node *unused;		 /* memory of nodes that were written and dropped, for the next ones */
	size_t node_count, dirty_count;
	struct nat_changes nat; /* block_addr F2FS_NEW_ADDR: not written yet */
	f2fs_nid_t nid_cursor;
	f2fs_seg_t free_cursor;
	uint64_t user_blocks, valid_blocks;
	uint64_t now;	      /* on the volume's clock: what segments that change are stamped with */
	uint64_t moved_mtime; /* blocks that are taken are as old as that; 0: they are of now */
	uint64_t begun;		      /* the volume's generation when nothing was changed yet */
	uint64_t freed, freed_seen; /* blocks freed that rest until the commit; when space was last looked at */
	uint32_t valid_nodes, valid_inodes, free_segments;
	uint32_t free_before; /* free segments at its start */
	/* free ones, when space_wants_cleaning() counted sections last, and how many it wanted to count */
	uint32_t looked_segments, looked_sections, looked_most;
	bool all_loaded; /* every segment is in memory */
	bool is_committing;
	bool is_done;	   /* its changes are in force */
	bool is_cleaning; /* data is moved to make room: it may use the space kept for the commit */
	bool is_flushing; /* blocks that waited are written: they may use the space kept for them */
	bool fills_streams; /* what GC moves may begin segments of streams */
	bool failed;	   /* something failed half-way: only dropping the transaction is left */
	bool is_derived;   /* built on a repair's facts (derive.c) */
	bool nat_is_whole; /* entries that are not set are free, whatever the NAT says */
	bool has_nat_bits;
	uint8_t *nat_full, *nat_empty; /* maps of nat_bits, with has_nat_bits */
	struct chain chain;
	struct behind *behind; /* writes under way; NULL until the first */
	struct holes *holes;	/* segments that have some; NULL until a log looks for them */
	struct filler *fillers; /* those that fill segments of their own */
	struct map32 stream_users; /* inode number -> bits of the streams that blocks of it wait in */
	struct map32 adopted; /* segment -> its summaries (uint8_t *), changed by block_adopt() */
	uint8_t *scratch;		 /* one block, for use within a call */
	const struct txn_ops *ops;	 /* of the layer above, or NULL */
	struct file_state *file;	 /* what that keeps; NULL without ops */
	size_t waiting_blocks;		 /* blocks that it holds back, and that the commit is going to write */
	struct vec orphans;		 /* f2fs_nid_t: inodes without a name that the commit lists */
	const struct commit_form *form; /* of the commit that is being made, or NULL */
	uint8_t *cp; /* the checkpoint being made: block and payload; the volume keeps the old one */
	uint8_t *sit_bitmap, *nat_bitmap; /* within cp */
	char cause[160];		  /* of failed, in words */
};

/* Return the log that a kind of block goes to, with the volume's number of logs. */
static inline unsigned head_of(const struct txn *txn, unsigned type)
{
	bool node = type >= F2FS_HOT_NODE;

	if (txn->lacks_ssa || txn->log_count == 2)
		return node ? F2FS_HOT_NODE : F2FS_HOT_DATA;
	if (txn->log_count == 4) {
		if (txn->vol->write.cold_apart && type == F2FS_HOT_DATA)
			return F2FS_WARM_DATA;
		if (!txn->vol->write.cold_apart && type == F2FS_WARM_DATA)
			return F2FS_COLD_DATA;
		if (type == F2FS_HOT_NODE)
			return F2FS_COLD_NODE;
	}
	return type;
}

#endif
