/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parts of the tar sink: the list of what of a file is data and what are holes, which a tar header has to tell before
 * the contents; and compression.
 */
#ifndef F2FSKIT_SINK_TAR_H
#define F2FSKIT_SINK_TAR_H

#include "sink/extract.h"

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
/* Find the data of a file of size bytes. What hangs on unreadable nodes is told (*is_told: it was) and is a hole. */
int tar_regions_load(struct extract *x, const struct extract_entry *entry, uint64_t size, struct tar_regions *regions,
		     bool *is_told);
/* Add a region behind the last one. */
int tar_regions_add(struct tar_regions *regions, uint64_t offset, uint64_t end);
bool tar_regions_have_holes(const struct tar_regions *regions, uint64_t size);
/* Bytes of data. */
uint64_t tar_regions_bytes(const struct tar_regions *regions);

/* sink/filter.c */
struct tar_filter;
/* Start compressing into a stream. UNSUPPORTED for an unknown name or a build without libarchive. */
int tar_filter_open(struct f2fs_context *ctx, const char *name, struct extract_stream *stream, struct tar_filter **out);
int tar_filter_put(struct tar_filter *filter, const void *data, size_t length);
/* Write what is held back. */
int tar_filter_finish(struct tar_filter *filter);
void tar_filter_close(struct tar_filter *filter);

#endif
