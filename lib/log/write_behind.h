/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write blocks of logs and fillers to the device. A worker writes long runs.
 */
#ifndef F2FSKIT_LOG_WRITE_BEHIND_H
#define F2FSKIT_LOG_WRITE_BEHIND_H

#include "log/run.h"

/* Write consecutive blocks. If the worker writes them, it takes *buffer, which has room for a segment, and another one
 * replaces it. */
int log_write(struct txn *txn, f2fs_blk_t addr, uint32_t count, uint8_t **buffer);

/* Wait for the writes that touch a range. Fails with the error of the first one that failed. */
int behind_wait(struct txn *txn, f2fs_blk_t addr, uint64_t count);
/* Wait for all writes, ignore their errors, and end the worker. */
void behind_end(struct txn *txn);

#endif
