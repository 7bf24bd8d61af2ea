/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bytes of a tar archive, uncompressed, on their way to the reader of its entries.
 */
#ifndef F2FSKIT_SOURCE_TARSTREAM_H
#define F2FSKIT_SOURCE_TARSTREAM_H

#include "source/input.h"

struct archive;

struct tar_stream {
	struct archive *plain; /* takes the compression off */
	struct source_input input;
	char *given;		/* SOURCE_BUFFER bytes as the host gave them; the caller's */
	uint8_t *bytes;		/* the current block and the one before it, two times SOURCE_BUFFER bytes */
	size_t length, before;	/* of these blocks */
	uint64_t offset;	/* of the current block in the archive */
	const uint8_t *rest;	/* uncompressed bytes that are in no block yet */
	size_t rest_length;
	bool is_empty; /* there is not one byte */
};

/* Open a stream; the error of a failure is that of s->plain when there is one, else recorded. */
int tar_stream_open(struct tar_stream *s, struct f2fs_context *ctx, const struct f2fs_input *from, char *given);
/* Go to the next block, of up to SOURCE_BUFFER bytes; 0 at the end, -1: s->plain has the error. */
long long tar_stream_next(struct tar_stream *s, const void **data);
/*
 * Which times of an entry whose headers begin at that place are below zero by its pax records, as enum source_given?
 * libarchive gives "-0.5" as half a second without a sign.
 */
unsigned tar_stream_signs(const struct tar_stream *s, uint64_t at);
/* Is the mark of the archive's end, a block of zeros, at that place? It must have been read last. */
bool tar_stream_has_end(const struct tar_stream *s, uint64_t at);
void tar_stream_close(struct tar_stream *s);

#endif
