/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * FADaC, by fading averages: each block has an average of the intervals between its writes, in which old ones fade.
 * Its class is found by comparing the average with thresholds, which are adapted while it runs. A block that has not
 * been written for longer than its average has cooled: the time since its last write counts instead.
 *
 * Read in the abstract and in papers that compare with it, not in its own text. Chosen here: the last interval counts
 * a half, the average before it the other; six classes, as SepBIT's comparison has it; each written block moves
 * thresholds by up to 1/256, so that each class gets the same part of the blocks that users write; new blocks are of
 * the coldest class; averages are kept in memory for each block, not in the metadata of flash pages.
 */
#include <stdlib.h>

#include "lab/baseline.h"

#define CLASSES 6
#define STEPS	256

struct block {
	uint64_t at;	  /* when a user wrote it, from 1; 0: not known */
	uint64_t average; /* of the intervals between writes; 0: none was seen */
};

struct fadac {
	struct f2fs_geometry geo;
	uint64_t now;
	double threshold[CLASSES - 1]; /* the largest average of each class but the last, from hot to cold */
	struct block blocks[];
};

static unsigned class_of(const struct fadac *f, uint64_t average)
{
	unsigned class = 0;

	if (!average)
		return CLASSES - 1;
	while (class < CLASSES - 1 && (double)average > f->threshold[class])
		class++;
	return class;
}

/* The average with the interval that a write now would end. */
static uint64_t average_after(const struct fadac *f, const struct block *b, uint64_t now)
{
	const uint64_t interval = now - b->at;

	(void)f;
	if (!b->at)
		return 0;
	return b->average ? (b->average + interval + 1) / 2 : interval;
}

static unsigned classify(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	const struct fadac *f = user;

	(void)ino;
	(void)file_block;
	if (!old)
		return CLASSES - 1;
	return class_of(f, average_after(f, &f->blocks[lab_baseline_index(&f->geo, old)], f->now + 1));
}

/* Move each threshold towards its quantile: the class with index i and those before it get (i + 1) parts of six. */
static void adapt(struct fadac *f, uint64_t average)
{
	for (unsigned i = 0; i < CLASSES - 1; i++) {
		const double step = f->threshold[i] / STEPS, part = (double)(i + 1) / CLASSES;

		f->threshold[i] += average && (double)average <= f->threshold[i] ? -step * (1 - part) : step * part;
		if (f->threshold[i] < 1)
			f->threshold[i] = 1;
		if (f->threshold[i] > 1e15)
			f->threshold[i] = 1e15;
	}
}

static void written(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct fadac *f = user;
	const uint32_t from = lab_baseline_index(&f->geo, old);
	struct block b = { .at = ++f->now };

	(void)ino;
	(void)file_block;
	if (old) {
		b.average = average_after(f, &f->blocks[from], f->now);
		f->blocks[from] = (struct block){ 0 };
	}
	if (b.average)
		adapt(f, b.average);
	f->blocks[lab_baseline_index(&f->geo, addr)] = b;
}

static unsigned moving(void *user, f2fs_nid_t ino, f2fs_blk_t old)
{
	const struct fadac *f = user;
	const struct block *b = &f->blocks[lab_baseline_index(&f->geo, old)];
	const uint64_t age = f->now - b->at;

	(void)ino;
	return class_of(f, b->average && age > b->average ? age : b->average);
}

static void moved(void *user, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct fadac *f = user;
	const uint32_t from = lab_baseline_index(&f->geo, old);

	f->blocks[lab_baseline_index(&f->geo, addr)] = f->blocks[from];
	f->blocks[from] = (struct block){ 0 };
}

static void freed(void *user, f2fs_blk_t addr)
{
	struct fadac *f = user;

	f->blocks[lab_baseline_index(&f->geo, addr)] = (struct block){ 0 };
}

size_t lab_baseline_fadac(const struct f2fs_geometry *geo, struct f2fs_placement *out)
{
	const size_t blocks = (size_t)geo->segment_count_main * F2FS_SEGMENT_BLOCKS;
	const size_t size = sizeof(struct fadac) + (blocks + 1) * sizeof(struct block);
	struct fadac *f = calloc(1, size);

	if (!f)
		return 0;
	f->geo = *geo;
	for (unsigned i = 0; i < CLASSES - 1; i++)
		f->threshold[i] = (double)blocks * (i + 1) / CLASSES; /* where they begin makes little difference */
	out->user = f;
	out->streams = CLASSES;
	out->classify = classify;
	out->written = written;
	out->moving = moving;
	out->moved = moved;
	out->freed = freed;
	return size;
}
