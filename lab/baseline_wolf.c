/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * WOLF, a reordering write buffer: active blocks fill one segment, inactive ones another. A block's reference count
 * grows with each write, and begins at zero again when the block is older than the time-bar. When nine of ten counts
 * are equal the time-bar is doubled, when only one of ten is, it is halved. Made from the text of the paper's section
 * on its grouping algorithm.
 *
 * Left open by the text, and chosen here: a block is active if its count is above the mean of the last round, which is
 * a segment. Time is counted in blocks written. The time-bar begins at a quarter of the main area and stays between a
 * 64th of it and four times of it. Counts end at 255, and move with the block. Moved blocks are inactive. Blocks of
 * equal count are not grouped by file or directory, as all active ones share a segment. How long blocks wait in the
 * buffer is the engine's at_once. The paper's cleaner, which fills holes when the disk is nearly full, is the engine's
 * target = adaptive.
 */
#include <stdlib.h>

#include "lab/baseline.h"

enum { ACTIVE, INACTIVE, STREAMS, MOST = 255, ROUND = F2FS_SEGMENT_BLOCKS };

struct block {
	uint32_t written; /* when */
	uint8_t count;
};

struct wolf {
	struct f2fs_geometry geo;
	uint32_t now, bar, least, most;
	uint32_t mean;		/* of the counts of the round before */
	uint32_t sum, in_round; /* of this round */
	uint32_t counts[MOST + 1];
	struct block blocks[]; /* of the main area */
};

static unsigned count_of(const struct wolf *w, f2fs_blk_t old)
{
	const struct block *b;

	if (!old)
		return 0;
	b = &w->blocks[lab_baseline_index(&w->geo, old)];
	if (w->now - b->written > w->bar)
		return 0;
	return b->count < MOST ? b->count + 1u : MOST;
}

static unsigned classify(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	const struct wolf *w = user;

	(void)ino;
	(void)file_block;
	return count_of(w, old) > w->mean ? ACTIVE : INACTIVE;
}

/* Fit the time-bar to how equal the counts are, and begin another round. */
static void end_round(struct wolf *w)
{
	uint32_t equal = 0;

	for (unsigned i = 0; i <= MOST; i++) {
		equal = w->counts[i] > equal ? w->counts[i] : equal;
		w->counts[i] = 0;
	}
	if (equal * 10 >= w->in_round * 9 && w->bar < w->most)
		w->bar *= 2;
	else if (equal * 10 <= w->in_round && w->bar > w->least)
		w->bar /= 2;
	w->mean = w->sum / w->in_round;
	w->sum = w->in_round = 0;
}

static void written(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct wolf *w = user;
	const unsigned count = count_of(w, old);

	(void)ino;
	(void)file_block;
	w->blocks[lab_baseline_index(&w->geo, addr)] = (struct block){ ++w->now, (uint8_t)count };
	w->counts[count]++;
	w->sum += count;
	if (++w->in_round == ROUND)
		end_round(w);
}

static unsigned moving(void *user, f2fs_nid_t ino, f2fs_blk_t old)
{
	(void)user;
	(void)ino;
	(void)old;
	return INACTIVE;
}

static void moved(void *user, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct wolf *w = user;

	w->blocks[lab_baseline_index(&w->geo, addr)] = w->blocks[lab_baseline_index(&w->geo, old)];
}

size_t lab_baseline_wolf(const struct f2fs_geometry *geo, struct f2fs_placement *out)
{
	const uint32_t count = geo->segment_count_main * F2FS_SEGMENT_BLOCKS;
	const size_t size = sizeof(struct wolf) + ((size_t)count + 1) * sizeof(struct block);
	struct wolf *w = calloc(1, size);

	if (!w)
		return 0;
	w->geo = *geo;
	w->bar = count / 4;
	w->least = count / 64;
	w->most = count < UINT32_MAX / 8 ? count * 4 : UINT32_MAX / 2;
	out->user = w;
	out->streams = STREAMS;
	out->classify = classify;
	out->written = written;
	out->moving = moving;
	out->moved = moved;
	return size;
}
