/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the parts of resizing share.
 *
 *	resize/resize.c	 the driver: checks, steps, opening again
 *	resize/now.c	 the volume as it is now: what it holds, opening it again, another geometry
 *	resize/stages.c	 which steps lead from one size to another; pure
 *	resize/shrink.c	 steps that leave the areas where they are
 *	resize/relayout.c steps that write new areas
 *	resize/areas.c	 a whole set of areas, derived from the volume's, in a place that is not in use
 */
#ifndef F2FSKIT_RESIZE_RESIZE_H
#define F2FSKIT_RESIZE_RESIZE_H

#include <f2fskit/resize.h>

#include "clean/clean.h"
#include "format/plan.h"

/* ---- resize/stages.c ---- */

/* Why a size cannot be reached. */
enum stage_result {
	STAGE_OK = 0,
	STAGE_NO_ROOM,	 /* too few main segments can be freed for the new areas */
	STAGE_TOO_LARGE, /* the format ends before that */
	STAGE_TOO_SMALL, /* what is in use does not fit */
	STAGE_ODD_AREAS, /* the areas are no whole sections */
	STAGE_IN_ORDER,	 /* larger areas would have to be written to zones that are only written in order */
	STAGE_RESERVED	 /* what is in use does not fit besides what the ratio keeps for cleaning */
};

/* A volume as far as its size goes. */
struct stage_volume {
	struct plan_areas shape;  /* segment_count: from the home segment0 on, what is dead included */
	uint32_t meta_segments;	  /* of all areas */
	uint32_t extend_segments; /* main segments that its SIT and SSA have room for */
	uint32_t dead_segments;	  /* between the home of the areas and where they are */
	uint64_t data_blocks, node_blocks, valid_blocks;
	double overprovision; /* 0: the best */
	uint32_t unordered_segments; /* on zones: those from home on that can be written anywhere */
	uint32_t section_blocks;     /* that each section holds: zones may hold less than their size; 0: all of it */
};

/* What is kept for cleaning, and what is left. */
struct stage_room {
	uint64_t user_blocks;
	uint32_t reserved, overprovision; /* segments */
};

static inline uint32_t stage_zone(const struct stage_volume *v)
{
	return v->shape.segs_per_sec * v->shape.secs_per_zone;
}

/* Main segments that what is in use needs at least, logs and some room to move included; whole sections. */
uint32_t stage_needed(const struct stage_volume *v);
/* Of so many main segments, those that can hold something, and the blocks that they hold. */
uint32_t stage_usable(const struct stage_volume *v, uint32_t main_segments);
uint64_t stage_held(const struct stage_volume *v, uint32_t main_segments);
/* Segments' worth of blocks that a checkpoint shares out by its numbers. */
uint64_t stage_offered(const struct stage_volume *v, uint64_t user_blocks, uint32_t reserved, uint32_t overprovision);
/*
 * Split a main area. tight: rather keep less for cleaning than the ratio says than be too small for what is in use; for
 * a volume that stays so for a moment only.
 */
bool stage_room(const struct stage_volume *v, uint32_t main_segments, bool tight, struct stage_room *out);
/* The smallest main area that holds what is in use; 0: none up to most. */
uint32_t stage_minimum(const struct stage_volume *v, uint32_t most);
/* The same volume with its areas elsewhere: meta segments, behind dead ones. */
struct stage_volume stage_moved(const struct stage_volume *v, uint32_t dead, uint32_t meta);
/* Segments of the smallest new volume that holds what is in use, up to most; 0: none. */
uint32_t stage_anew(const struct stage_volume *v, uint32_t most);
/* Areas of a volume of that many segments that does not lose any: 0 when there are none. */
uint32_t stage_areas(const struct stage_volume *v, uint32_t segment_count, struct f2fs_layout *out);
/*
 * Find the steps to a size in segments, areas included: at most F2FS_RESIZE_STEPS. With NO_ROOM *missing is how many
 * main segments would have to be free besides. *room: of the volume behind the last step; untouched without steps.
 */
enum stage_result stage_plan(const struct stage_volume *v, uint32_t target, struct f2fs_resize_step *steps,
			     uint32_t *count, uint32_t *missing, struct stage_room *room);

/* ---- the rest ---- */

struct resize {
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct f2fs_open_options open;
	const struct f2fs_resize_options *options;
	struct f2fs_resize_result *result;
	struct f2fs_volume *vol;
	struct stage_volume now;
	struct sit_usage usage;
	uint64_t device_bytes;	/* of the device that grows or shrinks, from the volume's start */
	uint64_t target_bytes;	/* of it that the volume may take */
	uint32_t other_segments; /* of several devices: those of the others */
	uint32_t target;	/* segments, areas included, counted from the home segment0 */
	f2fs_blk_t home;	/* segment0 as it should be */
};

/* ---- resize/now.c ---- */

/* Look at the volume: r->now, r->usage. */
int resize_look(struct resize *r);
/* The geometry in force becomes to: superblocks, flushed; then the volume is opened again. */
int resize_switch(struct resize *r, const struct f2fs_geometry *to);
/* A commit with the numbers of the volume's size as it is now, without the flag of a resize. */
int resize_commit(struct resize *r);
int resize_report(struct resize *r, const char *phase, uint64_t done, uint64_t total, const char *unit);

/* resize/estimate.c: commits and seconds, when blocks of a range are the first to be moved. */
int resize_estimate(struct resize *r, const struct clean_range *range);

/* resize/shrink.c */
int resize_shrink(struct resize *r, uint32_t segment_count);
int resize_extend(struct resize *r, uint32_t segment_count);
/* The main segments that shrinking to a size gives up. */
struct clean_range resize_tail(const struct resize *r, uint32_t segment_count);

/* resize/relayout.c */
int resize_relayout(struct resize *r, const struct f2fs_resize_step *step);
int resize_home(struct resize *r, uint32_t segment_count);

/* resize/areas.c */
struct areas_target {
	struct f2fs_geometry geo; /* areas and main area of the volume to be */
	uint32_t sit_bitmap_bytes, nat_bitmap_bytes, checksum_offset;
	bool large_nat;
	uint32_t usable_segments; /* of the main area */
	struct stage_room room;
};
/*
 * Write SIT, NAT, SSA and both checkpoint packs of a volume that holds the same as vol, with block addresses as they
 * are, and flush. Nothing that vol uses may be where they go. *written: bytes.
 */
int areas_write(struct f2fs_volume *vol, const struct areas_target *to, uint64_t *written);

#endif
