/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count the blocks in segments, and the runs of free blocks between them: one pass over the SIT of the last checkpoint.
 */
#include "base/bitmap.h"
#include "fragments/free.h"
#include "log/segments.h"
#include "volume/heads_read.h"

struct space {
	struct f2fs_fragments *out;
	uint64_t run; /* free blocks up to here */
};

static void end_run(struct space *s)
{
	unsigned k = 0;

	if (s->run == 0)
		return;
	while (k + 1 < F2FS_RUN_CLASSES && s->run >> (k + 1))
		k++;
	s->out->run_counts[k]++;
	s->out->run_blocks[k] += s->run;
	s->out->free_runs++;
	s->out->free_blocks += s->run;
	s->out->longest_run = s->run > s->out->longest_run ? s->run : s->out->longest_run;
	s->run = 0;
}

static void add_segment(struct space *s, const struct f2fs_segment_info *sit)
{
	const uint32_t valid = (uint32_t)bitmap_popcount(sit->valid_map, sizeof(sit->valid_map));

	if (valid == 0) {
		s->run += F2FS_SEGMENT_BLOCKS;
		return;
	}
	if (sit->type < F2FS_SEGMENT_TYPES) {
		s->out->type_segments[sit->type]++;
		s->out->type_blocks[sit->type] += valid;
		s->out->used_segments[sit->type * F2FS_USE_CLASSES + valid * 10 / F2FS_SEGMENT_BLOCKS]++;
	}
	for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS; i++) {
		if (msb_test(sit->valid_map, i))
			end_run(s);
		else
			s->run++;
	}
}

int fragments_add_space(struct f2fs_volume *vol, struct f2fs_fragments *out)
{
	const uint32_t sps = vol->geo.segs_per_sec;
	struct space space = { .out = out };
	bool is_free = true;

	for (f2fs_seg_t i = 0; i < vol->geo.segment_count_main; i++) {
		struct f2fs_segment_info sit;
		int err = f2fs_sit_lookup(vol, i, &sit);
		bool segment_is_free;

		if (err)
			return err;
		add_segment(&space, &sit);
		segment_is_free = bitmap_popcount(sit.valid_map, sizeof(sit.valid_map)) == 0 &&
				  !volume_has_log_in(vol, i);
		out->free_segments += segment_is_free;
		is_free = (i % sps == 0 || is_free) && segment_is_free;
		out->free_sections += is_free && (i + 1) % sps == 0;
	}
	end_run(&space);
	return 0;
}
