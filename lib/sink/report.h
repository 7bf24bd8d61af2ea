/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Problems that a run reports.
 */
#ifndef F2FSKIT_SINK_REPORT_H
#define F2FSKIT_SINK_REPORT_H

#include "sink/sink.h"

/* The place of a problem: an entry, and the part of it. */
struct sink_place {
	struct sink_dir *dir; /* NULL: the root of the volume is the entry */
	const char *name;     /* NULL: dir itself is the entry */
	f2fs_nid_t ino;
	const char *what;
};
/* Report the error just recorded in the context. Returns 0, or CANCELED when the host wants to stop. */
int sink_problem(struct sink *sink, int kind, const struct sink_place *place);
/* Report an error that does not make the run incomplete. */
int sink_remark(struct sink *sink, int kind, const struct sink_place *place);
/* Report an attribute that the host did not take (enum f2fs_keep bit). The error is recorded. */
int sink_attribute_lost(struct sink *sink, unsigned bit, const struct sink_place *place);
/* Is this a failure of the host that ends the run, rather than one of an entry? */
bool sink_is_fatal(int sys_errno);
/* Record that the caller wants to stop; returns CANCELED. */
int sink_stopped(struct sink *sink);

#endif
