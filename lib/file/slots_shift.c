/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Slots of a file that move to other nodes. A block that the last checkpoint uses keeps its summary, which names its
 * node: so blocks are copied, in the form that they are stored in. No key is needed, and no block is counted again.
 */
#include <string.h>

#include "file/change_trim.h"
#include "file/data_append.h"
#include "file/map_cut.h"
#include "file/map_write.h"
#include "file/slots_own.h"
#include "file/slots_shift.h"
#include "log/nodes.h"
#include "volume/block_read.h"

#define PIECE 128u /* slots that move at once */

struct shift {
	struct winode *w;
	uint32_t words[PIECE];
	uint8_t *buffer; /* of PIECE blocks */
};

/* Take the words of slots out of their nodes. */
static int take(struct shift *s, uint64_t from, uint32_t count, bool *any)
{
	struct slot_ref run;

	*any = false;
	memset(s->words, 0, sizeof(s->words));
	for (uint32_t at = 0; at < count; at += run.count) {
		int err = slot_find(s->w, from + at, &run);

		if (err)
			return err;
		if (run.count > count - at)
			run.count = count - at;
		err = run.node ? slots_need_own(s->w, &run, run.count) : 0;
		if (err)
			return err;
		for (uint32_t i = 0; run.node && i < run.count; i++) {
			s->words[at + i] = get_le32(run.raw + (size_t)i * 4);
			put_le32(run.raw + (size_t)i * 4, F2FS_NULL_ADDR);
			*any |= s->words[at + i] != F2FS_NULL_ADDR;
		}
		if (run.node)
			node_dirty(s->w->txn, run.node);
	}
	return 0;
}

/* Copy count blocks from addr on, which slots have now. */
static int copy_blocks(struct shift *s, struct slot_ref *slot, uint64_t file_block, uint32_t addr, uint32_t count)
{
	struct f2fs_volume *vol = s->w->txn->vol;
	int err;

	if (addr + count > vol->geo.end_blkaddr)
		return volume_corrupt(vol, RULE_NODE_ADDR, F2FS_NO_BLOCK, s->w->node->nid, "a block at %u",
				      (unsigned)addr);
	err = volume_read(vol, addr, 0, s->buffer, (size_t)count << vol->geo.block_bits);
	return err ? err : data_append_again(s->w, slot, file_block, s->buffer, count);
}

/* Put words into the slots of one node from file block to on; blocks that they name move. */
static int put_words(struct shift *s, struct slot_ref *slot, uint64_t to, const uint32_t *words, uint32_t count)
{
	const struct f2fs_geometry *geo = &s->w->txn->vol->geo;

	for (uint32_t i = 0; i < count; i++)
		put_le32(slot->raw + (size_t)i * 4, words[i]);
	node_dirty(s->w->txn, slot->node);
	for (uint32_t i = 0, n; i < count; i += n) {
		struct slot_ref part = { slot->node, slot->raw + (size_t)i * 4, slot->ofs_in_node + i,
					 slot->count - i };
		int err;

		n = 1;
		if (!geometry_is_main(geo, words[i]))
			continue;
		while (i + n < count && words[i + n] == words[i] + n)
			n++;
		err = copy_blocks(s, &part, to + i, words[i], n);
		if (err)
			return err;
	}
	return 0;
}

static int put(struct shift *s, uint64_t to, uint32_t count)
{
	for (uint32_t at = 0, n; at < count; at += n) {
		struct slot_ref slot;
		int err;

		n = 1;
		if (s->words[at] == F2FS_NULL_ADDR) /* its target is empty, and needs no node */
			continue;
		err = slot_make(s->w, to + at, &slot);
		if (err)
			return err;
		while (n < slot.count && at + n < count && s->words[at + n] != F2FS_NULL_ADDR)
			n++;
		err = put_words(s, &slot, to + at, s->words + at, n);
		if (err)
			return err;
	}
	return 0;
}

static int move(struct shift *s, uint64_t from, uint64_t to, uint32_t count)
{
	bool any;
	int err = winode_breathe(s->w);

	if (!err)
		err = take(s, from, count, &any);
	return err || !any ? err : put(s, to, count);
}

/* Find the end of the last node that holds slots. */
static int find_end(struct winode *w, uint64_t *end)
{
	const uint64_t most = node_max_file_blocks(&w->txn->vol->geo, w->layout.node_slots);
	struct slot_ref run;

	*end = 0;
	for (uint64_t at = 0; at < most; at += run.count) {
		int err = winode_breathe(w);

		if (!err)
			err = slot_find(w, at, &run);
		if (err)
			return err;
		if (run.node)
			*end = at + run.count;
	}
	return 0;
}

static int start(struct shift *s, struct winode *w, uint64_t *end)
{
	s->w = w;
	s->buffer = mem_alloc(w->txn->vol->ctx, (size_t)PIECE << w->txn->vol->geo.block_bits);
	return s->buffer ? find_end(w, end) : F2FS_ERR_NOMEM;
}

static int finish(struct shift *s, int err)
{
	mem_free(s->w->txn->vol->ctx, s->buffer);
	inode_set_i_ext_len(winode_block(s->w), 0);
	node_dirty(s->w->txn, s->w->node);
	return err;
}

int slots_shift_up(struct winode *w, uint64_t first, uint32_t distance)
{
	struct shift s;
	uint64_t end = 0;
	int err = start(&s, w, &end);

	while (!err && end > first) {
		const uint32_t n = end - first < PIECE ? (uint32_t)(end - first) : PIECE;

		end -= n;
		err = move(&s, end, end + distance, n);
	}
	return finish(&s, err);
}

int slots_shift_down(struct winode *w, uint64_t first, uint32_t distance)
{
	struct shift s;
	uint64_t end = 0, used = 0;
	int err = start(&s, w, &end);

	for (uint64_t at = first; at < end && !err;) {
		const uint32_t n = end - at < PIECE ? (uint32_t)(end - at) : PIECE;

		err = move(&s, at, at - distance, n);
		for (uint32_t i = 0; i < n; i++)
			if (s.words[i] != F2FS_NULL_ADDR)
				used = at - distance + i + 1;
		at += n;
	}
	if (!err)
		err = map_truncate(w, used > first - distance ? used : first - distance);
	return finish(&s, err);
}
