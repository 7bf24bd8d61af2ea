/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which logs a transaction has, and which segments are theirs.
 */
#include "log/log.h"

unsigned head_of(const struct txn *txn, unsigned type)
{
	bool node = type >= F2FS_HOT_NODE;

	if (geometry_has(&txn->vol->geo, F2FS_FEAT_RO) || txn->log_count == 2)
		return node ? F2FS_HOT_NODE : F2FS_HOT_DATA;
	if (txn->log_count == 4) {
		if (txn->vol->write.cold_apart && type == F2FS_HOT_DATA)
			return F2FS_WARM_DATA;
		if (!txn->vol->write.cold_apart && type == F2FS_WARM_DATA)
			return F2FS_COLD_DATA;
		if (type == F2FS_HOT_NODE)
			return F2FS_COLD_NODE;
	}
	return type;
}

bool segment_is_current(const struct txn *txn, f2fs_seg_t segno)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		if (txn->heads[i].sums && txn->heads[i].segno == segno)
			return true;
	return false;
}
