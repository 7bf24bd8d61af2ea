/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * MiDAS: a chain of groups that blocks pass by their age. Users write to the first group of the chain. Each group but
 * the last has a size. The oldest segment of a group that has grown above it is cleaned first, and its live blocks
 * move to the next group. The last group is cleaned greedily and keeps its moved blocks. A group for hot blocks
 * stands before the chain. Once in an epoch, midas_model.h sets the number and sizes of the groups by the intervals
 * between updates. A group whose live part was predicted wrong is merged with those after it, as its load is
 * irregular.
 *
 * A block is hot by a counter of two bits, when it is 3. The counter rises when a write ends a life that was shorter
 * than the mean life of hot segments, or one in the hot group. It falls when such a life was longer, and by 2 when
 * cleaning moves the block out of the hot group.
 *
 * Made from the abstract, the authors' README and the behaviour of their public simulator, not from the paper's own
 * text. Chosen here: an epoch is as many blocks as the main area has (the paper: four times its capacity), as
 * experiments are shorter, so lives that the epoch saw in part are counted for that part; an epoch in which most
 * blocks are new changes nothing; all blocks are counted, not one of a hundred; until the first plan, blocks move on
 * by one group, and victims are greedy; live blocks of the hot group move to the first of the chain; a prediction is
 * wrong by 0.2 or more; a new plan deals segments to the groups by name, without moving blocks; sizes are tried in
 * steps of a fifth, not each; at most seven groups. A section is of one segment.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/baseline.h"
#include "lab/midas_model.h"

enum { HOT = 0, CHAIN = 1, FIRST = 1, HOT_COUNT = 3, HOT_PART = 10, COUNTS = 4 * MIDAS_UNITS + 2 };
#define WRONG_BY     0.2
#define HOT_SEGMENTS 16

struct block {
	uint64_t at;	 /* when a user wrote it, from 1; 0: not known */
	uint8_t counter; /* of hot writes */
};

struct segment {
	uint64_t began;
	uint16_t blocks; /* live */
	uint8_t group, is_used;
};

struct midas {
	struct f2fs_geometry geo;
	uint64_t now, epoch_at;
	uint32_t segments[MIDAS_GROUPS]; /* used, by group */
	uint64_t live;			 /* blocks */
	struct midas_plan plan;
	int is_chained;	 /* nothing is known of the last groups: they are cleaned as one, but blocks still move on */
	double hot_life; /* of a segment of the hot group */
	uint64_t writes[2]; /* of users in this epoch, to the hot group and the chain */
	uint64_t moved[MIDAS_GROUPS], victims[MIDAS_GROUPS]; /* of this epoch: blocks, segments that were emptied */
	uint64_t *deaths[2]; /* [MIDAS_UNITS] of this epoch, by age */
	uint64_t *lives[2];  /* [MIDAS_UNITS + 1]: lives that were seen from this age on, less those up to it */
	struct segment *table;
	struct block blocks[];
};

static uint32_t main_blocks(const struct midas *m)
{
	return m->geo.segment_count_main * F2FS_SEGMENT_BLOCKS;
}

static uint64_t unit(const struct midas *m)
{
	return 4 * (uint64_t)main_blocks(m) / MIDAS_UNITS + 1;
}

static struct segment *segment_of(const struct midas *m, uint32_t block)
{
	return block < main_blocks(m) ? &m->table[block / F2FS_SEGMENT_BLOCKS] : NULL;
}

static unsigned group_of(const struct midas *m, uint32_t block)
{
	const struct segment *s = segment_of(m, block);

	return s && s->is_used ? s->group : FIRST;
}

static unsigned last_group(const struct midas *m)
{
	return m->is_chained ? MIDAS_GROUPS - 1 : m->plan.groups;
}

/* The counter that a block has after a write at this time ends its life. */
static uint8_t counter_after(const struct midas *m, uint32_t block)
{
	const struct block *b = &m->blocks[block];
	const unsigned group = group_of(m, block);
	const int is_short = group == HOT || (double)(m->now - b->at) <= m->hot_life;

	if (!b->at || group > FIRST)
		return b->counter;
	if (is_short)
		return b->counter < HOT_COUNT ? (uint8_t)(b->counter + 1) : HOT_COUNT;
	return b->counter ? (uint8_t)(b->counter - 1) : 0;
}

static unsigned classify(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	const struct midas *m = user;

	(void)ino;
	(void)file_block;
	if (!old || m->segments[HOT] > m->geo.segment_count_main / HOT_PART)
		return FIRST;
	return counter_after(m, lab_baseline_index(&m->geo, old)) >= HOT_COUNT ? HOT : FIRST;
}

