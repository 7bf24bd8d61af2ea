/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Clusters of compressed files: the meaning of one cluster's addresses (FORMAT files 8.1), and the header in front of
 * the compressed bytes (FORMAT files 8.2). The algorithms are in base/comp.h.
 */
#ifndef F2FSKIT_FORMAT_CLUSTER_H
#define F2FSKIT_FORMAT_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>

#include "format/geometry.h"
#include "format/rules.h"

enum cluster_kind {
	CLUSTER_HOLE,	    /* nothing */
	CLUSTER_PLAIN,	    /* ordinary blocks, holes and reserved blocks */
	CLUSTER_COMPRESSED, /* stored blocks, the saved ones reserved */
	CLUSTER_RELEASED,   /* stored blocks, the saved ones given back */
	CLUSTER_ILLEGAL,
};

enum cluster_problem {
	CLUSTER_FINE = 0,
	CLUSTER_MISPLACED_HEAD, /* a head in another slot than the first of a cluster */
	CLUSTER_SECOND_HEAD,
	CLUSTER_GAP,	     /* a block after a slot without one */
	CLUSTER_EMPTY,	     /* a head, and no block */
	CLUSTER_BAD_ADDRESS, /* a block outside the main area */
};

struct cluster_shape {
	enum cluster_kind kind;
	enum cluster_problem problem; /* when illegal */
	uint32_t problem_slot;
	uint32_t stored;   /* when legal: blocks with data, plain or compressed */
	uint32_t reserved; /* when legal: slots that are NEW_ADDR */
};

/* Judge the raw slots of one cluster of @blocks blocks, from its first slot on. */
void cluster_classify(const struct f2fs_geometry *geo, const uint8_t *slots, uint32_t blocks,
		      struct cluster_shape *out);

/* Is there compressed data to read? */
static inline bool cluster_is_compressed(const struct cluster_shape *shape)
{
	return shape->kind == CLUSTER_COMPRESSED || shape->kind == CLUSTER_RELEASED;
}

/* Return the fault as a phrase for messages. */
const char *cluster_problem_text(enum cluster_problem problem);

struct cluster_header {
	uint32_t length;   /* of the compressed bytes, which follow the header */
	uint32_t checksum; /* of these, if the inode says that there is one */
};

/* Decode the header at the start of @stored_bytes; RULE_CLUSTER_LENGTH if the announced length is not within these. */
enum rule cluster_header_decode(const uint8_t *raw, size_t stored_bytes, struct cluster_header *out);
void cluster_header_encode(const struct cluster_header *header, uint8_t *raw);

/* The checksum of compressed bytes. */
uint32_t cluster_checksum(const uint8_t *bytes, size_t n);

#endif
