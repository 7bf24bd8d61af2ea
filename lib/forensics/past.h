/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The results of a search for old nodes, and their users. past_scan.c reads the device and fills the table, past.c
 * answers which node an inode had at its time, past_claims.c knows the blocks written after the last checkpoint, fate.c
 * judges blocks, inode_at.c opens inodes on top, the rest makes lists of them.
 */
#ifndef F2FSKIT_FORENSICS_PAST_H
#define F2FSKIT_FORENSICS_PAST_H

#include <f2fskit/forensics.h>

#include "base/map32.h"
#include "base/vec.h"
#include "device/extents.h"
#include "file/object.h"

/* A node block as it was found. An inode's block has nid == ino. */
struct past_node {
	f2fs_blk_t addr;
	f2fs_nid_t nid, ino;
	uint32_t place; /* node offset; of an inode its generation */
	uint32_t age;	/* checkpoints since, of the newest that the volume has */
};

/* The segment that was judged last (fate.c). */
struct fate_segment {
	f2fs_seg_t segno;
	bool is_loaded;
	struct f2fs_segment_info sit;
	uint32_t tail;		/* offset from which the log that is in the segment has not written yet */
	bool has_summaries;
	uint8_t type, tail_type; /* entry type of the summaries: 1 nodes */
	uint8_t entries[SUMMARY_BYTES], tail_entries[SUMMARY_BYTES];
};

/* Which blocks are blank, as far as anybody asked (blank.c). */
struct past_blanks {
	struct map32 index;  /* segment -> number in segments */
	struct vec segments; /* struct blank_segment */
	struct holes holes;
	uint8_t *window; /* the bytes under search */
};

struct f2fs_past {
	struct f2fs_volume *vol;
	uint64_t generation; /* of the volume when it was searched */
	struct f2fs_past_options options;
	struct f2fs_past_stat stat;
	uint64_t failed_before; /* reads of the volume, when the search began */
	uint32_t newest;  /* low half of the newest checkpoint version */
	bool has_newest;  /* without a checkpoint any version may be */
	bool is_clean;	  /* unmounted: nothing was written after the checkpoint */
	struct vec nodes; /* struct past_node; by ino, nid, then the oldest first, then by address */
	struct map32 claims; /* blocks that were written after the last checkpoint */
	struct fate_segment *segment;
	struct past_blanks blanks;
	uint32_t as_of;		     /* of a view: its checkpoint; 0: of a volume as it is */
	uint32_t as_of_age;	     /* blocks written before that have this age at least */
	struct f2fs_as_of_stat view; /* findings in the view */
};

/* past_scan.c: read what options ask for and fill nodes, not in order. */
int past_scan(struct f2fs_past *past);
/* past_claims.c: follow the nodes that were written after the last checkpoint, and remember the blocks they took. */
int past_claim(struct f2fs_past *past);

/* past_node.c */
/* Is this block a node of the volume, and not newer than it? Fills out. */
bool past_is_node(struct f2fs_past *past, const uint8_t *block, f2fs_blk_t addr, struct past_node *out);

/* past.c */
/* f2fs_past_open() without forgetting the last error. */
int past_open(struct f2fs_volume *vol, const struct f2fs_past_options *options, struct f2fs_past **out);
/* Copy the results of a search for a volume beside its own. */
int past_copy(const struct f2fs_past *past, struct f2fs_volume *vol, struct f2fs_past **out);
/* The last checkpoint that counts: of a view its own. */
static inline uint32_t past_last(const struct f2fs_past *past)
{
	return past->as_of ? past->as_of : past->newest;
}
/* Is a node newer than the view that the search is of? */
static inline bool past_is_beyond(const struct f2fs_past *past, const struct past_node *node)
{
	return past->as_of && node->age < past->as_of_age;
}
/* Nodes of an id within an inode, the oldest first; *count is 0 when there is none. */
const struct past_node *past_find(const struct f2fs_past *past, f2fs_nid_t ino, f2fs_nid_t nid, size_t *count);
/* All nodes of an inode, itself included, by their ids, of each the oldest first. */
const struct past_node *past_find_all(const struct f2fs_past *past, f2fs_nid_t ino, size_t *count);
/* Can an inode be asked for? Fails with INVALID (the search was for another), RANGE, STATE. */
int past_need_inode(const struct f2fs_past *past, f2fs_nid_t ino);
/* Fail with STATE when the volume was changed since the search. */
int past_need_fresh(const struct f2fs_past *past);
/* The same, and when the search is of a view: unused blocks can be read from the volume only. */
int past_need_now(const struct f2fs_past *past);
/* The same, and with INVALID when the search was for one inode only. */
int past_need_all(const struct f2fs_past *past);
/* The newest of some nodes, the oldest first, that was written before the checkpoint of the view; NULL: none.
 * *is_unsure: others are as new. */