static unsigned moving(void *user, f2fs_nid_t ino, f2fs_blk_t old)
{
	const struct midas *m = user;
	const unsigned group = group_of(m, lab_baseline_index(&m->geo, old));

	(void)ino;
	return group < last_group(m) ? group + 1 : last_group(m);
}

static uint32_t units(const struct midas *m, uint64_t age)
{
	return age / unit(m) < MIDAS_UNITS ? (uint32_t)(age / unit(m)) : MIDAS_UNITS - 1;
}

/* Count the ages at which a life was seen in this epoch, and its death. */
static void count_life(struct midas *m, uint32_t block, int has_died)
{
	const uint64_t at = m->blocks[block].at;
	const unsigned part = group_of(m, block) == HOT ? HOT : CHAIN;

	if (!at)
		return;
	m->lives[part][units(m, at < m->epoch_at ? m->epoch_at - at : 0)]++;
	m->lives[part][units(m, m->now - at) + 1]--;
	m->deaths[part][units(m, m->now - at)] += (unsigned)has_died;
}

static void leave(struct midas *m, uint32_t block)
{
	struct segment *from = segment_of(m, block);

	m->blocks[block] = (struct block){ 0 };
	if (!from || !from->is_used || !from->blocks)
		return;
	m->live--;
	if (--from->blocks)
		return;
	from->is_used = 0;
	m->segments[from->group]--;
	m->victims[from->group]++;
	if (from->group == HOT)
		m->hot_life += ((double)(m->now - from->began) - m->hot_life) / HOT_SEGMENTS;
}

static void enter(struct midas *m, uint32_t block, unsigned group, struct block what)
{
	struct segment *to = segment_of(m, block);

	m->blocks[block] = what;
	if (!to)
		return;
	if (!to->is_used) {
		*to = (struct segment){ .began = m->now, .group = (uint8_t)group, .is_used = 1 };
		m->segments[group]++;
	}
	to->blocks++;
	m->live++;
}

/* The last epoch's predictions against its measures: the number of groups in which they hold, and one. */
static unsigned regular_groups(const struct midas *m)
{
	for (unsigned g = FIRST; g < m->plan.groups; g++) {
		const double blocks = (double)m->victims[g] * F2FS_SEGMENT_BLOCKS;

		if (blocks > 0 && fabs((double)m->moved[g] / blocks - m->plan.live[g]) > WRONG_BY)
			return g;
	}
	return MIDAS_GROUPS - 1;
}

/* Find the oldest segment of a group, or the youngest. */
static struct segment *find_segment(const struct midas *m, unsigned group, int is_youngest)
{
	struct segment *found = NULL;

	for (uint32_t i = 0; i < m->geo.segment_count_main; i++) {
		struct segment *s = &m->table[i];

		if (s->is_used && s->group == group &&
		    (!found || (is_youngest ? s->began > found->began : s->began < found->began)))
			found = s;
	}
	return found;
}

static void rename_segment(struct midas *m, struct segment *s, unsigned group)
{
	m->segments[s->group]--;
	m->segments[group]++;
	s->group = (uint8_t)group;
}

/* Give a group of the chain its new size by name: its oldest move on, or the youngest of later groups come back. */
static void resize_group(struct midas *m, unsigned group)
{
	unsigned later = group + 1;

	while (m->segments[group] > m->plan.size[group])
		rename_segment(m, find_segment(m, group, 0), group + 1);
	while (m->segments[group] < m->plan.size[group] && group != HOT && later <= m->plan.groups) {
		struct segment *s = find_segment(m, later, 1);

		if (s)
			rename_segment(m, s, group);
		else
			later++;
	}
}

/* Take up the plan: segments of later groups than it has are of the last one, if that one is regular. */
static void begin_plan(struct midas *m)
{
	for (uint32_t i = 0; i < m->geo.segment_count_main && !m->is_chained; i++) {
		struct segment *s = &m->table[i];

		if (s->is_used && s->group > m->plan.groups)
			rename_segment(m, s, m->plan.groups);
	}
	for (unsigned g = HOT; g < m->plan.groups; g++)
		resize_group(m, g);
}

