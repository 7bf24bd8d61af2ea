/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compression clusters: what the slots of one cluster say, and the head of its stored data (FORMAT files 8.1, 8.2).
 */
#ifndef F2FSKIT_FORMAT_CLUSTER_H
#define F2FSKIT_FORMAT_CLUSTER_H

#include "format/geometry.h"
#include "format/rules.h"

enum cluster_kind { CLUSTER_PLAIN = 0, CLUSTER_COMPRESSED = 1, CLUSTER_BAD = 2 };

struct cluster_shape {
	enum cluster_kind kind;
	uint32_t stored;   /* COMPRESSED: blocks in slots 1..stored */
	uint32_t reserved; /* COMPRESSED: slots after them that are reserved; 0 when released */
	uint32_t bad_slot; /* BAD: the first slot that fits no pattern */
};

/* Classify the raw slots of a cluster of blocks slots. */
void cluster_classify(const struct f2fs_geometry *geo, const uint8_t *slots, uint32_t blocks,
		      struct cluster_shape *out);

#endif
