/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write to the logs: six places where blocks are written, by kind and temperature.
 */
#ifndef F2FSKIT_LOG_HEADS_H
#define F2FSKIT_LOG_HEADS_H

#include "log/run.h"

int heads_begin(struct txn *txn);
void heads_end(struct txn *txn);
/*
 * Allocate up to `want` consecutive blocks of a log, and queue `*got` blocks of `data` for them. They become valid, and
 * their summary entries name the owner's slots from owner.ofs on.
 */
int head_append(struct txn *txn, unsigned kind, struct owner owner, uint32_t want, const uint8_t *data,
		f2fs_blk_t *addr, uint32_t *got);
/* Allocate one block for a node; *next: the address that the log allocates next. The caller queues it: head_queue().
 */
int head_take_node(struct txn *txn, unsigned kind, f2fs_nid_t nid, f2fs_blk_t *addr, f2fs_blk_t *next);
/* Queue the contents of a block taken last from a log. */
int head_queue(struct txn *txn, unsigned type, f2fs_blk_t addr, const uint8_t *block);
/* Write all that waits in logs and fillers. */
int heads_flush(struct txn *txn);
/* The same, but blocks of other files may continue to wait in streams. */
int heads_flush_for(struct txn *txn, f2fs_nid_t ino);
/* Write what waits in those logs that hold a block of a range. */
int heads_write_out(struct txn *txn, f2fs_blk_t addr, uint64_t count);
/* A block that waits in a log, or NULL. */
const uint8_t *heads_find(const struct txn *txn, f2fs_blk_t addr);
/* Move a log that nothing waits in to a new section. */
int head_renew(struct txn *txn, unsigned type);
/* Move a log that nothing waits in to another segment, one with holes if free ones run low; before changes. */
int head_leave(struct txn *txn, unsigned type);
/* Before a commit: make sure that a log's next offset is a free block. */
int head_need_room(struct txn *txn, unsigned type);

#endif