/* Plan the groups by the counts of the epoch. An epoch in which most blocks are new shows too little. */
static void plan_groups(struct midas *m)
{
	const unsigned regular = regular_groups(m);
	struct midas_load load = {
		.deaths = { m->deaths[HOT], m->deaths[CHAIN] },
		.lives = { m->lives[HOT], m->lives[CHAIN] },
		.writes = { m->writes[HOT], m->writes[CHAIN] },
		.unit = unit(m),
		.live = m->live,
	};
	uint64_t died = 0;

	for (unsigned g = HOT; g < MIDAS_GROUPS; g++)
		load.segments += m->segments[g]; /* all room but the volume's reserve */
	for (uint32_t i = 0; i < MIDAS_UNITS; i++)
		died += m->deaths[HOT][i] + m->deaths[CHAIN][i];
	if (2 * died < m->now - m->epoch_at)
		return;
	for (uint32_t i = 0; i < main_blocks(m); i++)
		count_life(m, i, 0);
	for (uint32_t i = 0; i < MIDAS_UNITS; i++)
		for (unsigned part = HOT; part <= CHAIN; part++)
			m->lives[part][i + 1] += m->lives[part][i];
	if (midas_model_plan(&load, regular, &m->plan))
		return; /* without memory the plan stays */
	m->is_chained = regular < MIDAS_GROUPS - 1;
	begin_plan(m);
}

static void end_epoch(struct midas *m)
{
	plan_groups(m);
	for (unsigned g = 0; g < MIDAS_GROUPS; g++)
		m->moved[g] = m->victims[g] = 0;
	memset(m->deaths[HOT], 0, COUNTS * sizeof(uint64_t)); /* and the others, which follow */
	m->writes[HOT] = m->writes[CHAIN] = 0;
	m->epoch_at = m->now;
}

static void written(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct midas *m = user;
	const unsigned group = classify(m, ino, file_block, old);
	const uint32_t from = lab_baseline_index(&m->geo, old);
	struct block b = { 0 };

	if (old)
		count_life(m, from, 1);
	b.counter = old ? counter_after(m, from) : 0;
	b.at = ++m->now;
	m->writes[group == HOT ? HOT : CHAIN]++;
	enter(m, lab_baseline_index(&m->geo, addr), group, b);
	if (old)
		leave(m, from);
	if (m->now - m->epoch_at >= main_blocks(m))
		end_epoch(m);
}

static void moved(void *user, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct midas *m = user;
	const uint32_t from = lab_baseline_index(&m->geo, old);
	const unsigned group = group_of(m, from);
	struct block b = m->blocks[from];

	if (group == HOT)
		b.counter = b.counter > 2 ? (uint8_t)(b.counter - 2) : 0;
	m->moved[group]++;
	enter(m, lab_baseline_index(&m->geo, addr), moving(m, 0, old), b);
	leave(m, from);
}

static void freed(void *user, f2fs_blk_t addr)
{
	struct midas *m = user;

	count_life(m, lab_baseline_index(&m->geo, addr), 1);
	leave(m, lab_baseline_index(&m->geo, addr));
}

double lab_baseline_midas_cost(void *user, const struct f2fs_gc_section *section)
{
	const struct midas *m = user;
	const uint32_t per_section = m->geo.segs_per_sec, first = section->section * per_section;
	const struct segment *s = first < m->geo.segment_count_main ? &m->table[first] : NULL;

	if (!s || !s->is_used)
		return section->valid;
	if (s->group < m->plan.groups && m->segments[s->group] > m->plan.size[s->group])
		return 1e15 * (s->group - MIDAS_GROUPS) + (double)s->began; /* the first such group, its oldest */
	return s->group >= m->plan.groups ? section->valid : 1e9 + section->valid;
}

size_t lab_baseline_midas(const struct f2fs_geometry *geo, struct f2fs_placement *out)
{
	const size_t segments = geo->segment_count_main, blocks = segments * F2FS_SEGMENT_BLOCKS + 1;
	const size_t head = sizeof(struct midas) + blocks * sizeof(struct block);
	const size_t counts = head + COUNTS * sizeof(uint64_t);
	const size_t size = counts + segments * sizeof(struct segment);
	struct midas *m = calloc(1, size);

	if (!m)
		return 0;
	m->geo = *geo;
	m->deaths[HOT] = (uint64_t *)(void *)((char *)m + head);
	m->deaths[CHAIN] = m->deaths[HOT] + MIDAS_UNITS;
	m->lives[HOT] = m->deaths[CHAIN] + MIDAS_UNITS;
	m->lives[CHAIN] = m->lives[HOT] + MIDAS_UNITS + 1;
	m->table = (struct segment *)(void *)((char *)m + counts);
	m->plan = (struct midas_plan){ .groups = FIRST };
	m->is_chained = 1; /* until the first epoch ends */
	m->plan.size[HOT] = geo->segment_count_main / HOT_PART;
	m->hot_life = F2FS_SEGMENT_BLOCKS * HOT_SEGMENTS;
	out->user = m;
	out->streams = MIDAS_GROUPS;
	out->classify = classify;
	out->written = written;
	out->moving = moving;
	out->moved = moved;
	out->freed = freed;
	return size;
}
