/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The process that began to extract has the workers and the output. One that was forked meanwhile writes and removes
 * nothing.
 */
#ifndef F2FSKIT_SINK_OWNER_H
#define F2FSKIT_SINK_OWNER_H

#include "sink/sink.h"

/* This process begins. */
void sink_own(struct sink *sink);
/* Is this the process that began? */
bool sink_is_owner(const struct sink *sink);
/* Return 0, or the error of a process that was forked. */
int sink_check_owner(const struct sink *sink);

#endif
