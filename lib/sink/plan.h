/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plan a file on the walk's thread.
 */
#ifndef F2FSKIT_SINK_PLAN_H
#define F2FSKIT_SINK_PLAN_H

#include "sink/hostrun.h"

int host_plan_file(struct host *h, const struct sink_entry *entry);
/* Give the batch being filled to the workers. */
void host_plan_submit(struct host *h);

#endif
