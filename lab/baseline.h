/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Placements of other papers, for comparison, on the public placement.h alone. The head of each file names its paper
 * and the choices that are its own. baselines.def lists them.
 */
#ifndef F2FSKIT_LAB_BASELINE_H
#define F2FSKIT_LAB_BASELINE_H

#include <f2fskit/gc.h>
#include <f2fskit/placement.h>

struct lab_baseline;
struct lab_future;

/* Is there a baseline of this name? */
int lab_baseline_is(const char *name);
/* Is it the one that must know the future (baseline_future.h)? */
int lab_baseline_is_future(const char *name);
/*
 * Use a baseline for all writes to the volume, until lab_baseline_close(). The one that knows the future needs
 * `future`, which must live longer; for others it may be NULL. Fails with INVALID (no such name),
 * NOMEM, and as f2fs_volume_set_placement().
 */
int lab_baseline_open(struct f2fs_volume *vol, const char *name, struct lab_future *future, struct lab_baseline **out);
/* Enter the baseline's own victims, if it has some, for f2fs_volume_set_gc() while it is open. */
void lab_baseline_victims(const struct lab_baseline *baseline, struct f2fs_gc_options *gc);
/* Bytes of memory that it takes. */
uint64_t lab_baseline_bytes(const struct lab_baseline *baseline);
/* NULL is allowed. The volume has no changes that wait for a commit. The context's error stays. */
void lab_baseline_close(struct lab_baseline *baseline);

/* A byte or more for each block of the main area. Blocks outside of it share one entry, the last. */
static inline uint32_t lab_baseline_index(const struct f2fs_geometry *geo, f2fs_blk_t addr)
{
	const uint32_t count = geo->segment_count_main * F2FS_SEGMENT_BLOCKS;

	return addr >= geo->main_blkaddr && addr - geo->main_blkaddr < count ? addr - geo->main_blkaddr : count;
}

/*
 * Fill in the callbacks of a baseline. *out has zeros; its user is allocated, and freed with free(). Return the
 * bytes of that, 0 without memory.
 */
#define BASELINE(name, paper) size_t lab_baseline_##name(const struct f2fs_geometry *geo, struct f2fs_placement *out);
#include "lab/baselines.def"
#undef BASELINE
/* What cleaning a section costs, as in struct f2fs_gc_options. user is the placement's. */
#define VICTIMS(name) double lab_baseline_##name##_cost(void *user, const struct f2fs_gc_section *section);
#include "lab/baseline_victims.def"
#undef VICTIMS

#endif
