/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The main area from front to back, see main_reader.h.
 */
#include "volume/main_reader.h"

#include <string.h>

#define CHUNK_BYTES (512u << 10)

int main_reader_init(struct main_reader *r)
{
	r->holes = (struct holes){ .dev = r->vol->dev };
	r->blocks_read = 0;
	r->buffer = mem_alloc(r->vol->ctx, CHUNK_BYTES);
	return r->buffer ? 0 : F2FS_ERR_NOMEM;
}

void main_reader_fini(struct main_reader *r)
{
	mem_free(r->vol->ctx, r->buffer);
}

/* Blocks from addr on that are a hole of the image, at most max. */
static uint32_t hole_blocks(struct main_reader *r, f2fs_blk_t addr, uint32_t max)
{
	const uint64_t bs = r->vol->geo.block_size, count = holes_at(&r->holes, addr * bs) / bs;

	return count < max ? (uint32_t)count : max;
}

bool main_reader_is_hole(struct main_reader *r, f2fs_seg_t segno)
{
	const f2fs_blk_t start = geometry_segment_start(&r->vol->geo, segno);

	return hole_blocks(r, start, F2FS_SEGMENT_BLOCKS) == F2FS_SEGMENT_BLOCKS;
}

static void read_blocks(struct main_reader *r, f2fs_blk_t addr, uint32_t count)
{
	const uint32_t bs = r->vol->geo.block_size;

	r->blocks_read += count;
	if (device_read_quiet(r->vol->dev, (uint64_t)addr * bs, r->buffer, (size_t)count * bs) == 0)
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (device_read_quiet(r->vol->dev, (uint64_t)(addr + i) * bs, r->buffer + (size_t)i * bs, bs) == 0)
			continue;
		memset(r->buffer + (size_t)i * bs, 0, bs);
		r->unread(r->user, addr + i);
	}
}

int main_reader_range(struct main_reader *r, f2fs_seg_t segno, uint32_t from, uint32_t to)
{
	const f2fs_blk_t start = geometry_segment_start(&r->vol->geo, segno);
	const uint32_t bs = r->vol->geo.block_size, most = CHUNK_BYTES / bs;
	int err = 0;

	while (from < to && !err) {
		uint32_t count = hole_blocks(r, start + from, to - from);

		if (count) {
			from += count;
			continue;
		}
		count = to - from < most ? to - from : most;
		read_blocks(r, start + from, count);
		for (uint32_t i = 0; i < count && !err; i++)
			err = r->take(r->user, r->buffer + (size_t)i * bs, start + from + i);
		from += count;
	}
	return err;
}

int main_reader_walk(struct main_reader *r, const char *task, const char *phase,
		     int (*segment)(void *user, f2fs_seg_t segno))
{
	struct f2fs_progress progress = { .task = task, .phase = phase, .unit = "segments" };
	int err = 0;

	progress.total = r->vol->geo.segment_count_main;
	for (f2fs_seg_t i = 0; i < r->vol->geo.segment_count_main && !err; i++) {
		err = segment(r->user, i);
		progress.done = i + 1;
		if (!err && i % 64 == 0)
			err = progress_report(r->vol->ctx, &progress);
	}
	return err;
}
