/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filling a chosen segment beside the logs: a free one from its start, or the holes of one in use. On the device such a
 * segment is an ordinary one, with its summaries in the SSA, as the kernel's two logs that no checkpoint names leave
 * theirs. While it is filled it is barred: no log takes its blocks, and nothing else writes its summaries. Blocks are
 * collected and written as a log's; a reader has them written first (txn.c). The commit closes open fillers. On a zoned
 * volume a filler only appends; the caller sees to the order of segments in a section (zoned_streams.c).
 */
#include <string.h>

#include "base/error.h"
#include "log/filler.h"
#include "log/run.h"
#include "log/segments.h"
#include "log/ssa_write.h"
#include "log/txn_state.h"
#include "log/write_behind.h"
#include "log/zoned_logs.h"
#include "volume/counters.h"
#include "volume/zone_map.h"

int filler_begin(struct filler *f, struct txn *txn)
{
	memset(f, 0, sizeof(*f));
	f->ctx = txn->vol->ctx;
	f->at = F2FS_SEGMENT_BLOCKS;
	f->sums = mem_alloc(f->ctx, SUMMARY_BYTES);
	if (!f->sums)
		return F2FS_ERR_NOMEM;
	f->txn = txn;
	f->next = txn->fillers;
	txn->fillers = f;
	return 0;
}

/* May this segment be filled? */
static int check(const struct filler *f, f2fs_seg_t segno, const struct segment *s, unsigned type, uint32_t at)
{
	const struct txn *txn = f->txn;
	const char *why = NULL;

	if (f->is_open)
		why = "another one is open";
	else if (segment_is_current(txn, segno))
		why = "a log is in it";
	else if (map32_find(&txn->adopted, segno))
		why = "it holds blocks that were recovered";
	else if (!segment_is_free(s) && (s->type >= F2FS_HOT_NODE) != (type >= F2FS_HOT_NODE))
		why = "it is of the other class";
	if (why)
		return error_set(f->ctx, F2FS_ERR_STATE, "segment %u cannot be filled: %s", (unsigned)segno, why);
	if (txn_is_zoned(txn) && !segment_is_unused_from(s, at))
		return error_set(f->ctx, F2FS_ERR_UNSUPPORTED, "holes of a zoned volume cannot be filled");
	if (!segment_is_free(s) && txn->lacks_ssa)
		return error_set(f->ctx, F2FS_ERR_UNSUPPORTED, "a volume without summaries has no holes to be filled");
	return 0;
}

int filler_open(struct filler *f, f2fs_seg_t segno, unsigned type, uint32_t at)
{
	struct txn *txn = f->txn;
	struct segment *s = NULL;
	bool was_free;
	int err = segment_get(txn, segno, &s);

	if (!err)
		err = check(f, segno, s, type, at);
	if (err)
		return err;
	was_free = segment_is_free(s);
	if (was_free)
		memset(f->sums, 0, SUMMARY_BYTES);
	else
		err = summary_read(txn, segno, f->sums);
	f->bars = !s->is_barred;
	if (!err && f->bars)
		err = segments_bar(txn, segno, segno + 1);
	if (err)
		return err;
	s->is_taken = s->is_taken || was_free;
	if (was_free)
		s->type = (uint8_t)type;
	s->is_dirty = true;
	f->is_node = type >= F2FS_HOT_NODE;
	f->segno = segno;
	f->at = at;
	f->is_open = true;
	return 0;
}

/* Return the end of the writable part of the segment: zones may have less capacity than blocks. */
static uint32_t end_of(const struct filler *f)
{
	return zones_usable(f->txn->vol, f->segno);
}

static int flush(struct filler *f)
{
	const uint32_t count = f->buffer_count;

	if (f->stat && count > 0) {
		f->stat->submissions++;
		f->stat->partial += f->at < end_of(f);
	}
	f->buffer_count = 0;
	return count == 0 ? 0 : log_write(f->txn, f->buffer_addr, count, &f->buffer);
}

/* Where the contents of a block are collected; those that follow each other are written together. */
static int prepare(struct filler *f, f2fs_blk_t addr, uint8_t **to)
{
	const uint32_t bits = f->txn->vol->geo.block_bits;
	int err = 0;

	if (f->buffer_count > 0 && f->buffer_addr + f->buffer_count != addr)
		err = flush(f);
	if (!err && !f->buffer) {
		f->buffer = mem_alloc(f->ctx, (size_t)F2FS_SEGMENT_BLOCKS << bits);
		err = f->buffer ? 0 : F2FS_ERR_NOMEM;
	}
	if (err)
		return err;
	if (f->buffer_count == 0)
		f->buffer_addr = addr;
	*to = f->buffer + ((size_t)f->buffer_count << bits); /* of one segment, so it fits */
	return 0;
}

