/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Place by lifespans, without entries for blocks: a block that is overwritten soon after its write will be overwritten
 * soon again, and a block that GC moves lives the longer the older it is. How long "soon" is, is learned from the
 * segments of the short-lived stream: as long as they last. The idea is that of SepBIT (Wang and others, FAST 2022),
 * for a file system's segments.
 */
#include "hot/hot_life.h"
#include "hot/lifespan.h"

enum {
	SHORT, /* contents that replace short-lived ones */
	LONG,
	MOVED_SHORT, /* moved out of segments of short-lived contents */
	MOVED,	     /* moved from elsewhere, by age: up to 4 times the limit, up to 16 times, older */
	STREAMS = MOVED + 3
};
#define SEGMENTS 16u /* that the limit is the mean of */

struct lifespan {
	uint64_t limit; /* a life that is not short */
	uint64_t sum;
	unsigned count; /* segments in sum */
	struct segment_life segments[];
};

static unsigned classify(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	const struct f2fs_hotness *h = user;
	const struct lifespan *l = h->own;
	const struct segment_life *s = old ? &l->segments[hotness_segment(h, old)] : NULL;

	(void)ino;
	(void)file_block;
	return s && s->blocks && h->written - life_birth(s) < l->limit ? SHORT : LONG;
}

/* A block of a segment is free: the last block of a short-lived segment shows how long these last. */
static bool take(struct lifespan *l, f2fs_seg_t segno, uint64_t now, uint64_t *birth)
{
	struct segment_life *s = &l->segments[segno];
	const bool is_known = life_take(s, birth);

	if (!is_known || s->blocks > 0 || s->stream != SHORT)
		return is_known;
	l->sum += now - s->begun;
	if (++l->count < SEGMENTS)
		return true;
	l->limit = l->sum / l->count;
	l->sum = 0;
	l->count = 0;
	return true;
}

static void written(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct f2fs_hotness *h = user;
	struct lifespan *l = h->own;
	const unsigned stream = classify(user, ino, file_block, old);
	uint64_t birth;

	hotness_step(h);
	h->known += old && take(l, hotness_segment(h, old), h->written, &birth);
	life_add(&l->segments[hotness_segment(h, addr)], h->written, h->written, stream);
}

static unsigned moving(void *user, f2fs_nid_t ino, f2fs_blk_t old)
{
	const struct f2fs_hotness *h = user;
	const struct lifespan *l = h->own;
	const struct segment_life *s = &l->segments[hotness_segment(h, old)];
	const uint64_t age = h->written - life_birth(s);

	(void)ino;
	if (s->blocks && s->stream == SHORT)
		return MOVED_SHORT;
	if (l->limit == UINT64_MAX)
		return MOVED;
	return age < 4 * l->limit ? MOVED : age < 16 * l->limit ? MOVED + 1 : MOVED + 2;
}

static void moved(void *user, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct f2fs_hotness *h = user;
	struct lifespan *l = h->own;
	const unsigned stream = moving(user, 0, old);
	uint64_t birth;

	if (take(l, hotness_segment(h, old), h->written, &birth))
		life_add(&l->segments[hotness_segment(h, addr)], birth, h->written, stream);
}

static void freed(void *user, f2fs_blk_t addr)
{
	struct f2fs_hotness *h = user;
	uint64_t birth;

	take(h->own, hotness_segment(h, addr), h->written, &birth);
}

static uint64_t heat(void *user, f2fs_seg_t segno, uint32_t blocks)
{
	const struct f2fs_hotness *h = user;
	const struct lifespan *l = h->own;

	(void)blocks;
	return life_birth(&l->segments[segno]);
}

static void end(struct f2fs_hotness *h)
{
	mem_free(h->vol->ctx, h->own);
}

static void stat(const struct f2fs_hotness *h, struct f2fs_hotness_stat *out)
{
	const struct lifespan *l = h->own;

	out->memory = sizeof(*l) + (uint64_t)h->vol->geo.segment_count_main * sizeof(l->segments[0]);
	out->separates = 1;
	out->classes = 2;
	out->borders[0] = l->limit > UINT32_MAX ? UINT32_MAX : (uint32_t)l->limit;
	out->borders[1] = UINT32_MAX;
}

int lifespan_begin(struct f2fs_hotness *h)
{
	struct lifespan *l = mem_zalloc(h->vol->ctx, sizeof(*l) + (size_t)h->vol->geo.segment_count_main *
									  sizeof(l->segments[0]));

	h->own = l;
	h->end = end;
	h->stat = stat;
	if (!l)
		return F2FS_ERR_NOMEM;
	l->limit = UINT64_MAX;
	h->options.streams = STREAMS;
	h->placement = (struct f2fs_placement){ .classify = classify, .written = written, .moving = moving,
						.moved = moved,	      .freed = freed,	  .heat = heat };
	return 0;
}
