/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Capacity of a main area of some size, and the areas of a volume of some size.
 */
#ifndef F2FSKIT_RESIZE_FITS_H
#define F2FSKIT_RESIZE_FITS_H

#include "resize/run.h"

/* Return the main segments that the blocks in use need at least, with logs and some room to move; whole sections. */
uint32_t stage_needed(const struct stage_volume *v);
/* Of a number of main segments, return those that can hold something, and the blocks that they hold. */
uint32_t stage_usable(const struct stage_volume *v, uint32_t main_segments);
uint64_t stage_held(const struct stage_volume *v, uint32_t main_segments);
/* Segments' worth of blocks that a checkpoint shares out by its numbers. */
uint64_t stage_offered(const struct stage_volume *v, uint64_t user_blocks, uint32_t reserved, uint32_t overprovision);
/*
 * Split a main area. tight: if the area is too small otherwise, keep less for GC than the ratio says. That is for a
 * volume that exists only for a moment.
 */
bool stage_room(const struct stage_volume *v, uint32_t main_segments, bool tight, struct stage_room *out);
/* Return the smallest main area that holds the blocks in use; 0: none up to most. */
uint32_t stage_minimum(const struct stage_volume *v, uint32_t most);
/* Do the blocks in use fit into that number of main segments, next to the part kept for GC? */
bool stage_holds(const struct stage_volume *v, uint32_t main_segments);
/* Return the same volume with its areas elsewhere: meta segments, after dead ones. */
struct stage_volume stage_moved(const struct stage_volume *v, uint32_t dead, uint32_t meta);
/* Return the segments of the smallest new volume that holds the blocks in use, up to most; 0: none. */
uint32_t stage_anew(const struct stage_volume *v, uint32_t most);
/* Areas of a volume of that many segments that does not lose any: 0 when there are none. */
uint32_t stage_areas(const struct stage_volume *v, uint32_t segment_count, struct f2fs_layout *out);
/* The same for the areas that a hop home writes: packed_ssa waits if the dead segments have no room for its areas. */
uint32_t stage_home(const struct stage_volume *v, uint32_t segment_count, struct f2fs_layout *out);

#endif
