/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Estimate the cost of a resize without writing: commits by the size of one, and time by the speed at which the device
 * reads some of the blocks to be moved. Each is read once and written once.
 */
#include "gc/empty.h"
#include "device/device.h"
#include "resize/estimate.h"
#include "resize/run.h"
#include "volume/sit_read.h"

enum {
	COMMIT_BLOCKS = 65536, /* that emptying a range moves at most by one commit */
	SAMPLE_BYTES = 32 << 20,
	PIECE_BYTES = 1 << 20
};

/* Count the commits of a step other than those that move blocks. */
static uint32_t fixed_commits(uint32_t kind)
{
	return kind == F2FS_RESIZE_SHRINK || kind == F2FS_RESIZE_EXTEND ? 2 : kind == F2FS_RESIZE_RESERVE ? 1 : 0;
}

/* Read some of a segment in use. */
static int read_sample(struct resize *r, f2fs_seg_t segno, uint8_t *buffer, uint64_t *bytes)
{
	const uint64_t at = (uint64_t)geometry_segment_start(&r->vol->geo, segno) << r->vol->geo.block_bits;
	int err = device_read_quiet(r->vol->dev, at, buffer, PIECE_BYTES);

	*bytes += err ? 0 : PIECE_BYTES;
	return err == F2FS_ERR_NOMEM ? err : 0; /* resizing will report others */
}

/* Bytes per second, from segments of the range that are in use; 0: not known. */
static int measure(struct resize *r, const struct gc_range *range, double *rate)
{
	uint8_t *buffer = mem_alloc(r->ctx, PIECE_BYTES);
	const int64_t start = clock_now(r->ctx);
	uint64_t bytes = 0;
	int64_t spent;
	int err = buffer ? 0 : F2FS_ERR_NOMEM;

	*rate = 0;
	for (f2fs_seg_t segno = range->first; segno < range->end && bytes < SAMPLE_BYTES && !err; segno++) {
		struct f2fs_segment_info entry;

		if (sit_lookup(r->vol, segno, &entry) == 0 && entry.valid_blocks > 0)
			err = read_sample(r, segno, buffer, &bytes);
	}
	spent = clock_now(r->ctx) - start;
	mem_free(r->ctx, buffer);
	if (bytes > 0 && spent > 0)
		*rate = (double)bytes * 1e9 / (double)spent;
	return err;
}

int resize_estimate(struct resize *r, const struct gc_range *range)
{
	struct f2fs_resize_result *result = r->result;
	const uint64_t bytes = result->blocks_to_move << r->vol->geo.block_bits;
	double rate;
	int err;

	for (uint32_t i = 0; i < result->step_count; i++)
		result->estimated_commits += fixed_commits(result->steps[i].kind);
	result->estimated_commits += (uint32_t)((result->blocks_to_move + COMMIT_BLOCKS - 1) / COMMIT_BLOCKS);
	if (bytes == 0 || !range)
		return 0;
	err = measure(r, range, &rate);
	if (!err && rate > 0)
		result->estimated_seconds = 2 * (double)bytes / rate;
	return err;
}
