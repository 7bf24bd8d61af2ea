/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Adopt blocks: data that was written after the last checkpoint, and that recovery makes part of the next one in its
 * place. First all of these blocks are kept from being allocated; then one after the other becomes valid and gets a
 * summary. Until the commit, everything that another recovery would need stays untouched (FORMAT files 12.8, 12.9).
 */
#include <string.h>

#include "base/bitmap.h"
#include "log/adopt.h"
#include "log/heads_renew.h"
#include "log/run.h"
#include "log/segments.h"
#include "log/ssa_write.h"
#include "log/zoned_logs.h"
#include "volume/block_read.h"
#include "volume/ssa_read.h"

int segment_keep(struct txn *txn, f2fs_blk_t addr)
{
	uint32_t offset = geometry_offset_of(&txn->vol->geo, addr);
	struct segment *s;
	int err = segment_get(txn, geometry_segment_of(&txn->vol->geo, addr), &s);

	if (err || msb_test(s->ckpt, offset))
		return err;
	msb_set(s->ckpt, offset);
	s->ckpt_valid++;
	return 0;
}

int heads_pass_kept(struct txn *txn)
{
	if (txn_is_zoned(txn))
		return heads_renew(txn);
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		struct head *head = &txn->heads[i];
		struct segment *s;
		int err;

		if (!head->sums || head->alloc_type != ALLOC_APPEND)
			continue;
		err = segment_get(txn, head->segno, &s);
		if (err)
			return err;
		for (uint32_t at = head->blkoff; at < F2FS_SEGMENT_BLOCKS; at++)
			if (msb_test(s->ckpt, at))
				head->blkoff = at + 1;
	}
	return 0;
}

/* Get the summaries of a segment for changing: those of a log, or a copy that is stored with the commit. */
static int need_sums(struct txn *txn, f2fs_seg_t segno, bool was_free, uint8_t **out)
{
	struct f2fs_context *ctx = txn->vol->ctx;
	uint64_t *slot = map32_find(&txn->adopted, segno);
	uint8_t entry_type;
	int source, err = 0;

	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		if (txn->heads[i].sums && txn->heads[i].segno == segno) {
			*out = txn->heads[i].sums;
			return 0;
		}
	if (slot) {
		*out = (uint8_t *)(uintptr_t)*slot;
		return 0;
	}
	*out = mem_zalloc(ctx, txn->vol->geo.sum_size);
	if (!*out)
		return F2FS_ERR_NOMEM;
	if (!was_free)
		err = ssa_read(txn->vol, segno, *out, &entry_type, &source);
	if (!err)
		err = map32_set(&txn->adopted, segno, (uintptr_t)*out);
	if (err)
		mem_free(ctx, *out);
	return err;
}

/* The first valid block gives an empty segment its type, as in the kernel. */
static int need_data_type(struct txn *txn, f2fs_seg_t segno, struct segment *s, f2fs_blk_t addr, bool is_new)
{
	if (s->valid == 0 && !segment_is_current(txn, segno)) {
		s->type = is_new ? F2FS_COLD_DATA : F2FS_WARM_DATA;
		if (s->was_free)
			segments_count_free(txn, false);
	}
	if (s->type >= F2FS_HOT_NODE)
		return volume_corrupt(txn->vol, RULE_SIT_TYPE, addr, 0, "file data in segment %u, which holds nodes",
				      (unsigned)segno);
	return 0;
}

int block_adopt(struct txn *txn, f2fs_blk_t addr, struct owner owner, bool is_new)
{
	f2fs_seg_t segno = geometry_segment_of(&txn->vol->geo, addr);
	struct segment *s;
	uint8_t *sums, *sum;
	bool was_free;
	int err = segment_get(txn, segno, &s);

	if (err)
		return err;
	was_free = s->valid == 0 && s->was_free;
	err = need_data_type(txn, segno, s, addr, is_new);
	if (!err)
		err = need_sums(txn, segno, was_free, &sums);
	if (!err)
		err = segment_mark(txn, addr, true);
	if (err)
		return err;
	sum = sums + (size_t)geometry_offset_of(&txn->vol->geo, addr) * sum_SIZE;
	sum_set_owner(sum, owner);
	return 0;
}

int block_owner(struct txn *txn, f2fs_blk_t addr, struct f2fs_block_owner *out)
{
	uint8_t *sums;
	const uint8_t *sum;
	int err = need_sums(txn, geometry_segment_of(&txn->vol->geo, addr), false, &sums);

	if (err)
		return err;
	sum = sums + (size_t)geometry_offset_of(&txn->vol->geo, addr) * sum_SIZE;
	memset(out, 0, sizeof(*out));
	out->nid = sum_nid(sum);
	out->version = sum_version(sum);
	out->ofs_in_node = sum_ofs_in_node(sum);
	return 0;
}

int adopted_store(struct txn *txn)
{
	uint32_t segno;
	uint64_t value;

	for (size_t at = 0; map32_each(&txn->adopted, &at, &segno, &value);) {
		int err = summary_write(txn, segno, (const uint8_t *)(uintptr_t)value, false);

		if (err)
			return err;
	}
	adopted_end(txn);
	return 0;
}

void adopted_end(struct txn *txn)
{
	uint32_t segno;
	uint64_t value;

	for (size_t at = 0; map32_each(&txn->adopted, &at, &segno, &value);)
		mem_free(txn->vol->ctx, (void *)(uintptr_t)value);
	map32_fini(&txn->adopted);
}
