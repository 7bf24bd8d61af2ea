/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A placement that learns: hotness.c has what all methods share, one file each the rest. */
#ifndef F2FSKIT_HOT_HOTNESS_H
#define F2FSKIT_HOT_HOTNESS_H

#include <f2fskit/hotness.h>

#include "volume/volume.h"

struct f2fs_hotness {
	struct f2fs_volume *vol;
	struct f2fs_hotness_options options; /* as they are in force */
	struct f2fs_placement placement;
	uint32_t now; /* the number of the last block written, modulo 2^32; never 0 */
	uint64_t written, known;
	bool is_limited; /* set by the method: it calls streams_limit() by itself */
	void *own; /* of the method */
	void (*end)(struct f2fs_hotness *h);
	void (*stat)(const struct f2fs_hotness *h, struct f2fs_hotness_stat *out);
};

/* Another block is written. */
static inline void hotness_step(struct f2fs_hotness *h)
{
	h->written++;
	h->now += h->now == UINT32_MAX ? 2 : 1;
}

static inline f2fs_seg_t hotness_segment(const struct f2fs_hotness *h, f2fs_blk_t addr)
{
	return geometry_segment_of(&h->vol->geo, addr);
}

#endif
