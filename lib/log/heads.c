/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Multi-head logging: six places where blocks are written, by kind and temperature. Blocks that follow each other are
 * collected and written as one request of up to a segment (FORMAT files 10.3).
 */
#include <string.h>

#include "base/error.h"
#include "log/chain.h"
#include "log/filler.h"
#include "log/free_sections.h"
#include "log/heads.h"
#include "log/run.h"
#include "log/segment_choose.h"
#include "log/segments.h"
#include "log/ssa_write.h"
#include "log/txn_state.h"
#include "log/write_behind.h"
#include "log/zoned_logs.h"
#include "volume/ssa_read.h"
#include "volume/zone_map.h"

static int need_memory(struct txn *txn, struct head *head)
{
	if (!head->buffer)
		head->buffer = mem_alloc(txn->vol->ctx, (size_t)F2FS_SEGMENT_BLOCKS << txn->vol->geo.block_bits);
	return head->buffer ? 0 : F2FS_ERR_NOMEM;
}

static int flush_head(struct txn *txn, struct head *head)
{
	const uint32_t count = head->buffer_count;

	head->buffer_count = 0;
	if (head->alloc_type == ALLOC_HOLES)
		txn->vol->counters.threaded_bytes += (uint64_t)count << txn->vol->geo.block_bits;
	return count == 0 ? 0 : log_write(txn, head->buffer_addr, count, &head->buffer);
}

static int flush_but(struct txn *txn, uint32_t streams)
{
	int err = 0;

	for (unsigned i = 0; i < F2FS_LOG_COUNT && !err; i++)
		err = flush_head(txn, &txn->heads[i]);
	if (!err)
		err = fillers_flush(txn, streams);
	return err ? err : behind_wait(txn, 0, UINT64_MAX >> 1);
}

int heads_flush(struct txn *txn)
{
	return flush_but(txn, 0);
}

int heads_flush_for(struct txn *txn, f2fs_nid_t ino)
{
	const uint64_t *users = map32_find(&txn->stream_users, ino);
	const uint32_t streams = users ? (uint32_t)*users : 0;

	map32_remove(&txn->stream_users, ino);
	return flush_but(txn, ~streams);
}

int heads_write_out(struct txn *txn, f2fs_blk_t addr, uint64_t count)
{
	int err = 0;

	for (unsigned i = 0; i < F2FS_LOG_COUNT && !err; i++) {
		struct head *head = &txn->heads[i];
		const uint64_t start = head->buffer_addr;

		if (head->buffer_count > 0 && addr < start + head->buffer_count && start < addr + count)
			err = flush_head(txn, head);
	}
	return err;
}

const uint8_t *heads_find(const struct txn *txn, f2fs_blk_t addr)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		const struct head *head = &txn->heads[i];

		if (addr >= head->buffer_addr && addr - head->buffer_addr < head->buffer_count)
			return head->buffer + ((size_t)(addr - head->buffer_addr) << txn->vol->geo.block_bits);
	}
	return NULL;
}

int heads_begin(struct txn *txn)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		struct head *head = &txn->heads[i];
		struct f2fs_log_head at;
		uint8_t entry_type;
		int source, err;

		if (head_of(txn, i) != i && txn->lacks_ssa)
			continue;
		f2fs_volume_log(txn->vol, i, &at);
		head->sums = mem_zalloc(txn->vol->ctx, txn->vol->geo.sum_size);
		if (!head->sums)
			return F2FS_ERR_NOMEM;
		head->segno = at.segno;
		head->blkoff = at.blkoff;
		head->alloc_type = at.alloc_type;
		err = ssa_read(txn->vol, at.segno, head->sums, &entry_type, &source);
		if (err)
			return err;
	}
	return 0;
}

void heads_end(struct txn *txn)
{
	behind_end(txn);
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		mem_free(txn->vol->ctx, txn->heads[i].sums);
		mem_free(txn->vol->ctx, txn->heads[i].buffer);
		memset(&txn->heads[i], 0, sizeof(txn->heads[i]));
	}
}

/* Write what waits in a log, and the summary of its segment, which the log is about to leave. */
static int close_segment(struct txn *txn, unsigned type)
{
	struct head *head = &txn->heads[type];
	int err = flush_head(txn, head);

	return err ? err : summary_write(txn, head->segno, head->sums, type >= F2FS_HOT_NODE);
}

/* A log begins to write to a segment. */
static int enter_segment(struct txn *txn, unsigned type, f2fs_seg_t segno, uint8_t alloc_type)
{
	struct head *head = &txn->heads[type];
	struct segment *s;
	int err = segment_get(txn, segno, &s);

	if (!err)
		err = section_enter(txn, segno);
	if (err)
		return err;
	if (alloc_type == ALLOC_HOLES)
		err = summary_read(txn, segno, head->sums);
	else
		memset(head->sums, 0, SUMMARY_BYTES);
	if (err)
		return err;
	s->is_taken = s->is_taken || segment_is_free(s);
	if (alloc_type == ALLOC_APPEND)
		segments_count_free(txn, false);
	head->segno = segno;
	head->alloc_type = alloc_type;
	head->blkoff = alloc_type == ALLOC_HOLES ? segment_next_hole(s, 0) : 0;
	if (s->type != type) {
		s->type = (uint8_t)type;
		s->is_dirty = true;
	}
	s->is_dirty = true;
	return 0;
}

