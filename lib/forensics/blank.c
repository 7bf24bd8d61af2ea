/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blank blocks: all zeros, or all 0xFF, as a device returns for discarded ones. Linux discards deleted blocks, so such
 * a block proves nothing about a deleted file. Holes of the device are blank without being read. The rest is read in
 * windows, each once in a search: files that were written together are near each other.
 */
#include <string.h>

#include "base/bitmap.h"
#include "base/checked.h"
#include "forensics/blank.h"
#include "forensics/past.h"

#define WINDOW 16u /* blocks that are read at once; divides a segment */

/* The known states of a segment's blocks: a bit each, MSB-first. */
struct blank_segment {
	uint8_t known[F2FS_SEGMENT_BLOCKS / 8], blank[F2FS_SEGMENT_BLOCKS / 8], unread[F2FS_SEGMENT_BLOCKS / 8];
};

static bool looks_blank(const uint8_t *block, uint32_t size)
{
	return (block[0] == 0 || block[0] == 0xFF) && memcmp(block, block + 1, size - 1) == 0;
}

static int need_segment(struct past_blanks *b, struct f2fs_volume *vol, f2fs_seg_t segno, struct blank_segment **out)
{
	const uint64_t *known = map32_find(&b->index, segno);
	size_t number = known ? (size_t)*known : b->segments.count;
	int err;

	if (!known) {
		struct blank_segment *made = vec_push(&b->segments, 1);

		if (!made)
			return F2FS_ERR_NOMEM;
		memset(made, 0, sizeof(*made));
		err = map32_set(&b->index, segno, number);
		if (err) {
			b->segments.count--;
			return err;
		}
	}
	if (!b->window)
		b->window = mem_alloc(vol->ctx, (size_t)WINDOW * vol->geo.block_size);
	if (!b->window)
		return F2FS_ERR_NOMEM;
	*out = vec_at(&b->segments, number);
	return 0;
}

/* Read blocks, one by one where they cannot be read at once. */
static void read_blocks(struct f2fs_volume *vol, struct past_blanks *b, struct blank_segment *s, f2fs_blk_t addr,
			uint32_t count)
{
	const uint32_t bs = vol->geo.block_size, first = geometry_offset_of(&vol->geo, addr);
	const bool at_once =
		device_read_quiet(vol->dev, (uint64_t)addr * bs, b->window, (size_t)count * bs) == 0;

	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *block = b->window + (size_t)i * bs;

		if (!at_once &&
		    device_read_quiet(vol->dev, (uint64_t)(addr + i) * bs, b->window + (size_t)i * bs, bs) != 0) {
			msb_set(s->unread, first + i);
		} else if (looks_blank(block, bs)) {
			msb_set(s->blank, first + i);
		}
	}
}

/* Look at the window of a block. */
static void look(struct f2fs_volume *vol, struct past_blanks *b, struct blank_segment *s, f2fs_blk_t addr)
{
	const uint64_t bs = vol->geo.block_size;
	const uint32_t first = geometry_offset_of(&vol->geo, addr) & ~(WINDOW - 1);
	const f2fs_blk_t start = addr - geometry_offset_of(&vol->geo, addr);

	for (uint32_t i = first, n; i < first + WINDOW; i += n) {
		const uint64_t at = (start + i) * bs, hole = holes_at(&b->holes, at) / bs;
		const uint32_t left = first + WINDOW - i;
		uint64_t data;

		if (hole) {
			n = hole < left ? (uint32_t)hole : left;
			for (uint32_t k = 0; k < n; k++)
				msb_set(s->blank, i + k);
			continue;
		}
		data = b->holes.end > at ? div_ceil64(b->holes.end - at, bs) : 1;
		n = data < left ? (uint32_t)data : left;
		read_blocks(vol, b, s, start + i, n);
	}
	for (uint32_t i = first; i < first + WINDOW; i++)
		msb_set(s->known, i);
}

int blank_ask(struct f2fs_past *past, f2fs_blk_t addr, enum blank *out)
{
	struct f2fs_volume *vol = past->vol;
	const uint32_t offset = geometry_offset_of(&vol->geo, addr);
	struct blank_segment *s;
	int err = need_segment(&past->blanks, vol, geometry_segment_of(&vol->geo, addr), &s);

	if (err)
		return err;
	past->blanks.holes.dev = vol->dev;
	if (!msb_test(s->known, offset)) {
		err = progress_tick(vol->ctx, "judge", (uint64_t)WINDOW << vol->geo.block_bits);
		if (err)
			return err;
		look(vol, &past->blanks, s, addr);
	}
	*out = msb_test(s->unread, offset) ? BLANK_UNREAD : msb_test(s->blank, offset) ? BLANK_YES : BLANK_NO;
	vol->failed_reads += *out == BLANK_UNREAD;
	return 0;
}

void blank_init(struct past_blanks *b, struct f2fs_context *ctx)
{
	memset(b, 0, sizeof(*b));
	map32_init(&b->index, ctx);
	vec_init(&b->segments, ctx, sizeof(struct blank_segment));
}

void blank_fini(struct past_blanks *b, struct f2fs_context *ctx)
{
	map32_fini(&b->index);
	vec_fini(&b->segments);
	mem_free(ctx, b->window);
}
