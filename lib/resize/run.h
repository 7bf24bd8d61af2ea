/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of resizing, and their common types.
 *
 *	resize/resize.c	 the driver: checks, steps, opening again
 *	resize/repack.c	 a size that stays, with other areas, for a volume that stays open
 *	resize/now.c	 the current volume: its contents, opening it again, another geometry
 *	resize/stages.c	 the steps from one size to another; pure
 *	resize/fits.c	 the contents of a size; pure
 *	resize/reduce.c	 areas that become smaller; pure
 *	resize/shrink.c	 steps that leave the areas where they are
 *	resize/relayout.c steps that write new areas
 *	resize/areas.c	 a whole set of areas, derived from the volume's, in an unused place
 */
#ifndef F2FSKIT_RESIZE_RUN_H
#define F2FSKIT_RESIZE_RUN_H

#include <f2fskit/resize.h>

#include "gc/gc.h"
#include "format/plan.h"
#include "log/free_count.h"

/* Why a size cannot be reached. */
enum stage_result {
	STAGE_OK = 0,
	STAGE_NO_ROOM,	 /* too few main segments can be freed for the new areas */
	STAGE_TOO_LARGE, /* the format ends before that */
	STAGE_TOO_SMALL, /* the blocks in use do not fit */
	STAGE_ODD_AREAS, /* the areas are no whole sections */
	STAGE_IN_ORDER,	 /* new areas would have to be written to zones that are only written in order */
	STAGE_RESERVED	 /* the blocks in use do not fit besides the part that the ratio keeps for GC */
};

/* The properties of a volume that determine its size. */
struct stage_volume {
	struct plan_areas shape;  /* segment_count: from the home segment0 on, with dead segments */
	uint32_t meta_segments;	  /* of all areas */
	uint32_t extend_segments; /* main segments that its SIT and SSA have room for */
	uint32_t dead_segments;	  /* between the home of the areas and where they are */
	uint64_t data_blocks, node_blocks, valid_blocks;
	double overprovision;	     /* 0: the best */
	uint32_t nat_used_segments;  /* of both copies of the NAT: the node ids in use need them */
	uint32_t ssa_segments, sums_per_block;
	uint32_t first_segments; /* of the first of several devices, from home on; UINT32_MAX: there is only one */
	uint32_t least_segments; /* the volume has all of its devices with this many; 0: there is only one */
	bool keeps_areas;	 /* areas do not become smaller */
	bool repacks;		 /* areas that are written at home turn packed_ssa around */
	uint32_t unordered_segments; /* on zones: those from home on that can be written anywhere */
	uint32_t section_blocks;     /* that each section holds: zones may hold less than their size; 0: all of it */
};

/* The part of the main area kept for GC, and the rest. */
struct stage_room {
	uint64_t user_blocks;
	uint32_t reserved, overprovision; /* segments */
};

static inline uint32_t stage_zone(const struct stage_volume *v)
{
	return v->shape.segs_per_sec * v->shape.secs_per_zone;
}

struct resize {
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct f2fs_open_options open;
	const struct f2fs_resize_options *options;
	struct f2fs_resize_result *result;
	struct f2fs_volume *vol;
	struct stage_volume now;
	struct sit_usage usage;
	uint64_t device_bytes;	 /* of the device that grows or shrinks, from the volume's start */
	uint64_t target_bytes;	 /* of it that the volume may take */
	uint32_t other_segments; /* of several devices: those of the others */
	uint32_t nat_used_segments; /* as of stage_volume; 0: not counted yet */
	bool keeps_areas;
	bool is_borrowed;	 /* the caller has the volume open: steps load it again in place */
	uint32_t feature_wanted; /* F2FS_FEAT_PACKED_SSA or 0, with is_borrowed */
	uint32_t target;	 /* segments, areas included, counted from the home segment0 */
	f2fs_blk_t home;	 /* segment0 as it should be */
};

struct areas_target {
	struct f2fs_geometry geo; /* areas and main area of the volume to be */
	uint32_t sit_bitmap_bytes, nat_bitmap_bytes, checksum_offset;
	bool large_nat;
	uint32_t usable_segments; /* of the main area */
	struct stage_room room;
};

#endif
