/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SFS: group blocks by hotness, their writes divided by the time since the write before. A segment is as hot as its
 * live blocks: mean writes divided by mean age. Iterative quantisation finds four groups of segments: each segment
 * belongs to the group of the nearest hotness, and each group has the mean hotness of its segments. This is done
 * three times at most. A block is written to the group of the nearest hotness, whether a user or cleaning writes it.
 * A new block is as hot as its file. The victim has the most free space for its use and hotness: (1 - u) / (2 u h).
 *
 * Made from descriptions of SFS, not from its paper's own text. Chosen here: time is counted in blocks that users
 * wrote, and no age is below 512 of them; groups are found again after each 512 of them; the first groups take
 * hotness at equal ranks, not by chance; writes of a file are kept in 4,096 entries, and a file that loses its entry
 * begins again. SFS delays small groups until they fill a segment. Here each group has its own open segment, so
 * nothing waits.
 */
#include <math.h>
#include <stdlib.h>

#include "lab/baseline.h"

enum { GROUPS = 4, TURNS = 3, FILES = 4096 };
#define HEAT_ONE 4294967296.0 /* a heat is a whole number: hotness times this */

struct block {
	uint64_t at;	 /* when a user wrote it, from 1 */
	uint32_t writes; /* 0: not known */
};

struct segment {
	uint64_t writes, at; /* sums over its live blocks */
	uint32_t blocks;
};

struct file {
	f2fs_nid_t ino;
	uint64_t writes, at;
};

struct sfs {
	struct f2fs_geometry geo;
	uint64_t now;
	double groups[GROUPS]; /* hotness, from cold to hot */
	double mean; /* hotness of a segment */
	int is_grouped;
	double *hotness; /* [segments]: room for sorting */
	struct block *blocks;
	struct file files[FILES];
	struct segment segments[];
};

static struct segment *segment_of(struct sfs *s, uint32_t block)
{
	return block / F2FS_SEGMENT_BLOCKS < s->geo.segment_count_main ? &s->segments[block / F2FS_SEGMENT_BLOCKS]
								       : NULL;
}

static double hotness_of(uint64_t writes, uint64_t age)
{
	return (double)writes / (double)(age > F2FS_SEGMENT_BLOCKS ? age : F2FS_SEGMENT_BLOCKS);
}

static double hotness_of_segment(const struct sfs *s, const struct segment *segment)
{
	return segment->blocks ? hotness_of(segment->writes, segment->blocks * s->now - segment->at) : 0;
}

static unsigned nearest(const struct sfs *s, double hotness)
{
	unsigned best = 0;

	for (unsigned i = 1; i < GROUPS; i++)
		if (fabs(s->groups[i] - hotness) < fabs(s->groups[best] - hotness))
			best = i;
	return best;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Find the groups of segments again, from those that there are. */
static void quantise(struct sfs *s)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->geo.segment_count_main; i++)
		if (s->segments[i].blocks)
			s->hotness[count++] = hotness_of_segment(s, &s->segments[i]);
	if (count < GROUPS)
		return;
	s->mean = 0;
	for (uint32_t i = 0; i < count; i++)
		s->mean += s->hotness[i] / count;
	qsort(s->hotness, count, sizeof(*s->hotness), compare);
	for (unsigned i = 0; i < GROUPS && !s->is_grouped; i++)
		s->groups[i] = s->hotness[(uint64_t)(2 * i + 1) * count / (2 * GROUPS)];
	s->is_grouped = 1;
	for (unsigned turn = 0; turn < TURNS; turn++) {
		double sum[GROUPS] = { 0 };
		uint32_t members[GROUPS] = { 0 };
		int has_changed = 0;

		for (uint32_t i = 0; i < count; i++) {
			const unsigned group = nearest(s, s->hotness[i]);

			sum[group] += s->hotness[i];
			members[group]++;
		}
		for (unsigned i = 0; i < GROUPS; i++) {
			const double mean = members[i] ? sum[i] / members[i] : s->groups[i];

			has_changed |= mean < s->groups[i] || mean > s->groups[i];
			s->groups[i] = mean;
		}
		if (!has_changed)
			return;
	}
}

