/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moving logs to the start of the main area, for images that will be cut after their last used block. mkfs puts data
 * logs a quarter and a half of the way in, and the node log of a read-only volume at the end. A log without blocks
 * moves to the first free section. So does the node log of a read-only volume, and its nodes are written there again.
 */
#include "base/bitmap.h"
#include "log/free_sections.h"
#include "log/gather.h"
#include "log/heads.h"
#include "log/nodes.h"
#include "log/run.h"
#include "log/segments.h"
#include "log/zoned_logs.h"
#include "volume/nat_read.h"

/* Is there a free section before a log's? */
static int has_better(struct txn *txn, unsigned type, bool *better)
{
	f2fs_seg_t segno;
	int err;

	txn->free_cursor = 0;
	err = section_choose(txn, type, &segno, better);
	*better = *better && segno < txn->heads[type].segno;
	return err;
}

/* Have the nodes of a segment written again. The NAT shows which these are, not the summaries. */
static int touch_nodes(struct txn *txn, f2fs_seg_t segno, const struct segment *s, const uint8_t *sums)
{
	const f2fs_blk_t start = geometry_segment_start(&txn->vol->geo, segno);
	struct f2fs_nat_info entry;
	struct node *node;
	int err = 0;

	for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS && !err; i++) {
		const f2fs_nid_t nid = sum_nid(sums + (size_t)i * sum_SIZE);

		if (!msb_test(s->cur, i) || nid == 0 || nid >= txn->vol->geo.max_nid)
			continue;
		err = nat_get(txn->vol, nid, &entry);
		if (err || entry.block_addr != start + i)
			continue;
		err = node_get(txn, nid, &node);
		if (!err)
			node_dirty(txn, node);
	}
	return err;
}

static int gather_one(struct txn *txn, unsigned type)
{
	struct head *head = &txn->heads[type];
	const f2fs_seg_t old = head->segno;
	struct segment *s;
	bool better = false;
	int err = segment_get(txn, old, &s);

	if (!err && (segment_is_free(s) || (txn->lacks_ssa && type >= F2FS_HOT_NODE)))
		err = has_better(txn, type, &better);
	if (err || !better)
		return err;
	if (segment_is_free(s))
		segments_count_free(txn, true);
	else
		err = touch_nodes(txn, old, s, head->sums);
	return err ? err : head_renew(txn, type);
}

int heads_gather(struct txn *txn)
{
	int err = 0;

	if (txn_is_zoned(txn))
		return 0;
	for (unsigned i = 0; i < F2FS_LOG_COUNT && !err; i++)
		if (head_of(txn, i) == i && txn->heads[i].sums)
			err = gather_one(txn, i);
	txn->free_cursor = 0;
	return err;
}
