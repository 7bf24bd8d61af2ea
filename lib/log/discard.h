/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Discard the blocks that a commit freed.
 */
#ifndef F2FSKIT_LOG_DISCARD_H
#define F2FSKIT_LOG_DISCARD_H

#include "log/run.h"

void discard_freed(struct txn *txn);

#endif
