/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads, memory, the ring of batches.
 */
#ifndef F2FSKIT_SINK_HOSTPIPE_H
#define F2FSKIT_SINK_HOSTPIPE_H

#include "sink/hostrun.h"

int host_pipe_init(struct host *h);
/* Wait for all that is planned. */
int host_pipe_flush(struct host *h);
void host_pipe_fini(struct host *h);

#endif
