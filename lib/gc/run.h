/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One run of GC: gc.c has its batches, room.c says what there is room for, reclaim.c starts runs for changes.
 */
#ifndef F2FSKIT_GC_RUN_H
#define F2FSKIT_GC_RUN_H

#include "gc/gc.h"
#include "gc/live.h"
#include "gc/move_target.h"
#include "gc/victims.h"
#include "log/space.h"

enum {
	BATCH_BLOCKS = 65536, /* data moved by one commit */
	BATCH_NODES = 12000   /* nodes that one commit writes: fewer than nodes_trim() lets stay in memory */
};

struct run {
	struct f2fs_volume *vol;
	struct f2fs_gc_options options;
	struct f2fs_gc_result *result;
	struct victims victims;
	struct live live;
	struct gc_target target;
	uint8_t *left;	 /* sections to leave alone, MSB-first */
	uint8_t *buffer; /* a segment */
	int64_t started; /* nanoseconds; 0: no clock */
	uint64_t bytes_before; /* that were written to the device until then */
	uint32_t best_free, stalls;
	/* of the batch */
	uint32_t free_sections;
	bool shares_nodes;	     /* see room.c: how nodes are counted */
	bool plugs;		     /* moved data goes to holes, whatever logs do */
	bool fills_holes;	     /* logs fill holes of segments that are no victims: */
	struct space_view holes;     /* these, without free_sections */
	uint64_t log_rooms[4];	     /* blocks that the cold data log and the node logs take where they are */
	uint64_t data, nodes;	       /* that it writes */
	uint64_t pinned;	       /* of data, what pinned files hold: it needs sections of its own */
	bool is_stopped;      /* by the host */
};

#endif
