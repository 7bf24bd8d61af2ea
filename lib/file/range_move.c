/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moving blocks of a file to another place in it, for ranges that are taken out or put in: data is copied, holes and
 * reserved blocks become that at the new place.
 */
#include <string.h>

#include "file/change_trim.h"
#include "file/data_append.h"
#include "file/map_write.h"
#include "file/page_store.h"
#include "file/range.h"
#include "file/range_blocks.h"
#include "file/range_move.h"
#include "file/winode.h"
#include "volume/block_read.h"

/* Read blocks of one run of slots, waiting ones included, into buffer. */
static int load_blocks(struct winode *w, uint64_t block, const uint8_t *raw, uint32_t count, uint8_t *buffer)
{
	struct f2fs_volume *vol = w->txn->vol;
	const uint32_t bits = vol->geo.block_bits;

	for (uint32_t i = 0, n; i < count; i += n) {
		const uint8_t *page = page_find(vol, w->node->nid, block + i);
		f2fs_blk_t addr = get_le32(raw + (size_t)i * 4);
		int err = 0;

		n = 1;
		if (page) {
			memcpy(buffer + ((size_t)i << bits), page, vol->geo.block_size);
			continue;
		}
		while (i + n < count && get_le32(raw + (size_t)(i + n) * 4) == addr + n &&
		       !page_find(vol, w->node->nid, block + i + n))
			n++;
		if (!geometry_is_main(&vol->geo, addr) || addr + n > vol->geo.end_blkaddr)
			err = volume_corrupt(vol, RULE_NODE_ADDR, F2FS_NO_BLOCK, w->node->nid, "a block at %u",
					     (unsigned)addr);
		if (!err)
			err = volume_read(vol, addr, 0, buffer + ((size_t)i << bits), (size_t)n << bits);
		if (err)
			return err;
	}
	return 0;
}

enum kind { KIND_HOLE, KIND_RESERVED, KIND_DATA };

static enum kind kind_of(const struct winode *w, const struct slot_ref *run, uint64_t block, uint32_t i)
{
	uint32_t slot = run->node ? get_le32(run->raw + (size_t)i * 4) : F2FS_NULL_ADDR;

	if (slot == F2FS_NULL_ADDR)
		return KIND_HOLE;
	if (slot == F2FS_NEW_ADDR && !page_find(w->txn->vol, w->node->nid, block + i))
		return KIND_RESERVED;
	return KIND_DATA;
}

/* Move a run of blocks of one kind, at most count, to another place that it does not touch; *moved is their number. */
static int move_run(struct winode *w, uint64_t from, uint64_t to, uint64_t count, uint8_t *buffer, uint64_t *moved)
{
	struct slot_ref run;
	enum kind kind;
	uint64_t n = 1;
	int err = winode_breathe(w);

	if (!err)
		err = slot_find(w, from, &run);
	if (err)
		return err;
	kind = kind_of(w, &run, from, 0);
	if (count > run.count)
		count = run.count;
	if (kind == KIND_DATA && count > RANGE_COPY_BLOCKS)
		count = RANGE_COPY_BLOCKS;
	if (!run.node)
		n = count;
	while (n < count && kind_of(w, &run, from, (uint32_t)n) == kind)
		n++;
	*moved = n;
	if (kind == KIND_DATA)
		err = load_blocks(w, from, run.raw, (uint32_t)n, buffer);
	if (!err)
		err = range_punch(w, from, from + n);
	if (!err && kind == KIND_DATA)
		return data_append(w, to, buffer, (uint32_t)n);
	if (!err)
		err = range_punch(w, to, to + n);
	return !err && kind == KIND_RESERVED ? range_reserve(w, to, to + n, false) : err;
}

/* At most step at once, so that no run touches its target. */
int range_move(struct winode *w, uint64_t from, uint64_t to, uint64_t count, uint8_t *buffer)
{
	const uint64_t step = from > to ? from - to : to - from;

	for (uint64_t done = 0, moved = 0; done < count; done += moved) {
		uint64_t n = count - done < step ? count - done : step;
		int err = move_run(w, from + done, to + done, n, buffer, &moved);

		if (err)
			return err;
	}
	return 0;
}
