/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of fs_config and file_contexts for an entry.
 */
#ifndef F2FSKIT_SINK_ANDROID_LISTS_H
#define F2FSKIT_SINK_ANDROID_LISTS_H

#include "sink/stream.h"

int sink_fs_config_add(struct sink *sink, struct sink_stream *s, const char *path, const struct sink_entry *entry);
int sink_file_contexts_add(struct sink *sink, struct sink_stream *s, const char *path, const struct sink_entry *entry);

#endif
