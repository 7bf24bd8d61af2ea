/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compression of the tar stream.
 */
#ifndef F2FSKIT_SINK_TARFILTER_H
#define F2FSKIT_SINK_TARFILTER_H

#include "sink/stream.h"

struct tar_filter;
/* Start compressing into a stream. UNSUPPORTED for an unknown name or a build without libarchive. */
int tar_filter_open(struct f2fs_context *ctx, const char *name, struct sink_stream *stream, struct tar_filter **out);
int tar_filter_put(struct tar_filter *filter, const void *data, size_t length);
/* Write all buffered data. */
int tar_filter_finish(struct tar_filter *filter);
void tar_filter_close(struct tar_filter *filter);

#endif
