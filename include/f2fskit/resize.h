/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Grow and shrink a volume. If anything stops the work, even a power cut at any write, the volume can still be opened
 * and mounted. It is then as before or after one of the steps. Calling again completes the work.
 */
#ifndef F2FSKIT_RESIZE_H
#define F2FSKIT_RESIZE_H

#include <f2fskit/volume.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of f2fs_resize; begin it with F2FS_SIZED. */
struct f2fs_resize_options {
	uint32_t struct_size; /* F2FS_SIZED */
	/* new size in bytes, from the start of the volume to its end on the device (on the last one when there are
	 * several). A part of a zone at the end is left unused. 0: all of the device. */
	uint64_t size;
	double overprovision; /* percent kept for GC; 0: the value that leaves most usable space */
	uint8_t keep_size;    /* keep the size, and change only the overprovision ratio */
	uint8_t to_minimum;   /* shrink to the smallest size; size is ignored */
	/* write nothing: the result shows what would be done. A device opened for reading will do. */
	uint8_t dry_run;
};

/* How a step changes the volume. */
enum f2fs_resize_kind {
	F2FS_RESIZE_SHRINK = 1,	  /* the tail is emptied and cut off */
	F2FS_RESIZE_EXTEND = 2,	  /* the areas have room for more segments */
	F2FS_RESIZE_RELAYOUT = 3, /* larger areas, which are written again */
	F2FS_RESIZE_HOME = 4,	  /* after an interrupted relayout: areas move back to the start */
	F2FS_RESIZE_RESERVE = 5,  /* only the space kept for GC changes */
	F2FS_RESIZE_REDUCE = 6	  /* smaller areas, which are written again */
};
/* Return "shrink", "extend", "relayout", "home", "reserve", "reduce"; "unknown" for other numbers. */
F2FS_API const char *f2fs_resize_kind_name(unsigned kind);

enum { F2FS_RESIZE_STEPS = 16 };

/* A step of resizing, after which the volume opens with all files. */
struct f2fs_resize_step {
	uint32_t kind;	   /* enum f2fs_resize_kind */
	uint32_t segments; /* of the volume after the step, areas included */
	uint32_t moved;	   /* relayout, reduce: main segments that are emptied for it */
};

/* Result of f2fs_resize() and f2fs_resize_plan(); begin it with F2FS_SIZED. */
struct f2fs_resize_result {
	uint32_t struct_size; /* F2FS_SIZED */
	uint64_t old_bytes;	  /* size of the volume before, from its start; of several devices on the last one */
	uint64_t new_bytes;	  /* size after it, likewise */
	uint32_t old_segments;	  /* segments before, areas included */
	uint32_t new_segments;	  /* segments after it */
	uint64_t old_user_blocks; /* blocks that files can use before */
	uint64_t new_user_blocks; /* blocks that files can use after it */
	uint64_t minimum_bytes;	  /* the smallest size by shrinking in place, an estimate */
	uint64_t device_bytes;	  /* size of the device */
	uint8_t device_is_short;  /* the volume is larger than its device */
	uint32_t step_count;	  /* length of steps */
	struct f2fs_resize_step steps[F2FS_RESIZE_STEPS]; /* in order */
	uint64_t blocks_to_move;			  /* an estimate */
	uint64_t moved_blocks;				  /* moved so far, */
	uint32_t commits;				  /* and commits for it */
	uint64_t area_bytes;				  /* written for new areas */
	uint32_t estimated_commits; /* of a dry run */
	/* of a dry run, by the reading speed of the device; 0: not known (the context has no clock), or nothing is
	 * to be moved */
	double estimated_seconds;
	/* Segments of the areas that a volume of the new size does not need. Too little room, a pinned or damaged file,
	 * or zones that are written in order can keep areas from becoming smaller. */
	uint32_t spare_segments;
};

/*
 * Resize the volume on a device. The call opens it, and opens it again after each step, with the options of
 * f2fs_volume_open(): with recover, an unclean volume is recovered first. The caller must not have it open meanwhile.
 * The device must be as long as the new size already; it is not cut after shrinking.
 *
 * Errors that are known beforehand are returned before anything is written: NOSPC (too small a size; the message names
 * the smallest, or how many blocks have to be freed), TOO_BIG, RANGE (the device is shorter), UNSUPPORTED (read-only
 * volumes; larger areas in zones that are written in order; a pinned file or a device alias in the way, named by its
 * path), STATE (unclean, errors, a damaged section in the way, named in the message), IO (an unreadable section in the
 * way). CANCELED by the progress callback, after a commit. *result (may be NULL) is filled also on failure.
 */
F2FS_API int f2fs_resize(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *open,
			 const struct f2fs_resize_options *options, struct f2fs_resize_result *result);

/* Find out which steps f2fs_resize() would take, the same as with dry_run. Fails as f2fs_resize(). */
F2FS_API int f2fs_resize_plan(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *open,
			      const struct f2fs_resize_options *options, struct f2fs_resize_result *result);
/*
 * Find the smallest sizes in bytes. *in_place is the size to which the volume can be shrunk (of several devices, the
 * last one's). *anew is the size of a new volume on one device with the same features that would hold the blocks in use
 * (smaller, as its areas are smaller). Either may be NULL. Fails as f2fs_resize() does on volumes that cannot be
 * resized at all.
 */
F2FS_API int f2fs_resize_minimum(struct f2fs_context *ctx, struct f2fs_device *dev,
				 const struct f2fs_open_options *open, uint64_t *in_place, uint64_t *anew);

#ifdef __cplusplus
}
#endif
#endif
