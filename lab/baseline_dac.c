/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DAC, dynamic data clustering. Regions are ordered from cold to hot. An overwritten block goes to the next hotter
 * region, a block that cleaning moves to the next colder one. So blocks find those that change as often.
 *
 * Left open by the text, and chosen here: six regions, as SepBIT's comparison has it; a new block begins in the
 * coldest one; a block changes its region whatever its age, without the thresholds of time that the text allows.
 */
#include <stdlib.h>

#include "lab/baseline.h"

enum { REGIONS = 6 };

struct dac {
	struct f2fs_geometry geo;
	uint8_t region[]; /* by block of the main area */
};

static unsigned classify(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	const struct dac *d = user;
	unsigned region;

	(void)ino;
	(void)file_block;
	if (!old)
		return 0;
	region = d->region[lab_baseline_index(&d->geo, old)];
	return region + 1 < REGIONS ? region + 1 : region;
}

static void written(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct dac *d = user;

	d->region[lab_baseline_index(&d->geo, addr)] = (uint8_t)classify(user, ino, file_block, old);
}

static unsigned moving(void *user, f2fs_nid_t ino, f2fs_blk_t old)
{
	const struct dac *d = user;
	const unsigned region = d->region[lab_baseline_index(&d->geo, old)];

	(void)ino;
	return region ? region - 1 : 0;
}

static void moved(void *user, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct dac *d = user;

	d->region[lab_baseline_index(&d->geo, addr)] = (uint8_t)moving(user, 0, old);
}

size_t lab_baseline_dac(const struct f2fs_geometry *geo, struct f2fs_placement *out)
{
	const size_t size = sizeof(struct dac) + (size_t)geo->segment_count_main * F2FS_SEGMENT_BLOCKS + 1;
	struct dac *d = calloc(1, size);

	if (!d)
		return 0;
	d->geo = *geo;
	out->user = d;
	out->streams = REGIONS;
	out->classify = classify;
	out->written = written;
	out->moving = moving;
	out->moved = moved;
	return size;
}
