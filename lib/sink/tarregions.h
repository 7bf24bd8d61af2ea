/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * List the data regions and holes of a file, which a tar header needs before the contents.
 */
#ifndef F2FSKIT_SINK_TARREGIONS_H
#define F2FSKIT_SINK_TARREGIONS_H

#include "sink/sink.h"

/* Bytes offset .. end - 1 are data. */
struct tar_region {
	uint64_t offset, end;
};

struct tar_regions {
	struct vec list;  /* struct tar_region, ascending, with holes between them */
	uint64_t min_gap; /* holes up to this many bytes are data: grows with fragmentation */
};

/* The longest list; more fragmented files have their smallest holes written as zeros. */
#define TAR_MOST_REGIONS 262144u

void tar_regions_init(struct tar_regions *regions, struct f2fs_context *ctx);
void tar_regions_fini(struct tar_regions *regions);
/*
 * Find the data of a file of size bytes. The part below unreadable nodes is reported (*is_told: it was) and is a hole.
 */
int tar_regions_load(struct sink *sink, const struct sink_entry *entry, uint64_t size, struct tar_regions *regions,
		     bool *is_told);
/* Add a region after the last one. */
int tar_regions_add(struct tar_regions *regions, uint64_t offset, uint64_t end);
bool tar_regions_have_holes(const struct tar_regions *regions, uint64_t size);
/* Bytes of data. */
uint64_t tar_regions_bytes(const struct tar_regions *regions);

#endif
