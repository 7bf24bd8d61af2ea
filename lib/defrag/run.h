/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of defragmentation:
 *	defrag/list.c	lists the items to place, in order
 *	defrag/file.c	moves the blocks of one file
 *	defrag/clear.c	empties sections
 *	defrag/window.c	chooses sections
 *	defrag/zoned.c	places and clears through logs where sections are only appended to
 *	defrag/resume.c	finds the work of an earlier run
 *	defrag/progress.c	items, blocks, limits
 *	defrag/defrag.c	repeats until all is done or a limit is reached
 *	defrag/space.c	packs without an order
 */
#ifndef F2FSKIT_DEFRAG_RUN_H
#define F2FSKIT_DEFRAG_RUN_H

#include <f2fskit/defrag.h>

#include "gc/gc.h"
#include "gc/live.h"
#include "fragments/fragments.h"
#include "log/filler.h"

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

/* State of a section. */
enum section_state {
	SECTION_OTHER,	/* as found, or with blocks that were moved out of the way */
	SECTION_TARGET, /* empty, or being filled */
	SECTION_DONE,	/* holds placed blocks */
	SECTION_LEFT,	/* damaged, unreadable, an alias of a device */
	SECTION_PINNED	/* not cleared, but its holes can be filled */
};

/* The destination of blocks that are in the way. */
struct defrag_sink {
	struct filler filler;
	struct vec segments; /* of segments with holes, in order */
	size_t next;
	uint64_t room;		/* blocks in holes */
	bool could_read;	/* the blocks to be moved */
	uint32_t free_sections; /* that may be taken in addition */
	uint32_t free_next;	/* one past the first place to search for the next free section, downwards */
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
	bool is_zoned;	   /* logs do the placing */
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
	struct vec blocks;	    /* struct live_block: those of the current item */
	f2fs_seg_t segno, run_end;  /* where the next block goes, and the end of the run of sections */
	uint32_t at;
	uint32_t sweep;		    /* section that comes next */
	uint8_t type;			    /* enum f2fs_log_type of the last placed block */
	struct filler filler;
	struct defrag_sink sink;
	uint32_t section_room;	/* blocks that a section can hold: of zones fewer than it has */
	uint32_t sections_left; /* of a zoned volume, that placing may still take before the commit */
	uint64_t total;	     /* blocks to be placed */
	uint64_t node_limit; /* dirty nodes that the transaction may have */
};

enum section_kind { SECTION_HAS_LOG = 1, SECTION_HAS_NODES = 2, SECTION_IS_FREE = 4 };

enum defrag_verdict { DEFRAG_MOVED, DEFRAG_IN_PLACE, DEFRAG_LEFT };

static inline uint32_t defrag_section_blocks(const struct defrag_run *r)
{
	return r->vol->geo.segs_per_sec * F2FS_SEGMENT_BLOCKS;
}

static inline uint32_t defrag_section_of(const struct defrag_run *r, f2fs_blk_t addr)
{
	return geometry_segment_of(&r->vol->geo, addr) / r->vol->geo.segs_per_sec;
}

#endif
