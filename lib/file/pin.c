/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Preallocate a pinned file as the kernel does: every hole of the range, whose length is rounded up to whole sections,
 * gets a block now, in sections that nothing else is written to (log/pinned.c). Existing blocks stay.
 */
#include "file/change_trim.h"
#include "file/map_cut.h"
#include "file/map_write.h"
#include "file/pin.h"
#include "file/winode.h"
#include "file/write.h"
#include "log/nodes.h"
#include "log/pinned.h"
#include "log/space.h"

static bool needs_block(uint32_t slot)
{
	return slot == F2FS_NULL_ADDR || slot == F2FS_NEW_ADDR;
}

void pin_align(const struct winode *w, uint64_t *first, uint64_t *end)
{
	const struct f2fs_geometry *geo = &w->txn->vol->geo;
	const uint64_t per = (uint64_t)geo->segs_per_sec * F2FS_SEGMENT_BLOCKS,
		       most = node_max_file_blocks(geo, w->layout.node_slots);

	*first = *first / per * per;
	*end = (*end + per - 1) / per * per;
	if (*end > most)
		*end = most;
}

static int count_missing(struct winode *w, uint64_t first, uint64_t end, uint64_t *missing)
{
	struct slot_ref run;

	*missing = 0;
	if (winode_is_inline(w)) {
		*missing = end - first;
		return 0;
	}
	for (uint64_t at = first; at < end; at += run.count) {
		int err = winode_breathe(w);

		if (!err)
			err = slot_find(w, at, &run);
		if (err)
			return err;
		if (run.count > end - at)
			run.count = (uint32_t)(end - at);
		for (uint32_t i = 0; run.node && i < run.count; i++)
			*missing += needs_block(get_le32(run.raw + (size_t)i * 4));
		*missing += run.node ? 0 : run.count;
	}
	return 0;
}

int pin_need_space(struct winode *w, uint64_t first, uint64_t end, struct pinned *pinned)
{
	const uint32_t bits = w->txn->vol->geo.block_bits;
	uint64_t missing;
	int err = map_need_space(w, first << bits, end << bits);

	if (!err)
		err = count_missing(w, first, end, &missing);
	return err ? err : pinned_begin(w->txn, missing, pinned);
}

/* Give blocks to count slots that have none. */
static int fill(struct winode *w, struct pinned *pinned, const struct slot_ref *run, uint32_t from, uint32_t count)
{
	uint32_t fresh = 0, got = 0;
	int err;

	for (uint32_t i = 0; i < count; i++)
		fresh += get_le32(run->raw + (size_t)(from + i) * 4) == F2FS_NULL_ADDR;
	err = space_take(w->txn, fresh);
	if (!err)
		err = winode_count(w, fresh);
	for (uint32_t done = 0; done < count && !err; done += got) {
		f2fs_blk_t addr = F2FS_NULL_ADDR;

		err = pinned_take(pinned, slot_owner(run, from + done), count - done, &addr, &got);
		for (uint32_t i = 0; i < got && !err; i++)
			put_le32(run->raw + (size_t)(from + done + i) * 4, addr + i);
	}
	node_dirty(w->txn, run->node);
	return err;
}

int pin_preallocate(struct winode *w, uint64_t first, uint64_t end, struct pinned *pinned)
{
	struct slot_ref run;

	for (uint64_t at = first; at < end; at += run.count) {
		int err = winode_breathe(w);

		if (!err)
			err = slot_make(w, at, &run);
		if (err)
			return err;
		if (run.count > end - at)
			run.count = (uint32_t)(end - at);
		for (uint32_t i = 0, n; i < run.count && !err; i += n) {
			const bool missing = needs_block(get_le32(run.raw + (size_t)i * 4));

			for (n = 1; i + n < run.count; n++)
				if (needs_block(get_le32(run.raw + (size_t)(i + n) * 4)) != missing)
					break;
			if (missing)
				err = fill(w, pinned, &run, i, n);
		}
		if (err)
			return err;
	}
	return 0;
}
