/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Empty a range of sections, however full they are.
 */
#ifndef F2FSKIT_GC_EMPTY_H
#define F2FSKIT_GC_EMPTY_H

#include "volume/volume.h"

/* A range of main segments, whole sections, that is emptied. */
struct gc_range {
	f2fs_seg_t first, end;
	/* out */
	uint64_t used_blocks;	/* in use in it */
	uint32_t free_segments; /* of it, but for logs */
	uint64_t moved_blocks;	/* out of it */
	uint32_t commits;
};
/*
 * Collect the valid blocks of a range, and check that all can be moved. UNSUPPORTED: a pinned file or an alias is
 * there, and named; STATE: something is damaged there, as for the volume's other faults. Writes nothing.
 */
int gc_range_look(struct f2fs_volume *vol, struct gc_range *range);
/*
 * Empty a range, logs included; it stays barred as long as the volume is open. Uses ordinary commits: whatever stops
 * the work leaves a sound volume, and another call continues. Fails as gc_range_look(), with NOSPC, CANCELED (by the
 * progress callback).
 */
int gc_range_empty(struct f2fs_volume *vol, struct gc_range *range);

#endif