static int queue(struct filler *f, f2fs_blk_t addr, uint32_t count, const uint8_t *data)
{
	uint8_t *to;
	int err = prepare(f, addr, &to);

	if (err)
		return err;
	if (data != to)
		memcpy(to, data, (size_t)count << f->txn->vol->geo.block_bits);
	f->buffer_count += count;
	return 0;
}

int filler_reserve(struct filler *f, uint32_t want, uint8_t **to, uint32_t *count)
{
	struct segment *s = NULL;
	uint32_t at;
	int err = txn_need_sound(f->txn);

	*to = NULL;
	*count = 0;
	if (!err && f->is_open)
		err = segment_get(f->txn, f->segno, &s);
	if (err || !s)
		return err;
	at = segment_next_hole(s, f->at);
	while (*count < want && at + *count < end_of(f) && segment_next_hole(s, at + *count) == at + *count)
		++*count;
	if (*count == 0 || f->is_rehearsal)
		return 0;
	return prepare(f, geometry_segment_start(&f->txn->vol->geo, f->segno) + at, to);
}

/* Take blocks without contents. If such a block was freed a moment ago, its old contents may still be waiting in a log.
 */
static int write_zeros(struct filler *f, f2fs_blk_t addr, uint32_t count)
{
	const uint32_t bits = f->txn->vol->geo.block_bits;
	int err = behind_wait(f->txn, addr, count);

	return err ? err : volume_zero(f->txn->vol, (uint64_t)addr << bits, (uint64_t)count << bits);
}

int filler_put(struct filler *f, struct owner owner, uint32_t want, const uint8_t *data, f2fs_blk_t *addr,
	       uint32_t *got)
{
	struct txn *txn = f->txn;
	struct segment *s = NULL;
	uint32_t at;
	int err = txn_need_sound(txn);

	*got = 0;
	if (!err && f->is_open)
		err = segment_get(txn, f->segno, &s);
	if (err || !s)
		return err;
	at = segment_next_hole(s, f->at);
	*addr = geometry_segment_start(&txn->vol->geo, f->segno) + at;
	for (; *got < want && at < end_of(f) && segment_next_hole(s, at) == at; at++, ++*got) {
		sum_set_owner(f->sums + (size_t)at * sum_SIZE, owner_behind(owner, *got));
		err = segment_mark(txn, *addr + *got, true);
		if (err)
			return err;
	}
	f->at = at;
	if (*got == 0 || f->is_rehearsal)
		return 0;
	return data ? queue(f, *addr, *got, data) : write_zeros(f, *addr, *got);
}

static int filler_flush(struct filler *f)
{
	return f->is_open ? flush(f) : 0;
}

int filler_close(struct filler *f)
{
	int err;

	if (!f->is_open)
		return 0;
	err = flush(f);
	if (!err)
		err = summary_write(f->txn, f->segno, f->sums, f->is_node);
	f->is_open = false;
	f->at = F2FS_SEGMENT_BLOCKS;
	if (!err && f->bars)
		err = segments_unbar(f->txn, f->segno, f->segno + 1);
	return err;
}

int filler_end(struct filler *f)
{
	int err = f->txn ? filler_close(f) : 0;

	filler_drop(f);
	return err;
}

void filler_drop(struct filler *f)
{
	if (!f->ctx)
		return;
	for (struct filler **at = f->txn ? &f->txn->fillers : NULL; at && *at; at = &(*at)->next) {
		if (*at == f) {
			*at = f->next;
			break;
		}
	}
	mem_free(f->ctx, f->sums);
	mem_free(f->ctx, f->buffer);
	memset(f, 0, sizeof(*f));
}

/* ---- all of a transaction ---- */

int fillers_flush(struct txn *txn, uint32_t but_streams)
{
	int err = 0;

	for (struct filler *f = txn->fillers; f && !err; f = f->next)
		if (!(f->stream_bit & but_streams))
			err = filler_flush(f);
	return err;
}

int fillers_close(struct txn *txn)
{
	int err = 0;

	for (struct filler *f = txn->fillers; f && !err; f = f->next)
		err = filler_close(f);
	return err;
}

int fillers_write_out(struct txn *txn, f2fs_blk_t addr, uint64_t count)
{
	int err = 0;

	for (struct filler *f = txn->fillers; f && !err; f = f->next)
		if (f->buffer_count > 0 && addr < (uint64_t)f->buffer_addr + f->buffer_count &&
		    f->buffer_addr < addr + count)
			err = filler_flush(f);
	return err;
}

const uint8_t *fillers_find(const struct txn *txn, f2fs_blk_t addr)
{
	for (const struct filler *f = txn->fillers; f; f = f->next)
		if (addr >= f->buffer_addr && addr - f->buffer_addr < f->buffer_count)
			return f->buffer + ((size_t)(addr - f->buffer_addr) << txn->vol->geo.block_bits);
	return NULL;
}

void fillers_forget(struct txn *txn)
{
	while (txn->fillers) {
		struct filler *f = txn->fillers;

		txn->fillers = f->next;
		f->txn = NULL;
		f->is_open = false;
		f->buffer_count = 0;
	}
}