/* The hotness of a block that is at an address now. */
static double hotness_at(const struct sfs *s, uint32_t block)
{
	return hotness_of(s->blocks[block].writes, s->now - s->blocks[block].at);
}

static unsigned classify(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	const struct sfs *s = user;
	const struct file *file = &s->files[ino % FILES];
	const uint32_t block = old ? lab_baseline_index(&s->geo, old) : 0;

	(void)file_block;
	if (old && s->blocks[block].writes)
		return nearest(s, hotness_at(s, block));
	return nearest(s, file->ino == ino ? hotness_of(file->writes, s->now - file->at) : 0);
}

static unsigned moving(void *user, f2fs_nid_t ino, f2fs_blk_t old)
{
	const struct sfs *s = user;

	(void)ino;
	return nearest(s, hotness_at(s, lab_baseline_index(&s->geo, old)));
}

static void leave(struct sfs *s, uint32_t block)
{
	struct segment *from = segment_of(s, block);
	struct block *b = &s->blocks[block];

	if (from && b->writes && from->blocks) {
		from->blocks--;
		from->writes -= b->writes;
		from->at -= b->at;
	}
	*b = (struct block){ 0 };
}

static void enter(struct sfs *s, uint32_t block, struct block what)
{
	struct segment *to = segment_of(s, block);

	if (!what.writes)
		return; /* the engine moves blocks of others, too */
	leave(s, block);
	s->blocks[block] = what;
	if (to) {
		to->blocks++;
		to->writes += what.writes;
		to->at += what.at;
	}
}

static void written(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct sfs *s = user;
	struct file *file = &s->files[ino % FILES];
	const uint32_t from = lab_baseline_index(&s->geo, old);
	const struct block b = { ++s->now, (old ? s->blocks[from].writes : 0) + 1 };

	(void)file_block;
	if (file->ino != ino)
		*file = (struct file){ .ino = ino };
	file->writes++;
	file->at = s->now;
	if (old)
		leave(s, from);
	enter(s, lab_baseline_index(&s->geo, addr), b);
	if (s->now % F2FS_SEGMENT_BLOCKS == 0)
		quantise(s);
}

static void moved(void *user, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct sfs *s = user;
	const uint32_t from = lab_baseline_index(&s->geo, old);
	const struct block b = s->blocks[from];

	leave(s, from);
	enter(s, lab_baseline_index(&s->geo, addr), b);
}

static void freed(void *user, f2fs_blk_t addr)
{
	struct sfs *s = user;

	leave(s, lab_baseline_index(&s->geo, addr));
}

static uint64_t heat(void *user, f2fs_seg_t segno, uint32_t blocks)
{
	const struct sfs *s = user;
	const int is_known = segno < s->geo.segment_count_main && s->segments[segno].blocks;

	(void)blocks; /* segments of nodes, which a placement does not see, are as hot as the mean */
	return (uint64_t)((is_known ? hotness_of_segment(s, &s->segments[segno]) : s->mean) * HEAT_ONE);
}

double lab_baseline_sfs_cost(void *user, const struct f2fs_gc_section *section)
{
	const double u = (double)section->valid / section->blocks;

	(void)user;
	return u < 1 ? 2 * u * ((double)section->heat + 1) / (1 - u) : INFINITY;
}

size_t lab_baseline_sfs(const struct f2fs_geometry *geo, struct f2fs_placement *out)
{
	const size_t count = geo->segment_count_main, blocks = count * F2FS_SEGMENT_BLOCKS + 1;
	const size_t head = sizeof(struct sfs) + count * sizeof(struct segment);
	const size_t size = head + count * sizeof(double) + blocks * sizeof(struct block);
	struct sfs *s = calloc(1, size);

	if (!s)
		return 0;
	s->geo = *geo;
	s->hotness = (double *)(void *)((char *)s + head);
	s->blocks = (struct block *)(void *)(s->hotness + count);
	out->user = s;
	out->streams = GROUPS;
	out->classify = classify;
	out->written = written;
	out->moving = moving;
	out->moved = moved;
	out->freed = freed;
	out->heat = heat;
	return size;
}
