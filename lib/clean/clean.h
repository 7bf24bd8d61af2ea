/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of cleaning: victims.c lists the sections that are worth it, live.c collects the valid blocks of one and
 * has the owners confirm them, mover.c moves them, clean.c repeats this until a limit is reached, empty.c empties a
 * range.
 */
#ifndef F2FSKIT_CLEAN_CLEAN_H
#define F2FSKIT_CLEAN_CLEAN_H

#include <f2fskit/gc.h>
#include <f2fskit/file.h>

#include "base/vec.h"
#include "clean/age_target.h"
#include "clean/policy.h"
#include "log/filler.h"
#include "log/pinned.h"
#include "log/run.h"

/* victims.c: sections as the last checkpoint has them; nothing may have been changed since then. */
struct victims {
	struct clean_view view;
	struct vec list;    /* struct clean_candidate, in the order of the policy */
	size_t count;	    /* how many of these are to be cleaned now */
	uint32_t free;	    /* free sections */
	uint32_t partly;    /* sections that are partly used and no log's */
};
/* In the order of options' policy. Skipped are sections used to more than used_limit percent, and those whose
 * bit is set in left (MSB-first). */
int victims_find(struct f2fs_volume *vol, const struct f2fs_gc_options *options, const uint8_t *left,
		 struct victims *out);
void victims_free(struct victims *victims);

/* live.c */
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

/* Where data goes that is moved. */
struct move_target {
	/* Allocate up to `want` consecutive blocks for data, which is the contents of the blocks from b on; *got of
	 * them, at least one. */
	int (*put)(void *user, const struct live_block *b, uint32_t want, const uint8_t *data, f2fs_blk_t *to,
		   uint32_t *got);
	void *user;
	bool is_rehearsal; /* contents are neither read nor written */
	bool reads;	   /* put reads the contents itself, to where they go; data means nothing */
};

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

/* mover.c */
/*
 * Move the valid blocks of a section, all confirmed, through buffer, which is as long as a segment. *could_read: false
 * when a block could not be read; then the blocks before it have moved, and the rest stays.
 */
int live_move(struct live *live, uint8_t *buffer, bool *could_read);
/* Point the slot of a data block to its new place; the old one is free from now on. */
int live_repoint(struct txn *txn, const struct live_block *b, f2fs_blk_t to);

/* move_target.c: the target of moves in a transaction */
struct clean_target {
	struct move_target move;
	struct f2fs_context *ctx;
	struct txn *txn;
	bool by_age;
	struct age_targets by_type[F2FS_HOT_NODE]; /* segments with holes; list: NULL until they were looked for */
	struct filler filler;			   /* of one of these */
	struct pinned pinned;
	uint8_t *left; /* set by the caller with move_pinned: sections that pinned blocks went to are marked there */
};
/* Begin when the victims are barred; clean_target_drop() in any case. */
int clean_target_begin(struct clean_target *t, struct txn *txn, const struct f2fs_gc_options *options);
/* Write what waits, before the commit. */
int clean_target_end(struct clean_target *t);
void clean_target_drop(struct clean_target *t);

/* empty.c: a range of main segments, whole sections, that is emptied. */
struct clean_range {
	f2fs_seg_t first, end;
	/* out */
	uint64_t used_blocks;	/* in use in it */
	uint32_t free_segments; /* of it, but for logs */
	uint64_t moved_blocks;	/* out of it */
	uint32_t commits;
};
/*
 * Collect the valid blocks of a range, and check that all can be moved. UNSUPPORTED: a pinned file or an alias is
 * there, and named; STATE: something is damaged there, as for the volume's other faults. Writes nothing.
 */
int clean_range_look(struct f2fs_volume *vol, struct clean_range *range);
/*
 * Empty a range, logs included; it stays barred as long as the volume is open. Uses ordinary commits: whatever stops
 * the work leaves a sound volume, and another call continues. Fails as clean_range_look(), with NOSPC, CANCELED (by the
 * progress callback).
 */
int clean_range_empty(struct f2fs_volume *vol, struct clean_range *range);

#endif
