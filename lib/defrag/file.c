/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Move the blocks of one file. They are found by its slots, confirmed by SIT and summaries, and moved in the order of
 * the file into a run of target sections. Contents are copied as stored on the device.
 */
#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "gc/live.h"
#include "gc/mover.h"
#include "defrag/file.h"
#include "defrag/run.h"
#include "defrag/zoned.h"
#include "file/inode_read.h"
#include "file/map_read.h"
#include "log/filler.h"
#include "log/segments.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"

static void leave(struct defrag_run *r, f2fs_nid_t ino, f2fs_blk_t addr, int err, const char *why)
{
	r->result->unreadable += err == F2FS_ERR_IO;
	r->result->unconfirmed += err != F2FS_ERR_IO;
	log_message(r->vol->ctx, F2FS_LOG_WARNING, "inode %u is left alone: block %u: %s", (unsigned)ino,
		    (unsigned)addr, why);
	error_clear(r->vol->ctx);
}

/* Do SIT and summary of a block agree with its slot? Sets *why to NULL, or to the reason why not. */
static int confirm(struct defrag_run *r, const struct live_block *b, const char **why)
{
	struct segment *s;
	struct f2fs_block_owner sum;
	const uint32_t offset = geometry_offset_of(&r->vol->geo, b->addr);
	int err = segment_get(r->vol->txn, b->segno, &s);

	*why = NULL;
	if (err)
		return err;
	if (!msb_test(s->cur, offset))
		*why = "the SIT does not have it in use";
	else if (s->type >= F2FS_HOT_NODE)
		*why = "it is in a segment of nodes";
	if (*why)
		return 0;
	err = f2fs_ssa_lookup(r->vol, b->segno, offset, &sum);
	if (!err && (sum.is_node || sum.nid != b->nid || sum.ofs_in_node != b->ofs || sum.version != b->version))
		*why = "its summary names another owner";
	return err;
}

/* Was a block placed by this run? The sections with such blocks also hold others. */
static bool is_placed(const struct defrag_run *r, f2fs_blk_t addr)
{
	const uint8_t state = r->states[defrag_section_of(r, addr)];
	const uint64_t at = addr - r->vol->geo.main_blkaddr;

	return (state == SECTION_DONE || state == SECTION_TARGET) && (r->moves[at / 4] >> (at % 4 * 2) & 3) > 0;
}

/* Take the slots of one node. */
static int take_slots(struct defrag_run *r, const struct defrag_item *item, const struct map_run *run, uint64_t at,
		      const char **why, f2fs_blk_t *where)
{
	const bool may_be_placed = item->is_started || r->options->order == F2FS_DEFRAG_LIST;
	struct f2fs_nat_info entry;
	int err = nat_get(r->vol, run->nid, &entry);

	for (uint64_t i = 0; i < run->count && at + i < item->end && !err && !*why; i++) {
		const uint32_t addr = get_le32(run->slots + i * 4);
		struct live_block *b;

		if (addr == F2FS_NULL_ADDR || addr == F2FS_NEW_ADDR || addr == F2FS_COMPRESS_ADDR)
			continue;
		*where = addr;
		if (!geometry_is_main(&r->vol->geo, addr)) {
			*why = "it is not in the main area";
			break;
		}
		if (may_be_placed && is_placed(r, addr))
			continue;
		b = vec_push(&r->blocks, 1);
		if (!b)
			return F2FS_ERR_NOMEM;
		*b = (struct live_block){ .addr = addr,
					  .segno = geometry_segment_of(&r->vol->geo, addr),
					  .nid = run->nid,
					  .ino = item->ino,
					  .ofs = (uint16_t)(run->ofs_in_node + i),
					  .version = entry.version };
		err = confirm(r, b, why);
	}
	return err;
}

static int take_file(struct defrag_run *r, const struct defrag_item *item, struct f2fs_inode *inode, const char **why,
		     f2fs_blk_t *where)
{
	struct map_run run = { 0 };

	for (uint64_t at = item->first; at < item->end && !*why; at += run.count) {
		int err = map_find(inode, at, &run);

		if (err == F2FS_ERR_NOT_FOUND)
			break;
		if (!err && run.slots)
			err = take_slots(r, item, &run, at, why, where);
		if (err)
			return err;
	}
	error_clear(r->vol->ctx);
	return 0;
}

