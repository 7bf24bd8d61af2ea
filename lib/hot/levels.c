/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Place by levels: an overwritten block climbs one level, a block that GC moves falls by one. So a block ends among
 * blocks that change as often (the idea is DAC's: Chiang, Lee and Chang, 1999). New blocks and those of level 0 have no
 * stream: the log of warm data takes new ones, the log of cold data those that GC moved. Short-lived new files and
 * cold blocks stay apart that way.
 *
 * Each stream keeps a segment open, which costs room and so more moves. Their number follows from the unused room of
 * the volume, and from the gain of separating levels: that is computed from the blocks in use of each level and
 * from those that were overwritten lately. Where all are equally hot there are no streams.
 *
 * A block that GC moves may have become cold: it was hot once. So such blocks are counted by themselves. If those
 * of a level die as seldom as blocks of level 0, GC puts more of them into the log of cold data, not into the stream of
 * the level.
 *
 * All this is looked at again every 2,048 overwritten blocks, but at the start after 512, and then 1,024.
 *
 * A level takes one byte for each block, in pages of a segment, which are made when they are needed.
 */
#include "hot/levels.h"

#include <string.h>

#include "base/error.h"
#include "log/run.h"
#include "log/streams.h"
#include "volume/zone_map.h"

enum {
	FEW_STREAMS = 6,   /* by default, one for each level above 0, */
	MANY_STREAMS = 10, /* up to this number */
	SECTIONS_EACH = 100, /* with that many sections for each */
	MOST_LEVELS = F2FS_STREAMS + 1,
	FIRST_WINDOW = 512, /* overwritten blocks before the first look; then twice as many each time, */
	WINDOW = 2048,	   /* up to this number */
	LEAST_GAIN = 3,	   /* percent: below it there are no streams (a short window may find more by chance), */
	FULL_GAIN = 40,	   /* from here on as many as there is room for */
	ROOM_EACH = 7,	   /* unused sections for a stream, besides those for cleaning and the logs */
	LEAST_MOVED = 64,  /* with fewer moved blocks of a level nothing is known of them */
	LEAST_PAGES = 4,
	MOVED = 0x80	   /* in the byte of a block, beside its level: GC moved it since it was written */
};

/* Some blocks: how many were overwritten, newer ones weigh more; and how many are in use. */
struct tally {
	uint32_t deaths;
	uint64_t in_use;
};

struct levels {
	unsigned count;			/* of levels */
	unsigned streams;		/* in use now */
	uint8_t stream[MOST_LEVELS];	/* of each level */
	struct tally all[MOST_LEVELS];	/* by level; of level 0 more are in use, without pages */
	struct tally moved[MOST_LEVELS]; /* those of them with MOVED */
	bool are_cold[MOST_LEVELS];	/* blocks of this level that GC moves */
	uint32_t window;		/* blocks overwritten since the last look, */
	uint32_t next;			/* and with how many there is another one */
	uint64_t looks;
	uint32_t segments, pages, most_pages, hand;
	uint64_t evictions;
	uint8_t *page[];		/* by segment: a level for each block; NULL: all 0 */
};

static unsigned mark_of(const struct f2fs_hotness *h, f2fs_blk_t addr)
{
	const struct levels *l = h->own;
	const uint8_t *page = addr ? l->page[hotness_segment(h, addr)] : NULL;

	return page ? page[geometry_offset_of(&h->vol->geo, addr)] : 0;
}

static unsigned level_of(const struct f2fs_hotness *h, f2fs_blk_t addr)
{
	return mark_of(h, addr) & (MOVED - 1u);
}

/* Count a block with this mark in, or out (-1). */
static void count(struct levels *l, unsigned mark, int change)
{
	l->all[mark & (MOVED - 1u)].in_use += (uint64_t)(int64_t)change;
	if (mark & MOVED)
		l->moved[mark & (MOVED - 1u)].in_use += (uint64_t)(int64_t)change;
}

static void evict(struct f2fs_hotness *h)
{
	struct levels *l = h->own;

	while (!l->page[l->hand])
		l->hand = (l->hand + 1) % l->segments;
	for (unsigned i = 0; i < F2FS_SEGMENT_BLOCKS; i++)
		count(l, l->page[l->hand][i], -1);
	mem_free(h->vol->ctx, l->page[l->hand]);
	l->page[l->hand] = NULL;
	l->hand = (l->hand + 1) % l->segments;
	l->pages--;
	l->evictions++;
}

static uint8_t *make_page(struct f2fs_hotness *h, f2fs_seg_t segno)
{
	struct levels *l = h->own;
	const struct f2fs_error_detail before = h->vol->ctx->error;

	if (l->page[segno])
		return l->page[segno];
	if (l->pages >= l->most_pages)
		evict(h);
	l->page[segno] = mem_zalloc(h->vol->ctx, F2FS_SEGMENT_BLOCKS);
	if (l->page[segno]) {
		l->pages++;
		l->all[0].in_use += F2FS_SEGMENT_BLOCKS;
	} else { /* the blocks are of level 0 then, which is no failure */
		h->vol->ctx->error = before;
	}
	return l->page[segno];
}

static void set_mark(struct f2fs_hotness *h, f2fs_blk_t addr, unsigned mark)
{
	struct levels *l = h->own;
	uint8_t *page = mark ? make_page(h, hotness_segment(h, addr)) : l->page[hotness_segment(h, addr)];
	uint8_t *at = page ? page + geometry_offset_of(&h->vol->geo, addr) : NULL;

	if (!at)
		return;
	count(l, *at, -1);
	count(l, mark, 1);
	*at = (uint8_t)mark;
}

/* Blocks in use now: the checkpoint may be long ago. */
static uint64_t blocks_in_use(const struct f2fs_hotness *h)
{
	return h->vol->txn ? h->vol->txn->valid_blocks : cp_valid_block_count(h->vol->view->cp);
}

/* Return how many streams the volume has room for. */
static unsigned streams_with_room(const struct f2fs_hotness *h)
{
	const struct f2fs_geometry *geo = &h->vol->geo;
	const uint64_t all = (uint64_t)geo->section_count * zones_section_blocks(h->vol),
		       used = blocks_in_use(h);
	const uint64_t kept = cp_rsvd_segment_count(h->vol->view->cp) / geo->segs_per_sec + F2FS_LOG_COUNT,
		       unused = used < all ? (all - used) / zones_section_blocks(h->vol) : 0,
		       sections = unused > kept ? unused - kept : 0;

	return sections / ROOM_EACH > F2FS_STREAMS ? F2FS_STREAMS : (unsigned)(sections / ROOM_EACH);
}

/* The root, rounded down. */
static uint64_t root(uint64_t n)
{
	uint64_t r = 0;

	for (uint64_t bit = 1ull << 31; bit > 0; bit >>= 1)
		if ((r + bit) <= n / (r + bit))
			r += bit;
	return r;
}

/*
 * Return the possible gain of separating levels in percent. Where blocks of a group are equally hot, the moves grow
 * with the square of the sum of root(deaths * blocks) over the groups. For all blocks together they grow with
 * deaths * blocks.
 */
static unsigned gain(const struct levels *l)
{
	uint64_t deaths = 0, blocks = 0, sum = 0;

	for (unsigned i = 0; i < l->count; i++) {
		deaths += l->all[i].deaths;
		blocks += l->all[i].in_use;
		sum += root(l->all[i].deaths * l->all[i].in_use);
	}
	sum = sum * sum / (deaths * blocks / 100 + 1);
	return sum < 100 ? 100 - (unsigned)sum : 0;
}

/* How often blocks die, 2^20 for each of them; below 2^31, so that two rates can be multiplied. */
static uint64_t rate(uint64_t deaths, uint64_t blocks)
{
	const uint64_t r = blocks ? (deaths << 20) / blocks : 0;

	return r < INT32_MAX ? r : INT32_MAX;
}

/* Are moved blocks of a level more like the blocks of level 0 than like the others of their own? By factors, not by
 * differences. */
static bool is_cold(const struct levels *l, unsigned level)
{
	const struct tally *all = &l->all[level], *moved = &l->moved[level];
	const uint64_t own = rate(moved->deaths, moved->in_use);

	return level > 0 && moved->in_use >= LEAST_MOVED &&
	       own * own < rate(all->deaths - moved->deaths, all->in_use - moved->in_use) *
				   rate(l->all[0].deaths, l->all[0].in_use);
}

/* Count all blocks of level 0, also those without pages. Return how many of them have pages. */
static uint64_t count_level_0(struct f2fs_hotness *h)
{
	struct levels *l = h->own;
	const uint64_t with_pages = l->all[0].in_use, all = blocks_in_use(h);
	uint64_t others = 0;

	for (unsigned i = 1; i < l->count; i++)
		others += l->all[i].in_use;
	l->all[0].in_use = all < others ? 0 : all - others;
	return with_pages;
}

/* Decide which levels have streams: the hottest of them share the last one. */
static void choose_streams(struct f2fs_hotness *h)
{
	struct levels *l = h->own;
	const unsigned room = streams_with_room(h), most = room < h->options.streams ? room : h->options.streams,
		       won = gain(l);

	if (won < LEAST_GAIN * WINDOW / l->next)
		l->streams = 0;
	else
		l->streams = won < FULL_GAIN ? (most * won + FULL_GAIN - 1) / FULL_GAIN : most;
	streams_limit(h->vol, l->streams);
	l->stream[0] = F2FS_STREAM_NONE;
	for (unsigned i = 1; i < l->count; i++)
		l->stream[i] = !l->streams ? F2FS_STREAM_NONE : (uint8_t)(i < l->streams ? i - 1 : l->streams - 1);
}

static void look(struct f2fs_hotness *h)
{
	struct levels *l = h->own;
	const uint64_t with_pages = count_level_0(h);

	choose_streams(h);
	for (unsigned i = 0; i < l->count; i++)
		l->are_cold[i] = is_cold(l, i);
	l->all[0].in_use = with_pages;
	for (unsigned i = 0; i < l->count; i++) {
		l->all[i].deaths -= l->all[i].deaths / 2;
		l->moved[i].deaths -= l->moved[i].deaths / 2;
	}
	l->window = 0;
	l->next = 2 * l->next < WINDOW ? 2 * l->next : WINDOW;
	l->looks++;
}

/* A block is overwritten. Blocks of removed files are not counted: most are freed together, and cost no moves. */
static void die(struct f2fs_hotness *h, f2fs_blk_t addr)
{
	struct levels *l = h->own;

	l->all[level_of(h, addr)].deaths++;
	l->moved[level_of(h, addr)].deaths += (mark_of(h, addr) & MOVED) != 0;
	set_mark(h, addr, 0);
	if (++l->window >= l->next)
		look(h);
}

static unsigned climbed(const struct f2fs_hotness *h, f2fs_blk_t old)
{
	const struct levels *l = h->own;
	const unsigned level = old ? level_of(h, old) + 1 : 0;

	return level < l->count ? level : l->count - 1;
}

static unsigned classify(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	const struct f2fs_hotness *h = user;
	const struct levels *l = h->own;

	(void)ino;
	(void)file_block;
	return l->stream[climbed(h, old)];
}

static void written(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct f2fs_hotness *h = user;
	const unsigned level = climbed(h, old);

	(void)ino;
	(void)file_block;
	hotness_step(h);
	if (old) {
		h->known += level > 1; /* it had left level 0 */
		die(h, old);
	}
	set_mark(h, addr, level);
}

static unsigned fallen(const struct f2fs_hotness *h, f2fs_blk_t old)
{
	const unsigned level = level_of(h, old);

	return level ? level - 1 : 0;
}

static unsigned moving(void *user, f2fs_nid_t ino, f2fs_blk_t old)
{
	const struct f2fs_hotness *h = user;
	const struct levels *l = h->own;
	const unsigned level = fallen(h, old);

	(void)ino;
	return l->are_cold[level] ? F2FS_STREAM_NONE : l->stream[level];
}

static void moved(void *user, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct f2fs_hotness *h = user;
	const unsigned level = fallen(h, old);

	set_mark(h, old, 0);
	set_mark(h, addr, level ? level | MOVED : 0);
}

static void freed(void *user, f2fs_blk_t addr)
{
	set_mark(user, addr, 0);
}

static void end(struct f2fs_hotness *h)
{
	struct levels *l = h->own;

	for (uint32_t i = 0; l && i < l->segments; i++)
		mem_free(h->vol->ctx, l->page[i]);
	mem_free(h->vol->ctx, l);
}

static void stat(const struct f2fs_hotness *h, struct f2fs_hotness_stat *out)
{
	const struct levels *l = h->own;

	out->memory = sizeof(*l) + l->segments * sizeof(l->page[0]) + (uint64_t)l->pages * F2FS_SEGMENT_BLOCKS;
	out->evictions = l->evictions;
	out->rounds = l->looks;
	out->separates = l->streams > 0;
	out->classes = l->streams + 1;
}

/* More levels separate blocks more finely. Only large volumes have blocks enough for that. */
static unsigned default_streams(const struct f2fs_hotness *h)
{
	const uint32_t streams = h->vol->geo.section_count / SECTIONS_EACH;

	return streams < FEW_STREAMS ? FEW_STREAMS : streams < MANY_STREAMS ? streams : MANY_STREAMS;
}

int levels_begin(struct f2fs_hotness *h)
{
	const uint32_t segments = h->vol->geo.segment_count_main;
	struct levels *l;

	h->options.streams = h->options.streams ? h->options.streams : default_streams(h);
	if (h->options.streams > F2FS_STREAMS)
		return error_set(h->vol->ctx, F2FS_ERR_INVALID, "1 to %d streams can be", F2FS_STREAMS);
	l = mem_zalloc(h->vol->ctx, sizeof(*l) + segments * sizeof(l->page[0]));
	h->own = l;
	h->is_limited = true;
	h->end = end;
	h->stat = stat;
	if (!l)
		return F2FS_ERR_NOMEM;
	l->segments = segments;
	l->next = FIRST_WINDOW;
	l->count = h->options.streams + 1;
	l->most_pages = segments;
	if (h->options.memory && h->options.memory / F2FS_SEGMENT_BLOCKS < segments)
		l->most_pages = (uint32_t)(h->options.memory / F2FS_SEGMENT_BLOCKS);
	l->most_pages = l->most_pages < LEAST_PAGES ? LEAST_PAGES : l->most_pages;
	memset(l->stream, F2FS_STREAM_NONE, sizeof(l->stream));
	h->placement = (struct f2fs_placement){ .classify = classify, .written = written, .moving = moving,
						.moved = moved,	      .freed = freed };
	return 0;
}
