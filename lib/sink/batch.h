/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Process a batch on a worker's thread.
 */
#ifndef F2FSKIT_SINK_BATCH_H
#define F2FSKIT_SINK_BATCH_H

#include "sink/hostrun.h"

void host_batch_run(struct pool_job *job, unsigned slot);
/* Make a file of a plan: sets its fd, or notes why not. */
void host_batch_create_file(struct host *h, struct host_file *file);
/* Give it its size and attributes and close it. end: where the written contents end, UINT64_MAX when not known. */
void host_batch_finish_file(struct host *h, struct host_file *file, uint64_t end);

#endif