int defrag_collect(struct defrag_run *r, const struct defrag_item *item, bool *left)
{
	struct f2fs_inode *inode;
	const char *why = NULL;
	f2fs_blk_t where = 0;
	int err = inode_open(r->vol, item->ino, &inode);

	r->blocks.count = 0;
	*left = false;
	if (!err) {
		const unsigned type = inode_type(inode);

		/* one that cannot own blocks, or may not be moved, was not put on the list */
		if (type == MODE_REG || type == MODE_DIR || type == MODE_LNK)
			err = take_file(r, item, inode, &why, &where);
		f2fs_inode_close(inode);
	}
	if (err == F2FS_ERR_CORRUPT || err == F2FS_ERR_IO || err == F2FS_ERR_NOT_FOUND) {
		why = err == F2FS_ERR_IO ? "a node or summary cannot be read" : "a node is damaged";
		leave(r, item->ino, where, err, why);
		*left = true;
		return 0;
	}
	if (!err && why) {
		leave(r, item->ino, where, 0, why);
		*left = true;
	}
	return err;
}

bool defrag_is_whole(const struct defrag_run *r)
{
	const struct live_block *list = r->blocks.items;

	for (size_t i = 1; i < r->blocks.count; i++)
		if (list[i].addr != list[i - 1].addr + 1 &&
		    !(r->is_zoned && zoned_is_break(r, list[i - 1].addr, list[i].addr)))
			return false;
	return true;
}

void defrag_count(struct defrag_run *r, f2fs_blk_t from, f2fs_blk_t to)
{
	const uint64_t a = from - r->vol->geo.main_blkaddr, b = to - r->vol->geo.main_blkaddr;
	unsigned n;

	n = (r->moves[a / 4] >> (a % 4 * 2)) & 3;
	n += n < 3;
	r->moves[a / 4] = (uint8_t)(r->moves[a / 4] & ~(3u << (a % 4 * 2)));
	r->moves[b / 4] = (uint8_t)((r->moves[b / 4] & ~(3u << (b % 4 * 2))) | n << (b % 4 * 2));
	r->result->blocks_often += n == 3;
	if (n > r->result->most_moves)
		r->result->most_moves = n;
}

void defrag_keep(struct defrag_run *r)
{
	const struct live_block *list = r->blocks.items;

	for (size_t i = 0; i < r->blocks.count; i++) {
		const uint64_t at = list[i].addr - r->vol->geo.main_blkaddr;

		r->moves[at / 4] = (uint8_t)(r->moves[at / 4] | 1u << (at % 4 * 2));
	}
}

/* How many of n blocks follow each other on the device? */
static uint32_t neighbours(const struct live_block *list, uint32_t n)
{
	uint32_t run = 1;

	while (run < n && list[run].addr == list[0].addr + run)
		run++;
	return run;
}

/* Write out the waiting ones of n blocks, before a place is reserved: doing so later would end the reservation. */
static int write_out(struct defrag_run *r, const struct live_block *list, uint32_t n)
{
	int err = 0;

	for (uint32_t i = 0, run; i < n && !err; i += run) {
		run = neighbours(list + i, n - i);
		err = r->vol->ops.running->write_out(r->vol, list[i].addr, run);
	}
	return err;
}

/* Read n blocks from anywhere into one buffer, in order. */
static int gather(struct defrag_run *r, const struct live_block *list, uint32_t n, uint8_t *to)
{
	const uint32_t bits = r->vol->geo.block_bits;

	for (uint32_t i = 0, run; i < n && !r->is_rehearsal; i += run) {
		int err;

		run = neighbours(list + i, n - i);
		err = volume_read_twice(r->vol, list[i].addr, run, to + ((size_t)i << bits));
		if (err)
			return err;
	}
	return 0;
}

/* Begin with the current segment unless that is done already. */
static int need_segment(struct defrag_run *r, uint8_t type)
{
	struct segment *s;
	int err = segment_get(r->vol->txn, r->segno, &s);

	if (err || r->filler.is_open)
		return err;
	if (r->at == 0)
		return filler_open(&r->filler, r->segno, type, 0);
	return filler_open(&r->filler, r->segno, s->type, r->at);
}

/* Put blocks of one owner where they belong. */
static int put_run(struct defrag_run *r, const struct live_block *b, uint32_t want, const uint8_t *data,
		   f2fs_blk_t *to, uint32_t *got)
{
	int err;

	if (r->is_zoned)
		return zoned_place(r, b, want, data, to, got);
	err = filler_put(&r->filler, live_owner(b), want, data, to, got);
	r->at = r->filler.at;
	return err;
}

