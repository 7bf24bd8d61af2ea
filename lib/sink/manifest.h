/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A line of JSON for an entry.
 */
#ifndef F2FSKIT_SINK_MANIFEST_H
#define F2FSKIT_SINK_MANIFEST_H

#include "sink/stream.h"

int sink_manifest_add(struct sink *sink, struct sink_stream *s, const char *path, const struct sink_entry *entry);

#endif
