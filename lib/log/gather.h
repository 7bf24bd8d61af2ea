/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Move logs to the start of the main area.
 */
#ifndef F2FSKIT_LOG_GATHER_H
#define F2FSKIT_LOG_GATHER_H

#include "log/run.h"

/* Move logs that hold nothing, and the node log of a read-only volume, to the first free sections; before changes. */
int heads_gather(struct txn *txn);

#endif
