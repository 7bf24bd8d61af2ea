/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of putting a volume in order:
 *	defrag/list.c	what is to be placed, and in which order
 *	defrag/file.c	moves the blocks of one file
 *	defrag/clear.c	empties sections
 *	defrag/window.c	chooses sections
 *	defrag/zoned.c	has logs do it where sections are only appended to
 *	defrag/resume.c	finds what an earlier run has done
 *	defrag/progress.c	items, blocks, limits
 *	defrag/defrag.c	goes on until all is done or a limit is reached
 *	defrag/space.c	packs without an order
 */
#ifndef F2FSKIT_DEFRAG_RUN_H
#define F2FSKIT_DEFRAG_RUN_H

#include <f2fskit/defrag.h>

#include "clean/clean.h"
#include "fragments/fragments.h"

/* A file to be placed, or a part of one. */
struct defrag_item {
	f2fs_nid_t ino;
	uint64_t first, end; /* file blocks */
	uint64_t key;	     /* ascending; equal ones stay in the order in which they were found */
	uint32_t number;     /* in which they were found */
	uint8_t type;	     /* enum f2fs_log_type of its segments */
	bool is_pinned;	     /* it gets sections of its own */
	bool is_done;
	bool is_started;     /* a part of it was placed */
	uint32_t step;	     /* in which it was */
};

/* What is known of a section. */
enum section_state {
	SECTION_OTHER,	/* as it was found, or with what was moved out of the way */
	SECTION_TARGET, /* empty, or being filled */
	SECTION_DONE,	/* holds what was placed */
	SECTION_LEFT,	/* damaged, unreadable, an alias of a device */
	SECTION_PINNED	/* not cleared, but its holes can be filled */
};

/* Where what is in the way goes. */
struct defrag_sink {
	struct filler filler;
	struct vec segments; /* of segments with holes, in order */
	size_t next;
	uint64_t room;		/* blocks in holes */
	bool could_read;	/* what was to be moved */
	uint32_t free_sections; /* that may be taken besides */
	uint32_t free_next;	/* one behind where to look for the next free section, downwards */
	f2fs_seg_t section_left; /* end of the free section that is being filled */
	f2fs_seg_t section_at;
};

struct defrag_run {
	struct f2fs_volume *vol;
	const struct f2fs_defrag_options *options;
	struct f2fs_defrag_result *result;
	bool sweeps;	   /* sections are cleared in the order of their addresses, not the emptiest first */
	bool has_swept, has_chosen; /* the sweep, or choosing the emptiest sections, found no room */
	bool is_rehearsal; /* contents are neither read nor written */
	bool is_zoned;	   /* logs place what is placed */
	bool is_stopped;   /* by the host */
	bool is_short;	   /* of memory, while files were listed */
	uint64_t partly;   /* files of which not everything can be read */
	uint32_t step;	   /* transactions so far */
	unsigned cautious; /* how often the size of windows was halved for want of room */
	int64_t started;
	struct vec items;  /* struct defrag_item, by key */
	size_t next;	   /* the first that may not be done */
	struct vec inodes; /* f2fs_nid_t: all files, for the figures at the end */
	struct map32 known; /* files that are among the items */
	uint8_t *states;   /* enum section_state, of each section */
	uint8_t *moves;	   /* two bits for each block of the main area: how often it was moved */
	uint32_t *valid;   /* blocks in use in each section, as of the last look */
	uint8_t *kinds;	   /* enum section_kind bits, of each section */
	uint8_t *buffer;   /* a segment of blocks */
	struct live live;
	struct vec blocks;	    /* struct live_block: those of the item at hand */
	f2fs_seg_t segno, run_end;  /* where the next block goes, and the end of the run of sections */
	uint32_t at;
	uint32_t sweep;		    /* section that comes next */
	uint8_t type;			    /* enum f2fs_log_type of what was placed last */
	struct filler filler;
	struct defrag_sink sink;
	uint32_t section_room;	/* blocks that a section can hold: of zones fewer than it has */
	uint32_t sections_left; /* of a zoned volume, that placing may still take before the commit */
	uint64_t total;	     /* blocks to be placed */
	uint64_t node_limit; /* dirty nodes that the transaction may have */
};

enum section_kind { SECTION_HAS_LOG = 1, SECTION_HAS_NODES = 2, SECTION_IS_FREE = 4 };

/* defrag/list.c */
int defrag_list(struct defrag_run *r);
/* A file that is not among the items lost its order: place it, too. */
int defrag_add(struct defrag_run *r, f2fs_nid_t ino);

