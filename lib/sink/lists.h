/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists of entries.
 */
#ifndef F2FSKIT_SINK_LISTS_H
#define F2FSKIT_SINK_LISTS_H

#include "sink/sink.h"

int sink_lists_open(struct sink *sink);
/* Does anybody want to know of entries? */
bool sink_tells_entries(const struct sink *sink);
/* Does a manifest keep what the host refuses? */
bool sink_has_manifest(const struct sink *sink);
/* Report an entry that was made or planned. If it is not made, only lists get it. */
int sink_tell_entry(struct sink *sink, const struct sink_entry *entry, bool is_made);
/*
 * Close all lists. err: the result of the run. If it is not 0, they are dropped as incomplete. Returns it or the first
 * failure.
 */
int sink_lists_close(struct sink *sink, int err);

#endif
