/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take in the results of a batch.
 */
#ifndef F2FSKIT_SINK_RETIRE_H
#define F2FSKIT_SINK_RETIRE_H

#include "sink/hostrun.h"
#include "sink/report.h"

/* Wait for the oldest batch in flight and report its results. */
int host_retire(struct host *h);
/* Release a batch's files after a failure, without reports. */
void host_abandon(struct host *h, struct host_batch *batch);
void host_shared_put(struct host *h, struct host_shared *shared);
/* Report that the host could not make or write an entry. Returns SINK_LEFT, or the error when it ends the run. */
int host_refused(struct host *h, int sys_errno, const struct sink_place *place, const char *what);
/* The same of an entry without contents. If a manifest keeps it, it is no problem: returns SINK_LISTED. */
int host_refused_without_contents(struct host *h, int sys_errno, const struct sink_place *place, const char *what);
int host_tell_losses(struct host *h, const struct host_wish *wish, const struct sink_place *place);
/* Read the attributes wanted of an inode into a vec of struct host_xattr. Damage is reported. */
int host_xattrs_load(struct host *h, struct f2fs_inode *inode, const struct sink_place *place, struct vec *out);

#endif
