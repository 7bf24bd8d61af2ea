/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The summaries of segments. Those of segments that are no log are in the SSA, and written in this place alone. Several
 * segments may share a block; the others stay as they are.
 */
#include <string.h>

#include "log/run.h"
#include "log/ssa_write.h"
#include "log/txn_state.h"
#include "volume/block_read.h"
#include "volume/counters.h"

int summary_peek(struct txn *txn, f2fs_seg_t segno, const uint8_t **entries, bool *is_node)
{
	const uint8_t *block;
	uint32_t offset;
	int err;

	*entries = NULL;
	*is_node = false;
	if (txn->lacks_ssa)
		return 0;
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		if (!txn->heads[i].sums || txn->heads[i].segno != segno)
			continue;
		*entries = txn->heads[i].sums;
		*is_node = i >= F2FS_HOT_NODE;
		return 0;
	}
	err = volume_peek(txn->vol, geometry_ssa_block(&txn->vol->geo, segno, &offset), &block);
	if (err)
		return err;
	*entries = block + offset;
	*is_node = sumfoot_entry_type(summary_footer_of(&txn->vol->geo, block + offset)) != SUMMARY_OF_DATA;
	return 0;
}

/*
 * The summary of a segment that is no log now. It is always the one in the SSA: even if the last checkpoint had a log
 * there, with the summary in its pack, that log has left the segment and stored it.
 */
int summary_read(struct txn *txn, f2fs_seg_t segno, uint8_t *entries)
{
	const uint8_t *block;
	uint32_t offset;
	f2fs_blk_t addr = geometry_ssa_block(&txn->vol->geo, segno, &offset);
	int err = volume_peek(txn->vol, addr, &block);

	if (!err)
		memcpy(entries, block + offset, SUMMARY_BYTES);
	return err;
}

int summary_write(struct txn *txn, f2fs_seg_t segno, const uint8_t *entries, bool is_node)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	uint32_t offset;
	f2fs_blk_t addr = geometry_ssa_block(geo, segno, &offset);
	uint8_t *summary;
	int err;

	if (txn->lacks_ssa)
		return 0;
	summary = mem_zalloc(txn->vol->ctx, geo->sum_size);
	if (!summary)
		return F2FS_ERR_NOMEM;
	memcpy(summary, entries, SUMMARY_BYTES);
	sumfoot_set_entry_type(summary_footer_w(geo, summary), is_node ? SUMMARY_OF_NODES : SUMMARY_OF_DATA);
	err = volume_write(txn->vol, F2FS_WRITE_SSA, ((uint64_t)addr << geo->block_bits) + offset, summary,
			   geo->sum_size);
	if (err)
		txn_fail(txn);
	mem_free(txn->vol->ctx, summary);
	return err;
}
