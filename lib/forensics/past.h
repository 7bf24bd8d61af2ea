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

#endif