/* Put blocks that are where the filler wanted them into its segment; *done of n. */
static int put_segment(struct defrag_run *r, const struct live_block *list, uint32_t n, const uint8_t *data,
		       uint32_t *done)
{
	struct txn *txn = r->vol->txn;
	uint32_t got = 1;
	int err = 0;

	for (*done = 0; *done < n && got > 0 && !err;) {
		const struct live_block *b = &list[*done];
		uint32_t want = 1;
		struct segment *s;
		f2fs_blk_t to = 0;

		while (*done + want < n && b[want].nid == b->nid && b[want].ofs == b->ofs + want)
			want++;
		err = segment_get(txn, b->segno, &s);
		if (err)
			return err;
		txn->moved_mtime = s->mtime;
		err = put_run(r, b, want, data ? data + ((size_t)*done << r->vol->geo.block_bits) : NULL, &to, &got);
		txn->moved_mtime = 0;
		for (uint32_t i = 0; i < got && !err; i++) {
			err = live_repoint(txn, b + i, to + i);
			if (!err)
				defrag_count(r, b[i].addr, to + i);
		}
		*done += got;
	}
	return err;
}

int defrag_next_segment(struct defrag_run *r)
{
	int err = filler_close(&r->filler);

	r->segno++;
	r->at = 0;
	if (r->segno % r->vol->geo.segs_per_sec == 0)
		r->states[r->segno / r->vol->geo.segs_per_sec - 1] = SECTION_DONE;
	return err;
}

uint32_t defrag_rest_of_section(const struct defrag_run *r)
{
	const uint32_t at = r->segno % r->vol->geo.segs_per_sec * F2FS_SEGMENT_BLOCKS + r->at;

	return at ? defrag_section_blocks(r) - at : 0;
}

int defrag_next_section(struct defrag_run *r)
{
	int err = 0;

	while (defrag_rest_of_section(r) > 0 && r->segno < r->run_end && !err)
		err = defrag_next_segment(r);
	return err;
}

/* The same on a zoned volume. */
static int append(struct defrag_run *r, size_t *moved)
{
	const struct live_block *list = r->blocks.items;
	int err = 0;

	while (*moved < r->blocks.count && !err) {
		const size_t left = r->blocks.count - *moved;
		const uint32_t room = zoned_room(r), most = room < F2FS_SEGMENT_BLOCKS ? room : F2FS_SEGMENT_BLOCKS,
			       n = left < most ? (uint32_t)left : most;
		uint32_t done = 0;

		if (n == 0)
			break;
		err = gather(r, list + *moved, n, r->buffer);
		if (err == F2FS_ERR_IO) {
			leave(r, list[0].ino, list[*moved].addr, err, "it, or one after it, cannot be read");
			return 0;
		}
		if (!err)
			err = put_segment(r, list + *moved, n, r->buffer, &done);
		*moved += done;
		r->result->blocks_placed += done;
	}
	return err;
}

int defrag_place(struct defrag_run *r, uint8_t type, size_t *moved)
{
	const struct live_block *list = r->blocks.items;
	int err = 0;

	*moved = 0;
	if (r->is_zoned)
		return append(r, moved);
	while (*moved < r->blocks.count && r->segno < r->run_end && !err) {
		const size_t left = r->blocks.count - *moved;
		uint32_t n = left < F2FS_SEGMENT_BLOCKS ? (uint32_t)left : F2FS_SEGMENT_BLOCKS, done = 0;
		uint8_t *to = NULL;

		err = need_segment(r, type);
		if (!err && !r->is_rehearsal)
			err = write_out(r, list + *moved, n);
		if (!err)
			err = filler_reserve(&r->filler, n, &to, &n);
		if (err)
			return err;
		err = gather(r, list + *moved, n, to);
		if (err == F2FS_ERR_IO) {
			leave(r, list[0].ino, list[*moved].addr, err, "it, or one after it, cannot be read");
			return 0;
		}
		if (!err)
			err = put_segment(r, list + *moved, n, to, &done);
		*moved += done;
		r->result->blocks_placed += done;
		if (!err && (n == 0 || r->at == F2FS_SEGMENT_BLOCKS))
			err = defrag_next_segment(r);
	}
	return err;
}
