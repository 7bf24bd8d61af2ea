/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The write side: one running transaction per volume. Everything that changes goes to blocks that the last checkpoint
 * does not use, through six log heads; NAT and SIT changes stay in memory; one commit makes all of it true (commit.c
 * has the argument why that is safe). Dropping the transaction leaves the volume as it was.
 */
#ifndef F2FSKIT_LOG_LOG_H
#define F2FSKIT_LOG_LOG_H

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
	struct node *next_dirty, *prev_dirty; /* in the list of dirty nodes, or (next) in one that was detached */
	uint8_t *block;
};

/* Nodes written since the last checkpoint for a recovery; chain.c. */
struct chain {
	f2fs_blk_t next;     /* where the chain's next node has to be */
	bool is_broken;	     /* a node went elsewhere: only a checkpoint makes things durable */
	bool holds;	     /* segment_hold_all() was called */
	uint64_t taken;	     /* blocks counted since the last checkpoint, without those given back */
	struct map32 inodes; /* inode number -> enum chain_bit, and << 32 the block that recovery starts it from */
	struct map32 sizes;  /* inode number -> bytes that recovery finds without the inode's block */
};

enum chain_bit {
	CHAIN_UNMARKED = 1,   /* a node was written without a mark, and no marked one after it */
	CHAIN_NODE_FREED = 2, /* the file lost a node that recovery would find in the checkpoint or the chain */
	CHAIN_NAME_TAKEN = 4, /* a directory: a name was taken out of it */
	CHAIN_DIR_XATTR = 8,  /* a directory: its attributes changed */
	/* a directory: a name was taken out of it, of a directory or of what lives on under another name, which a
	 * recovery that gives the name to a new file would lose */
	CHAIN_NAME_LIVES = 16
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
	struct map32 nodes;		 /* nid -> struct node * */
	struct node *dirty, *dirty_last; /* list of dirty nodes, newest first; its end */
	size_t node_count, dirty_count;
	struct map32 nat;	/* nid -> NAT entry number in nat_entries */
	struct vec nat_entries; /* struct f2fs_nat_info, block_addr F2FS_NEW_ADDR: not written yet */
	f2fs_nid_t nid_cursor;
	f2fs_seg_t free_cursor;
	uint64_t user_blocks, valid_blocks;
	uint64_t now;	      /* on the volume's clock: what segments that change are stamped with */
	uint64_t moved_mtime; /* blocks that are taken are as old as that; 0: they are of now */
	uint64_t begun;		      /* the volume's generation when nothing was changed yet */
	uint64_t freed, freed_seen; /* blocks freed that rest until the commit; when space was last looked at */
	uint32_t valid_nodes, valid_inodes, free_segments;
	bool all_loaded; /* every segment is in memory */
	bool is_committing;
	bool is_done;	   /* its changes are in force */
	bool is_cleaning; /* data is moved to make room: it may use the space kept for the commit */
	bool is_flushing; /* blocks that waited are written: they may use the space kept for them */
	bool fills_streams; /* what cleaning moves may begin segments of streams */
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

/*
 * Start a transaction; nothing happens when one is running. ops: NULL when the layer above has no part in it (that
 * starts its own with change_start()). Fails with READ_ONLY, STATE (needs recovery, carries errors), UNSUPPORTED (zones
 * of the device do not fit).
 */
int txn_begin(struct f2fs_volume *vol, const struct txn_ops *ops);
/* The same on a volume that waits for recovery, or whose checkpointing is disabled; the commit ends that state. */
int txn_begin_recovery(struct f2fs_volume *vol, const struct txn_ops *ops);
/* Forget everything since the last commit. */
void txn_drop(struct f2fs_volume *vol);
/* Make everything since the last commit true, durably. On failure the transaction is only good for txn_drop(). */
int txn_commit(struct f2fs_volume *vol);
/* Drop the transaction, if there is one; the last error stays. A commit whose last step failed is taken back on the
 * device first. As long as that fails, too, it is unknown which checkpoint counts, and the volume is not written. */
void txn_roll_back(struct f2fs_volume *vol);
/* Is it unknown whether the last commit is permanent? */
bool txn_is_uncertain(const struct f2fs_volume *vol);
/* The last step of a commit, or of an fsync, failed with err: record and return UNCERTAIN, with the reason. */
int txn_uncertain_commit(struct f2fs_volume *vol, int err);
int txn_uncertain_fsync(struct f2fs_volume *vol, int err);
/* Further contents of a commit, besides those of the transaction. */
struct commit_form {
	uint32_t flags;	    /* further checkpoint flags */
	uint32_t cleared;   /* flags that end with this commit */
	bool whole_sit;	    /* no segment is in the journal */
	bool has_room;	    /* the three numbers below take the place of the volume's */
	uint64_t user_blocks;
	uint32_t reserved_segments, overprovision_segments;
	int64_t free_change; /* free segments more, or less, than before the transaction */
};
int txn_commit_as(struct f2fs_volume *vol, const struct commit_form *form);

static inline struct txn *txn_of(const struct f2fs_volume *vol)
{
	return vol->txn;
}
/* Does the running transaction hold no change yet? */
static inline bool txn_is_fresh(const struct f2fs_volume *vol)
{
	return vol->txn->begun == vol->generation;
}

/* txn_state.c */
/* Something failed half-way, for the reason that the context has: the transaction is good for txn_drop() only. */
void txn_fail(struct txn *txn);
/* Fail with STATE, and say why, when that has happened. */
int txn_need_sound(const struct txn *txn);

/* Return the log that a kind of block goes to, with the volume's number of logs. */
static inline unsigned head_of(const struct txn *txn, unsigned type)
{
	bool node = type >= F2FS_HOT_NODE;

	if (geometry_has(&txn->vol->geo, F2FS_FEAT_RO) || txn->log_count == 2)
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

/* segments.c */
/* Is a log in that segment? */
bool segment_is_current(const struct txn *txn, f2fs_seg_t segno);
int segment_get(struct txn *txn, f2fs_seg_t segno, struct segment **out);
/* Look at the volume's clock. */
void txn_tick(struct txn *txn);
/* Set or clear a block's bit; counts and the segment's age follow. */
int segment_mark(struct txn *txn, f2fs_blk_t addr, bool valid);
int segment_load_all(struct txn *txn);
/* A segment, when all are loaded. */
static inline struct segment *segment_loaded(const struct txn *txn, f2fs_seg_t segno)
{
	return &txn->chunks[segno / txn->vol->geo.sit_per_block][segno % txn->vol->geo.sit_per_block];
}
/* From now on no block that is in use now, or will be, is handed out again before the commit. */
void segment_hold_all(struct txn *txn);
static inline bool segment_is_free(const struct segment *s)
{
	return s->valid == 0 && s->ckpt_valid == 0;
}
/* One segment more is free, or one less: the only place that counts them while a transaction runs. */
void segments_count_free(struct txn *txn, bool is_free);
/* A segment that was taken by this transaction counts as free again when nothing is left in it. */
void segment_give_back(struct txn *txn, f2fs_seg_t segno, struct segment *s);
/* The first offset from at on that is free now and in the last checkpoint; F2FS_SEGMENT_BLOCKS: none. */
uint32_t segment_next_hole(const struct segment *s, uint32_t at);
/*
 * Keep every log, and every other allocation, out of the segments [first, end) until segments_unbar() or the end of the
 * transaction; free ones do not count as free meanwhile. Logs that are in one stay there: see that there are none.
 */
int segments_bar(struct txn *txn, f2fs_seg_t first, f2fs_seg_t end);
int segments_unbar(struct txn *txn, f2fs_seg_t first, f2fs_seg_t end);

/* free_sections.c */
/* The section of a segment of the main area. */
static inline uint32_t section_of(const struct txn *txn, f2fs_seg_t segno)
{
	return segno / txn->vol->geo.segs_per_sec;
}
/* Is every segment of a section free, and none a log's? */
int segment_section_is_free(struct txn *txn, uint32_t section, bool *is_free);
/* The first segment of a free section, for a log. */
int section_choose(struct txn *txn, unsigned type, f2fs_seg_t *segno, bool *found);
/* The next free segment of the section that a log is in. */
int section_go_on(struct txn *txn, f2fs_seg_t current, f2fs_seg_t *segno, bool *found);

/* holes.c: find the segment whose holes a log fills next, of those that may be filled; all segments are loaded. */
int holes_choose(struct txn *txn, unsigned type, bool (*may_fill)(const struct txn *txn, f2fs_seg_t segno),
		 f2fs_seg_t *segno, bool *found);
void holes_end(struct txn *txn);

/* free_count.c: free segments as a repair leaves them, and as the commit is going to write them */
uint32_t free_count_derived(const struct txn *txn);
uint32_t free_count_committed(const struct txn *txn);
/* Use according to the SIT of the last checkpoint. */
struct sit_usage {
	uint64_t data_blocks, node_blocks;
	uint32_t free_segments; /* logs do not count */
};
int sit_usage_count(struct f2fs_volume *vol, struct sit_usage *out);
/* Does its sum equal the checkpoint's count? Checked before the first change: missing blocks would be overwritten. The
 * kernel mounts no such volume. */
int sit_usage_check(struct f2fs_volume *vol);
/* A resize that was stopped has left the count of another size in the checkpoint: put the right one into vol->cp. */
int free_count_renew(struct f2fs_volume *vol);

/* segment_choose.c */
/* Find a segment for a head: appending into a free one, or filling holes of one in use. NOSPC when there is neither. */
int segment_choose(struct txn *txn, unsigned type, f2fs_seg_t current, f2fs_seg_t *segno, uint8_t *alloc_type);
/* The second of these alone. */
int segment_choose_holes(struct txn *txn, unsigned type, f2fs_seg_t *segno, bool *found);
/* Do free sections run low? */
int segment_needs_holes(struct txn *txn, bool *needed);

/* zoned_logs.c */
static inline bool txn_is_zoned(const struct txn *txn)
{
	return geometry_has(&txn->vol->geo, F2FS_FEAT_BLKZONED);
}
/* What follows a segment that a log has filled: the next one of its section, or a new section. */
int section_choose_next(struct txn *txn, unsigned type, f2fs_seg_t current, f2fs_seg_t *segno);
/* A log begins a segment: a zone is empty when that is its first. */
int section_enter(struct txn *txn, f2fs_seg_t segno);
/* heads_renew.c: before anything is allocated, logs that cannot continue in place begin a new section. */
int heads_renew(struct txn *txn);
/* Move a log of a zoned volume to another section; the rest of its zone is abandoned. */
int section_leave(struct txn *txn, unsigned type);

/* write_behind.c */
/* Write consecutive blocks, by the worker if that is worth it: then *buffer, of a segment, becomes another one. */
int log_write(struct txn *txn, f2fs_blk_t addr, uint32_t count, uint8_t **buffer);

/* ssa_write.c */
/* The summary entries of a segment that is no log now. */
int summary_read(struct txn *txn, f2fs_seg_t segno, uint8_t *entries);
/* Write the summary of a segment that is no log any more, or never was: 512 entries, right for blocks in use. */
int summary_write(struct txn *txn, f2fs_seg_t segno, const uint8_t *entries, bool is_node);

/* heads.c */
int heads_begin(struct txn *txn);
void heads_end(struct txn *txn);
/*
 * Allocate up to `want` consecutive blocks of a log, and queue `*got` blocks of `data` for them. They become valid, and
 * their summary entries name the owner's slots from owner.ofs on.
 */
int head_append(struct txn *txn, unsigned kind, struct owner owner, uint32_t want, const uint8_t *data,
		f2fs_blk_t *addr, uint32_t *got);
/* Allocate one block for a node; *next: the address that the log allocates next. The caller queues it: head_queue().
 */
int head_take_node(struct txn *txn, unsigned kind, f2fs_nid_t nid, f2fs_blk_t *addr, f2fs_blk_t *next);
/* Queue the contents of a block taken last from a log. */
int head_queue(struct txn *txn, unsigned type, f2fs_blk_t addr, const uint8_t *block);
/* Write all that waits in logs and fillers. */
int heads_flush(struct txn *txn);
/* The same, but blocks of other files may continue to wait in streams. */
int heads_flush_for(struct txn *txn, f2fs_nid_t ino);
/* Write what waits in those logs that hold a block of a range. */
int heads_write_out(struct txn *txn, f2fs_blk_t addr, uint64_t count);
/* A block that waits in a log, or NULL. */
const uint8_t *heads_find(const struct txn *txn, f2fs_blk_t addr);
/* Move a log that nothing waits in to a new section. */
int head_renew(struct txn *txn, unsigned type);
/* Move a log that nothing waits in to another segment, one with holes if free ones run low; before changes. */
int head_leave(struct txn *txn, unsigned type);
/* Before a commit: make sure that a log's next offset is a free block. */
int head_need_room(struct txn *txn, unsigned type);

/* gather.c */
/* Move logs that hold nothing, and the node log of a read-only volume, to the first free sections; before changes. */
int heads_gather(struct txn *txn);

/* filler.c: a chosen segment that is filled beside the logs */
struct filler {
	struct f2fs_context *ctx;
	struct txn *txn; /* NULL when it is over */
	f2fs_seg_t segno;
	uint32_t at;	   /* no block before this one is taken */
	uint8_t *sums;	   /* summary entries of the segment */
	uint8_t *buffer;   /* up to a segment of blocks that follow each other, to be written */
	f2fs_blk_t buffer_addr;
	uint32_t buffer_count;
	bool is_open, is_node;
	bool bars;	   /* it barred the segment itself */
	bool is_rehearsal; /* set by the caller: contents are not written */
	struct f2fs_stream_stat *stat; /* of a stream, set by it; else NULL */
	uint32_t stream_bit;	       /* the same; else 0 */
	struct filler *next;
};
/* Prepare one; filler_end() or filler_drop() in any case, also after the transaction. */
int filler_begin(struct filler *f, struct txn *txn);
/*
 * Begin with a segment: a free one, which becomes of that type, or one of the same class with holes, from offset at on.
 * One that the caller has barred stays so, others are barred while open. STATE: a log is in it, or it cannot be filled.
 */
int filler_open(struct filler *f, f2fs_seg_t segno, unsigned type, uint32_t at);
/*
 * Allocate up to `want` consecutive blocks for the owner's slots from owner.ofs on, and queue `data` for them; without
 * data they become zeros. *got is 0 when the segment is full.
 */
int filler_put(struct filler *f, struct owner owner, uint32_t want, const uint8_t *data, f2fs_blk_t *addr,
	       uint32_t *got);
/*
 * Where the contents of the next blocks can be put, so that nobody copies them: *count of them, up to want, follow each
 * other; 0 when the segment is full. Then filler_put() takes them, with *to for data; until then nothing is taken. In
 * a rehearsal *to is NULL. The place is lost when the filler is flushed, as reading what waits in it does: write that
 * out before.
 */
int filler_reserve(struct filler *f, uint32_t want, uint8_t **to, uint32_t *count);
/* Done with the segment: write what waits and the summaries. */
int filler_close(struct filler *f);
int filler_end(struct filler *f);
/* Forget what waits, and free the memory. */
void filler_drop(struct filler *f);
/* All but streams whose bit is set. */
int fillers_flush(struct txn *txn, uint32_t but_streams);
int fillers_close(struct txn *txn);
/* As heads_write_out() and heads_find(). */
int fillers_write_out(struct txn *txn, f2fs_blk_t addr, uint64_t count);
const uint8_t *fillers_find(const struct txn *txn, f2fs_blk_t addr);
void fillers_forget(struct txn *txn);

/* streams.c: the streams of a placement */
struct stream {
	struct filler filler;
	bool has_segment; /* the one that it fills, also when its filler is closed, */
	f2fs_seg_t segno;
	uint32_t at; /* and from where on */
};
struct streams {
	struct f2fs_placement placement;
	struct f2fs_stream_stat stat;
	struct stream list[F2FS_STREAMS];
};
/* The placement in force, or NULL. */
static inline const struct f2fs_placement *placement_of(const struct f2fs_volume *vol)
{
	return vol->streams ? &vol->streams->placement : NULL;
}
/*
 * Put up to want blocks of a file, for slots from the owner's on, into a stream; *got is 0 when it finds no room,
 * or there is no such stream: then a log takes them.
 */
struct stream_run {
	f2fs_nid_t ino;
	struct owner owner; /* of the first */
	uint32_t want;
	const uint8_t *data;
};
int stream_append(struct txn *txn, unsigned stream, const struct stream_run *run, f2fs_blk_t *addr, uint32_t *got);
/* f2fs_volume_set_placement() within another call. */
int streams_set(struct f2fs_volume *vol, const struct f2fs_placement *placement);
/* Does a stream continue in a segment? */
static inline bool stream_is_in(const struct f2fs_volume *vol, f2fs_seg_t segno)
{
	const struct streams *all = vol->streams;

	for (unsigned i = 0; all && i < all->placement.streams; i++)
		if (all->list[i].has_segment && all->list[i].segno == segno)
			return true;
	return false;
}

/* pinned.c: sections for pinned files */
struct pinned {
	struct filler filler;
	uint32_t section, used; /* the one being filled, and how many of its blocks are taken */
	uint64_t wanted;	/* free sections that there had to be, when there were too few; else 0 */
	const uint8_t *data;	/* set by the caller: contents of the next blocks; NULL: zeros */
};
/* Make sure that there are free sections for that many blocks; NOSPC. pinned_end() in any case. */
int pinned_begin(struct txn *txn, uint64_t blocks, struct pinned *out);
/* The same for a caller that has counted the free sections itself. */
int pinned_begin_counted(struct txn *txn, struct pinned *out);
/* Allocate up to `want` consecutive blocks for the owner's slots from owner.ofs on. */
int pinned_take(struct pinned *p, struct owner owner, uint32_t want, f2fs_blk_t *addr, uint32_t *got);
int pinned_end(struct pinned *p);

/* write_behind.c */
/* Wait for the writes that touch a range; fails as they do. */
int behind_wait(struct txn *txn, f2fs_blk_t addr, uint64_t count);
/* Wait for all, whatever comes of them, and end the worker. */
void behind_end(struct txn *txn);

/* discard.c: after a commit, discard the freed blocks if that was requested */
void discard_freed(struct txn *txn);

/* adopt.c: blocks that were written after the last checkpoint and are to be part of the next one */
/* Keep a block from being allocated until the commit, whether it is in use or not. */
int segment_keep(struct txn *txn, f2fs_blk_t addr);
/* Move the appending logs past the kept blocks. */
int heads_pass_kept(struct txn *txn);
/* Make a kept block valid, as data of its owner; is_new: the slot held no block before. */
int block_adopt(struct txn *txn, f2fs_blk_t addr, struct owner owner, bool is_new);
/* Find the owner that the current summaries name for a block. */
int block_owner(struct txn *txn, f2fs_blk_t addr, struct f2fs_block_owner *out);
/* Write the summaries of adopted blocks; before anything is allocated, and before the commit. */
int adopted_store(struct txn *txn);
void adopted_end(struct txn *txn);

/* space.c: counters */
/* Free sections that the commit may need, for nodes and blocks that wait and for logs to end in. */
uint32_t segment_commit_sections(const struct txn *txn);
/* Sections that data has to leave to the commit and to cleaning. */
uint32_t segment_kept_sections(const struct txn *txn);
/* Make sure that n more blocks fit, and count them. */
int space_take(struct txn *txn, uint64_t n);
/* Fail with NOSPC unless that many more blocks fit: asked before anything is changed. */
int space_need(const struct txn *txn, uint64_t blocks);
/*
 * May one more block wait? Only while there are free sections for all that waits, besides those that the commit needs;
 * with fewer each write finds its block, or fails, at once.
 */
bool space_lets_wait(const struct txn *txn);
void space_give(struct txn *txn, uint64_t n);
/* Is there so little room that a commit, which makes freed blocks usable, is due now, for no change to fail? */
int space_wants_commit(struct txn *txn, bool *wanted);
/* The space that can still be written. */
struct space_view {
	uint32_t free_sections;
	uint64_t data_holes, node_holes; /* blocks in partly used segments, without the logs' own, that these may fill;
					    none on zoned volumes */
};
int space_look(struct txn *txn, struct space_view *out);
/*
 * Are there so few free sections that the next change may find no room, though cleaning could make some? *goal: the
 * wanted number, 0: there are enough; *least: the number with which the change can continue. more: further sections
 * that the change needs.
 */
int space_wants_cleaning(struct txn *txn, uint32_t more, uint32_t *least, uint32_t *goal);
/* Blocks that sections are kept for: those that wait, and changed nodes; while those that waited are written, nodes. */
size_t space_to_come(const struct txn *txn);
/* Sections, the last perhaps in part, that the checkpoint reserves for cleaning. */
uint32_t space_reserved_sections(const struct txn *txn);
/*
 * How many of the sections that are reserved for cleaning are kept from data. When cleaning finds nothing to win, all
 * blocks are packed, and users may then write into the reserve.
 */
uint32_t space_kept_sections(const struct txn *txn, uint32_t reserved);
/* There was no room: say in the last error what cleaning did or could do; returns NOSPC. */
int space_explain(struct txn *txn);
#define SPACE_STEP_BLOCKS 256u /* that a change may write between two looks */
/* Free a data block: any slot value; special ones only give the count back. */
int block_free(struct txn *txn, f2fs_blk_t addr);

/* nat_write.c */
int nat_set(struct txn *txn, const struct f2fs_nat_info *entry);
int nid_alloc(struct txn *txn, f2fs_nid_t *nid);
/* Write changed NAT entries into the journal or to idle copies of their blocks; part of the commit. */
int nat_store(struct txn *txn, uint8_t *journal);
/* sit_write.c: the same for segments. */
int sit_store(struct txn *txn, uint8_t *journal);

/* nodes.c */
/* Get a node for reading or changing; the pointer stays valid until nodes_trim(). */
int node_get(struct txn *txn, f2fs_nid_t nid, struct node **out);
/* Make a node: allocates a node id (ino 0: an inode, which owns itself), counts it, fills the footer. */
int node_new(struct txn *txn, f2fs_nid_t ino, uint32_t node_offset, bool is_directory, struct node **out);
/* The same for an inode whose number is given and free. */
int node_new_at(struct txn *txn, f2fs_nid_t ino, struct node **out);
/* Say that a node was changed; before or after the change. */
void node_dirty(struct txn *txn, struct node *node);
/* Free a node: its id and its block. */
int node_free(struct txn *txn, f2fs_nid_t nid);
/* Give a node a block and its final footer, mark bits (FORMAT files 1.1) included; the caller writes it. */
int node_place(struct txn *txn, struct node *node, uint32_t marks, f2fs_blk_t *addr);
/* Write all dirty nodes to their logs. */
int nodes_flush(struct txn *txn);
/* Take the dirty direct nodes of a file, xattr node and inode too, off the list of dirty nodes, as a list of their
 * own, oldest first. */
struct node *nodes_detach(struct txn *txn, f2fs_nid_t ino);
/* Put a list back: its nodes are dirty. */
void nodes_attach(struct txn *txn, struct node *list);
#define NODES_IN_MEMORY 16384u /* 64 MiB at 4 KiB blocks */
/* Between operations: keep memory bounded by writing and dropping nodes when there are more than that. */
int nodes_trim(struct txn *txn);
void nodes_end(struct txn *txn);

/* chain.c: the fsync chain */
#define NODE_MARK_COLD 1u /* of all but directories */
#define NODE_MARK_FSYNC 2u
#define NODE_MARK_DENTRY 4u
void chain_begin(struct txn *txn);
/* Remember something of an inode until the commit: bits of enum chain_bit. */
int chain_note(struct txn *txn, f2fs_nid_t ino, unsigned bits);
unsigned chain_bits(const struct txn *txn, f2fs_nid_t ino);
/* The block that recovery starts an inode from: the checkpoint's, or the one with a dentry mark; F2FS_NULL_ADDR: none.
 */
int chain_base(struct txn *txn, f2fs_nid_t ino, f2fs_blk_t *addr);
/* Can a recovery find room for the blocks taken, and does the chain leave most of the free segments usable? */
bool chain_has_room(const struct txn *txn);
/* A node was put into the log of the chain. */
void chain_follow(struct txn *txn, f2fs_blk_t addr, f2fs_blk_t next);
/*
 * chain_write.c: write nodes of one file, a list of nodes_detach(), so that a recovery takes all of them or none;
 * durable on return. The last one carries the mark; with_name: its dentry mark too.
 */
int chain_write(struct txn *txn, f2fs_nid_t ino, struct node *list, bool with_name);

/* derive.c: facts of a repair about a volume, which replace SIT, counters and logs. */
/* Blocks that must not change until the commit, besides those in use by the truth. */
struct txn_keep {
	void *user;
	/* Called before anything is allocated: segment_keep() the blocks. */
	int (*keep)(void *user, struct txn *txn);
};
struct txn_truth {
	void *user;
	/* Fill the map (64 zero bytes, MSB-first) of a segment's blocks in use; *type has the SIT's value. */
	void (*segment)(void *user, f2fs_seg_t segno, uint8_t *map, uint8_t *type);
	uint64_t valid_blocks; /* reserved ones included */
	uint32_t valid_nodes, valid_inodes;
	bool nat_is_whole;	 /* the caller sets the NAT entries of all nodes in use, the others are free */
	const uint8_t *nat_maps; /* full and empty NAT blocks as the NAT will be without this transaction; or NULL */
	const struct txn_keep *keep; /* or NULL */
};
/* Start a transaction on that; the volume may be in any state. The commit clears the flags that ask for a check. */
int txn_begin_from(struct f2fs_volume *vol, const struct txn_ops *ops, const struct txn_truth *truth);
int derive_fill(struct txn *txn, const struct txn_truth *truth);

#endif
