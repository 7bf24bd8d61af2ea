/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write blocks of logs and fillers to the device, by a worker if that is worth it.
 */
#ifndef F2FSKIT_LOG_WRITE_BEHIND_H
#define F2FSKIT_LOG_WRITE_BEHIND_H

#include "log/run.h"

/* Write consecutive blocks, by the worker if that is worth it: then *buffer, of a segment, becomes another one. */
int log_write(struct txn *txn, f2fs_blk_t addr, uint32_t count, uint8_t **buffer);

/* Wait for the writes that touch a range; fails as they do. */
int behind_wait(struct txn *txn, f2fs_blk_t addr, uint64_t count);
/* Wait for all, whatever comes of them, and end the worker. */
void behind_end(struct txn *txn);

#endif
