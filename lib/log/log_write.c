/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write blocks of logs and fillers to the device: counted by their cause, at once or by the worker (behind.c).
 */
#include "device/device.h"
#include "log/log.h"
#include "volume/counters.h"

/* What blocks of a segment are written for. */
static unsigned cause_of(const struct txn *txn, unsigned type)
{
	if (type >= F2FS_HOT_NODE)
		return txn->is_cleaning ? F2FS_WRITE_MOVED_NODE : F2FS_WRITE_NODE;
	return txn->is_cleaning ? F2FS_WRITE_MOVED_DATA : F2FS_WRITE_DATA;
}

int log_write(struct txn *txn, f2fs_blk_t addr, uint32_t count, uint8_t **buffer)
{
	const uint32_t bits = txn->vol->geo.block_bits;
	struct segment *s;
	int err = progress_tick(txn->vol->ctx, "write", (uint64_t)count << bits);

	if (!err)
		err = segment_get(txn, geometry_segment_of(&txn->vol->geo, addr), &s);
	if (!err)
		counters_add(txn->vol, cause_of(txn, s->type), (uint64_t)addr << bits, (uint64_t)count << bits);
	/* a block that was freed may still be on its way when it is taken again */
	if (!err)
		err = behind_wait(txn, addr, count);
	if (!err && behind_takes(txn, count))
		err = behind_write(txn, addr, count, buffer);
	else if (!err) /* through the cache, which would otherwise keep the old contents */
		err = device_write(txn->vol->cache, (uint64_t)addr << bits, *buffer, (size_t)count << bits);
	if (err)
		txn_fail(txn);
	return err;
}