/* Move a log to a new segment. */
static int open_segment(struct txn *txn, unsigned type)
{
	const f2fs_seg_t left = txn->heads[type].segno;
	struct segment *s = NULL;
	f2fs_seg_t segno;
	uint8_t alloc_type;
	int err = close_segment(txn, type);

	if (!err)
		err = segment_choose(txn, type, left, &segno, &alloc_type);
	if (!err)
		err = enter_segment(txn, type, segno, alloc_type);
	if (!err)
		err = segment_get(txn, left, &s);
	if (!err)
		segment_give_back(txn, left, s);
	return err;
}

int head_renew(struct txn *txn, unsigned type)
{
	f2fs_seg_t segno;
	bool found;
	int err = close_segment(txn, type);

	if (!err)
		err = section_choose(txn, type, &segno, &found);
	if (err)
		return err;
	if (!found)
		return error_set(txn->vol->ctx, F2FS_ERR_NOSPC, "no section is free for %s", f2fs_log_type_name(type));
	if (type == F2FS_WARM_NODE)
		txn->chain.is_broken = true; /* recovery looks for the chain where the checkpoint left the log */
	return enter_segment(txn, type, segno, 0);
}

int head_leave(struct txn *txn, unsigned type)
{
	struct segment *left;
	/* the old segment counts as free when the commit finds it empty */
	int err = segment_get(txn, txn->heads[type].segno, &left);

	if (err)
		return err;
	if (type == F2FS_WARM_NODE)
		txn->chain.is_broken = true; /* recovery looks for the chain where the checkpoint left the log */
	return open_segment(txn, type);
}

/* Return the end of the writable part of a log's segment: zones may have less capacity than blocks. */
static uint32_t head_end(const struct txn *txn, unsigned type)
{
	return zones_usable(txn->vol, txn->heads[type].segno);
}

/* Make sure that a log has a free block at blkoff. */
static int need_room(struct txn *txn, unsigned type)
{
	struct head *head = &txn->heads[type];
	struct segment *s;
	int err;

	err = txn_need_sound(txn);
	if (!err)
		err = need_memory(txn, head);
	if (err)
		return err;
	err = segment_get(txn, head->segno, &s);
	if (err)
		return err;
	if (s->valid == 0 && s->type != type) { /* damaged, and wrong from the first block on */
		s->type = (uint8_t)type;
		s->is_dirty = true;
	}
	if (head->blkoff < F2FS_SEGMENT_BLOCKS)
		head->blkoff = segment_next_hole(s, head->blkoff);
	return head->blkoff < head_end(txn, type) ? 0 : open_segment(txn, type);
}

/* Take the block at blkoff: map, summary, next place. */
static int take_block(struct txn *txn, unsigned type, struct owner owner, f2fs_blk_t *addr)
{
	struct head *head = &txn->heads[type];
	uint8_t *sum = head->sums + (size_t)head->blkoff * sum_SIZE;
	struct segment *s;
	int err;

	*addr = geometry_segment_start(&txn->vol->geo, head->segno) + head->blkoff;
	err = segment_mark(txn, *addr, true);
	if (err)
		return err;
	sum_set_owner(sum, owner);
	head->blkoff++;
	if (head->alloc_type != ALLOC_HOLES)
		return 0;
	err = segment_get(txn, head->segno, &s);
	if (!err)
		head->blkoff = segment_next_hole(s, head->blkoff);
	return err;
}

int head_queue(struct txn *txn, unsigned type, f2fs_blk_t addr, const uint8_t *block)
{
	const uint32_t bits = txn->vol->geo.block_bits;
	struct head *head = &txn->heads[head_of(txn, type)];

	if (head->buffer_count > 0 &&
	    (head->buffer_addr + head->buffer_count != addr || head->buffer_count == F2FS_SEGMENT_BLOCKS)) {
		int err = flush_head(txn, head);

		if (err)
			return err;
	}
	if (head->buffer_count == 0)
		head->buffer_addr = addr;
	memcpy(head->buffer + ((size_t)head->buffer_count << bits), block, txn->vol->geo.block_size);
	head->buffer_count++;
	return 0;
}

int head_append(struct txn *txn, unsigned kind, struct owner owner, uint32_t want, const uint8_t *data,
		f2fs_blk_t *addr, uint32_t *got)
{
	unsigned type = head_of(txn, kind);
	int err = need_room(txn, type);

	*got = 0;
	while (!err && *got < want) {
		struct head *head = &txn->heads[type];
		f2fs_blk_t next;

		if (*got > 0 && (head->blkoff >= head_end(txn, type) ||
				 geometry_segment_start(&txn->vol->geo, head->segno) + head->blkoff != *addr + *got))
			break; /* the run ends here */
		err = take_block(txn, type, owner_behind(owner, *got), &next);
		if (!err)
			err = head_queue(txn, type, next, data + ((size_t)*got << txn->vol->geo.block_bits));
		if (err)
			return err;
		if (*got == 0)
			*addr = next;
		++*got;
	}
	return err;
}

int head_take_node(struct txn *txn, unsigned kind, f2fs_nid_t nid, f2fs_blk_t *addr, f2fs_blk_t *next)
{
	unsigned type = head_of(txn, kind);
	int err = need_room(txn, type);

	if (!err)
		err = take_block(txn, type, (struct owner){ .nid = nid }, addr);
	/* each node of the chain names the next block of the log, even when that is in another segment */
	if (!err)
		err = need_room(txn, type);
	if (err)
		return err;
	*next = geometry_segment_start(&txn->vol->geo, txn->heads[type].segno) + txn->heads[type].blkoff;
	if (type == F2FS_WARM_NODE)
		chain_follow(txn, *addr, *next);
	return 0;
}

int head_need_room(struct txn *txn, unsigned type)
{
	return need_room(txn, type);
}