/* defrag/file.c */
enum defrag_verdict { DEFRAG_MOVED, DEFRAG_IN_PLACE, DEFRAG_LEFT };
/* Collect the blocks of an item that are not where they belong yet, into r->blocks; *left: they cannot be moved. */
int defrag_collect(struct defrag_run *r, const struct defrag_item *item, bool *left);
/* Do the collected blocks follow each other? */
bool defrag_is_whole(const struct defrag_run *r);
/* Move collected blocks to the run at hand, as many as fit; *moved of them were. */
int defrag_place(struct defrag_run *r, uint8_t type, size_t *moved);
/* What is left of the segment at hand stays free. */
int defrag_next_segment(struct defrag_run *r);
/* Blocks to the end of the section at hand; 0: at the start of one. */
uint32_t defrag_rest_of_section(const struct defrag_run *r);
/* The same for all of them. */
int defrag_next_section(struct defrag_run *r);
/* A block was moved. */
void defrag_count(struct defrag_run *r, f2fs_blk_t from, f2fs_blk_t to);
/* The collected blocks stay where they are, as if this run had placed them there. */
void defrag_keep(struct defrag_run *r);

/* defrag/clear.c */
/* See what is in each section; in a transaction. */
int defrag_look(struct defrag_run *r);
/* Begin a transaction in which sections that are kept are barred, and room is known. */
int defrag_begin(struct defrag_run *r, struct space_view *view);
/* How many nodes may change when that many of the free sections are taken for something else. */
void defrag_limit_nodes(struct defrag_run *r, const struct space_view *view, uint32_t taken);
/* End it with a commit, or drop it when err is not 0 or nothing was changed; returns err or what the commit returns. */
int defrag_end(struct defrag_run *r, int err);
/* Where to put what is in the way: fullest segments first, or those at the end of the volume. */
int defrag_open_sink(struct defrag_run *r, uint32_t free_sections);
/* Move what is in use out of a section, which is barred. *cleared: it is empty now; *fits: there was room. */
int defrag_clear(struct defrag_run *r, uint32_t section, bool *cleared, bool *fits);

/* defrag/window.c */
/* Choose the next target sections, and clear them. */
int defrag_window(struct defrag_run *r);
/* How many sections placing may take before the commit. */
uint32_t defrag_placing_sections(const struct defrag_run *r, const struct space_view *view);
/* Blocks that can still be placed one behind the other. */
uint64_t defrag_room(const struct defrag_run *r);
/* Are there target sections besides the run at hand? */
bool defrag_has_more(const struct defrag_run *r);
/* Go on with them; what is left of the run at hand stays free. */
int defrag_next_run(struct defrag_run *r);

/* defrag/zoned.c */
/* How many blocks a section can hold. */
uint32_t zoned_section_blocks(const struct f2fs_volume *vol);
/* What is in the way, or what is to be placed, comes next; that may take so many sections. */
int zoned_begin_clearing(struct defrag_run *r);
int zoned_begin_placing(struct defrag_run *r, uint32_t sections);
/* Blocks that go to the section at hand. */
uint32_t zoned_room(const struct defrag_run *r);
uint32_t zoned_clearing_room(const struct defrag_run *r);
/* Go on in another section. */
int zoned_next_run(struct defrag_run *r);
/* Append blocks of one owner: *got of want, from *to on. */
int zoned_place(struct defrag_run *r, const struct live_block *b, uint32_t want, const uint8_t *data, f2fs_blk_t *to,
		uint32_t *got);
int zoned_clear(struct defrag_run *r, const struct live_block *b, uint32_t want, const uint8_t *data, f2fs_blk_t *to,
		uint32_t *got);
/* Is that where a file goes on that a section cannot hold? */
bool zoned_is_break(const struct defrag_run *r, f2fs_blk_t last, f2fs_blk_t next);

/* defrag/resume.c */
/* Skip what lies in order already, where a sweep begins. */
int defrag_resume(struct defrag_run *r);

/* defrag/space.c */
/* Move what is in use into as few segments as hold it. */
int defrag_space(struct defrag_run *r);

/* defrag/progress.c */
/* The next item that is not done; NULL: none. */
struct defrag_item *defrag_next_item(struct defrag_run *r);
void defrag_finish_item(struct defrag_run *r, struct defrag_item *item);
bool defrag_is_out_of_time(const struct defrag_run *r);
bool defrag_is_at_limit(const struct defrag_run *r);
/* Of the limit of blocks; UINT64_MAX: there is none. */
uint64_t defrag_blocks_left(const struct defrag_run *r);
void defrag_progress(struct defrag_run *r, const char *phase);

static inline uint32_t defrag_section_blocks(const struct defrag_run *r)
{
	return r->vol->geo.segs_per_sec * F2FS_SEGMENT_BLOCKS;
}

static inline uint32_t defrag_section_of(const struct defrag_run *r, f2fs_blk_t addr)
{
	return geometry_segment_of(&r->vol->geo, addr) / r->vol->geo.segs_per_sec;
}

#endif
