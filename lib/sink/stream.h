/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A stream of the caller with a buffer. It keeps its first failure: later calls do nothing and return it again.
 */
#ifndef F2FSKIT_SINK_STREAM_H
#define F2FSKIT_SINK_STREAM_H

#include "sink/sink.h"

struct sink_stream;
/* output: enum f2fs_output; name: for messages, where the stream has no path. */
int sink_stream_open(struct sink *sink, const struct f2fs_stream *stream, uint32_t output, const char *name,
		     struct sink_stream **out);
/* Returns 0 or an errno, and records nothing. */
int sink_stream_put(struct sink_stream *s, const void *data, size_t length);
/* Is it a regular file? Then puts may be made by any thread, one at a time, and never wait for a reader. */
bool sink_stream_is_file(const struct sink_stream *s);
/* Record the failure and return its code. */
int sink_stream_report(const struct sink_stream *s);
/* Drop an incomplete stream: a new file is removed, one that existed before is noted in the result. NULL is allowed. */
void sink_stream_drop(struct sink_stream *s);
/*
 * Flush and close; NULL is allowed. Returns 0 or the code of the failure, recorded, after which the stream was dropped.
 */
int sink_stream_close(struct sink_stream *s);

#endif
