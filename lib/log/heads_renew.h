/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose where the logs of a zoned volume continue when a transaction begins.
 */
#ifndef F2FSKIT_LOG_HEADS_RENEW_H
#define F2FSKIT_LOG_HEADS_RENEW_H

#include "log/run.h"

/* Before anything is allocated, logs that cannot continue in place begin a new section. */
int heads_renew(struct txn *txn);
/* Move a log of a zoned volume to another section; the rest of its zone is abandoned. */
int section_leave(struct txn *txn, unsigned type);

#endif
