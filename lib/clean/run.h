/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One run of cleaning: clean.c has its batches, room.c says what there is room for, reclaim.c starts runs for changes.
 */
#ifndef F2FSKIT_CLEAN_RUN_H
#define F2FSKIT_CLEAN_RUN_H

#include "clean/clean.h"
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
	struct clean_target target;
	uint8_t *left;	 /* sections to leave alone, MSB-first */
	uint8_t *buffer; /* a segment */
	int64_t started; /* nanoseconds; 0: no clock */
	uint64_t bytes_before; /* that were written to the device until then */
	uint32_t best_free, stalls;
	/* of the batch */
	uint32_t free_sections;
	bool shares_nodes;	     /* see room.c: how nodes are counted */
	bool fills_holes;	     /* moved blocks go to holes of segments that are no victims: */
	struct space_view holes;     /* these, without free_sections */
	uint64_t log_rooms[4];	     /* blocks that the cold data log and the node logs take where they are */
	uint64_t data, nodes;	       /* that it writes */
	uint64_t pinned;	       /* of data, what pinned files hold: it needs sections of its own */
	bool is_stopped;      /* by the host */
};

/* clean.c */
int clean_check_options(struct f2fs_volume *vol, const struct f2fs_gc_options *options);
/* f2fs_gc() within another call. */
int clean_run(struct f2fs_volume *vol, const struct f2fs_gc_options *options, struct f2fs_gc_result *result);

/* victims.c */
/* A section stays as it is: count it, say why, and do not look at it again. */
void clean_leave(struct run *r, uint32_t section);
/* Blocks of a section that can hold something. */
uint32_t clean_section_blocks(const struct f2fs_volume *vol);

/* room.c */
/* Is there room to move the blocks in live besides those that the batch has moved already? */
bool room_fits(const struct run *r);
/* What moving that would take: for the result, when there is no room. */
void room_note(struct run *r, uint32_t section);
/* Choose the victims of a batch, *count from the start of the list, and bar them in the transaction, which is fresh. */
int room_plan(struct run *r, size_t *count);
/* The same for a dry run. */
size_t room_plan_dry(const struct run *r);
/* Predict the free sections at the end of a dry run. */
uint32_t room_predict(const struct run *r);

#endif