const struct past_node *past_before(const struct f2fs_past *past, const struct past_node *nodes, size_t count,
				    bool *is_unsure);

/* A version of an inode among the others. */
struct past_time {
	f2fs_nid_t ino;
	uint32_t age, generation;
	bool is_current;   /* the NAT has it */
	bool is_last;	   /* newest of its use of the inode number */
	bool is_succeeded; /* the number was used again later */
	bool has_next;	   /* a later version of the same use is left */
	uint32_t next_age; /* and its age */
	f2fs_blk_t next_addr, last_addr; /* of the next one, and of the newest of the use */
	bool has_before;   /* an earlier use of the number is left */
	uint32_t before_age; /* age of its last version */
};
/* Find the time of the inode block at addr. False when the search did not meet it: then only the facts of the block
 * itself and the NAT are filled in. */
bool past_time_of(struct f2fs_past *past, const uint8_t *block, f2fs_blk_t addr, struct past_time *out);

/* What load_node() decided. */
struct past_choice {
	const struct past_node *node; /* NULL: lost */
	bool is_later, is_unsure;
};
/* Choose the node that stood at a place of the file at a time. */
void past_choose(const struct f2fs_past *past, const struct past_time *time, f2fs_nid_t nid, uint32_t place,
		 struct past_choice *out);

/* blank.c */
enum blank { BLANK_NO, BLANK_YES, BLANK_UNREAD };
void blank_init(struct past_blanks *b, struct f2fs_context *ctx);
void blank_fini(struct past_blanks *b, struct f2fs_context *ctx);
/* Does a block of the main area look discarded: zeros or 0xFF only? Fails with NOMEM, CANCELED. */
int blank_ask(struct f2fs_past *past, f2fs_blk_t addr, enum blank *out);

/* fate.c */
enum fate {
	FATE_CURRENT,	  /* the SIT has it for the same slot of the same file */
	FATE_INTACT,	  /* free, last written by this slot, not blank */
	FATE_UNTOLD,	  /* free, not blank, and its last writer is unknown; or it cannot be read */
	FATE_BLANK,	  /* free, nobody else is known to have written it, and it holds zeros or 0xFF only */
	FATE_OVERWRITTEN, /* in use by others, or written by others since */
	FATE_BAD	  /* no block of the main area */
};
/* Judge the block that slot ofs_in_node of node nid pointed to. */
int fate_judge(struct f2fs_past *past, const struct past_time *time, f2fs_nid_t nid, uint32_t ofs_in_node,
	       f2fs_blk_t addr, enum fate *out);
/* remains.c */
/* Count the remaining blocks of an inode; nodes are counted as they are loaded. newer: the next version, or NULL. */
int fate_count(struct f2fs_inode *inode, struct f2fs_inode *newer, struct f2fs_remains *out);

/* inode_at.c */
int past_open_inode(struct f2fs_volume *vol, struct f2fs_past *past, f2fs_blk_t addr, unsigned flags,
		    struct f2fs_inode **out);
/* Open an inode of a view. */
int past_open_as_of(struct f2fs_past *past, f2fs_nid_t ino, struct f2fs_inode **out);
/* The time of an inode opened here, and its search; counts of nodes so far go to counts. */
struct f2fs_past *past_of(const struct f2fs_inode *inode, const struct past_time **time);
/* The judgement of one block, by an inode opened here. */
int past_judge(struct f2fs_inode *inode, f2fs_nid_t nid, uint32_t ofs_in_node, f2fs_blk_t addr, enum fate *out);
/* Does the file have a digest, and what does it say about the contents, with blank blocks as they read? */
enum digest { DIGEST_UNASKED, DIGEST_NONE, DIGEST_RIGHT, DIGEST_WRONG };
/* Asks once for each inode that was opened here. Fails with NOMEM, CANCELED. */
int past_digest(const struct f2fs_inode *inode, enum digest *out);
/* Let loads of nodes count into this, NULL: into nothing. */
void past_count_into(struct f2fs_inode *inode, struct f2fs_remains *counts);

/* versions.c */
/* Describe the version at addr. */
int version_describe(struct f2fs_past *past, f2fs_blk_t addr, struct f2fs_version *out);

#endif
