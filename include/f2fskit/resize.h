/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Growing and shrinking a volume. Whatever stops the work, a power cut at any write included, the volume can be opened
 * and mounted as it was before or as it is after a step; calling again goes on to the end.
 */
#ifndef F2FSKIT_RESIZE_H
#define F2FSKIT_RESIZE_H

#include <f2fskit/volume.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What to do; begin it with F2FS_SIZED.
 *
 * size:          bytes of the device, from the start of the volume, that the volume shall take: of the last one when
 *                there are several. What makes no whole zone at the end is left. 0: all of the device.
 * overprovision: percent kept for GC; 0: what leaves most usable space.
 * keep_size:     the size stays as it is: only the overprovision ratio changes, to what leaves most when it is 0.
 * to_minimum:    shrink to the smallest size; size is not looked at.
 * dry_run:       only look: the result tells what would be done. Nothing is written, so a device that was opened for
 *                reading will do.
 */
struct f2fs_resize_options {
	uint32_t struct_size; /* F2FS_SIZED */
	uint64_t size;
	double overprovision;
	uint8_t keep_size;
	uint8_t to_minimum;
	uint8_t dry_run;
};

/* How a step changes the volume. */
enum f2fs_resize_kind {
	F2FS_RESIZE_SHRINK = 1,	  /* the tail is emptied and given up */
	F2FS_RESIZE_EXTEND = 2,	  /* the areas have room for more segments */
	F2FS_RESIZE_RELAYOUT = 3, /* larger areas: they are written anew */
	F2FS_RESIZE_HOME = 4,	 /* one that was interrupted: areas move back to the start */
	F2FS_RESIZE_RESERVE = 5, /* only what is kept for GC changes */
	F2FS_RESIZE_REDUCE = 6	 /* smaller areas: they are written anew */
};
/* Return "shrink", "extend", "relayout", "home", "reserve", "reduce"; "unknown" for other numbers. */
F2FS_API const char *f2fs_resize_kind_name(unsigned kind);

enum { F2FS_RESIZE_STEPS = 16 };

struct f2fs_resize_step {
	uint32_t kind;	   /* enum f2fs_resize_kind */
	uint32_t segments; /* of the volume behind it, areas included */
	uint32_t moved;	   /* relayout, reduce: main segments that are emptied for it */
};

struct f2fs_resize_result {
	uint32_t struct_size; /* F2FS_SIZED */
	/* That the volume takes of its device, from its start. Of several devices, bytes are the last one's. */
	uint64_t old_bytes, new_bytes;
	uint32_t old_segments, new_segments;
	uint64_t old_user_blocks, new_user_blocks;
	uint64_t minimum_bytes; /* the smallest size by shrinking in place, as far as can be told beforehand */
	uint64_t device_bytes;	/* of the device */
	uint8_t device_is_short; /* the volume is larger than its device */
	uint32_t step_count;
	struct f2fs_resize_step steps[F2FS_RESIZE_STEPS];
	uint64_t blocks_to_move; /* as far as can be told beforehand */
	uint64_t moved_blocks;	 /* done so far, */
	uint32_t commits;	 /* and commits for it */
	uint64_t area_bytes;	 /* written for new areas */
	/* Of a dry run: about so many commits, and seconds as fast as the device could be read; 0: not known (the
	 * context has no clock), or nothing is to be moved. */
	uint32_t estimated_commits;
	double estimated_seconds;
	/* Of the areas: more than a volume of the new size needs. Too little room, a pinned or damaged file, or
	 * zones that are written in order can keep areas from becoming smaller. */
	uint32_t spare_segments;
};

/*
 * Resize the volume on a device. It is opened, and opened again after each step, by the options that f2fs_volume_open()
 * takes: with recover, an unclean volume is recovered first. Nobody may have it open meanwhile. The device must be as
 * long as the new size already; it is not cut after shrinking.
 *
 * Everything that can be refused is refused before anything is written: NOSPC (too small a size; the message names the
 * smallest, or how many blocks have to be freed), TOO_BIG, RANGE (the device is shorter), UNSUPPORTED (read-only
 * volumes; larger areas in zones that are written in order; a pinned file or a device alias in the way, named by its
 * path), STATE (unclean, errors, a damaged section in the way: named), IO (one that cannot be read). CANCELED by the
 * progress callback, after a commit. *result (may be NULL) is filled whatever the call returns.
 */
F2FS_API int f2fs_resize(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *open,
			 const struct f2fs_resize_options *options, struct f2fs_resize_result *result);

/* Find out what f2fs_resize() would do, and what it would refuse: the same as with dry_run. Fails as that. */
F2FS_API int f2fs_resize_plan(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *open,
			      const struct f2fs_resize_options *options, struct f2fs_resize_result *result);
/*
 * Find the smallest sizes in bytes: *in_place, to which the volume can be shrunk (of several devices, the last one's),
 * and *anew, of a new volume on one device with the same features that would hold what is in use (smaller, as its areas
 * are). Either may be NULL. Fails as f2fs_resize() does on volumes that cannot be resized at all.
 */
F2FS_API int f2fs_resize_minimum(struct f2fs_context *ctx, struct f2fs_device *dev,
				 const struct f2fs_open_options *open, uint64_t *in_place, uint64_t *anew);

#ifdef __cplusplus
}
#endif
#endif
