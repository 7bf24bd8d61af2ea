/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The volume's count of blocks in use: nothing is taken beyond what users may have, so that cleaning always has room
 * (FORMAT volume 4.2).
 */
#include "log/log.h"

int space_take(struct txn *txn, uint64_t n)
{
	if (n > txn->user_blocks || txn->valid_blocks > txn->user_blocks - n)
		return error_set(txn->vol->ctx, F2FS_ERR_NOSPC, "the volume is full: %llu of %llu blocks are in use",
				 (unsigned long long)txn->valid_blocks, (unsigned long long)txn->user_blocks);
	txn->valid_blocks += n;
	txn->chain.taken += n;
	txn->vol->generation++;
	return 0;
}

void space_give(struct txn *txn, uint64_t n)
{
	txn->valid_blocks = n < txn->valid_blocks ? txn->valid_blocks - n : 0;
}

int block_free(struct txn *txn, f2fs_blk_t addr)
{
	if (addr == F2FS_NULL_ADDR)
		return 0;
	if (addr != F2FS_NEW_ADDR && addr != F2FS_COMPRESS_ADDR) {
		int err;

		if (!geometry_is_main(&txn->vol->geo, addr))
			return volume_corrupt(txn->vol, RULE_NODE_ADDR, F2FS_NO_BLOCK, 0, "a block to be freed is %u",
					      (unsigned)addr);
		err = segment_mark(txn, addr, false);
		if (err)
			return err;
	}
	space_give(txn, 1);
	return 0;
}
