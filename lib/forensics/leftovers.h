/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find free blocks of the main area that hold no node, for listings and carving.
 */
#ifndef F2FSKIT_FORENSICS_LEFTOVERS_H
#define F2FSKIT_FORENSICS_LEFTOVERS_H

#include <f2fskit/carve.h>

#include "device/extents.h"
#include "forensics/past.h"

struct leftovers {
	struct f2fs_past *past;
	struct holes holes;
	const struct past_node **nodes; /* of the search, by address */
	size_t count, next;		/* next: the first one not before the segment */
};

/* The state of a block of a segment. */
enum leftover_block { LEFTOVER_USED, LEFTOVER_FREE, LEFTOVER_NODE };

int leftovers_init(struct leftovers *l, struct f2fs_past *past);
void leftovers_fini(struct leftovers *l);
/*
 * Find the states of a segment's blocks, segments in order: F2FS_SEGMENT_BLOCKS of enum leftover_block. with_holes:
 * free blocks that are holes of the image are free, else they count as used. *first: the segment's first node found.
 */
int leftovers_of_segment(struct leftovers *l, f2fs_seg_t segno, bool with_holes, uint8_t *blocks, size_t *first);

#endif
