/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Place by the expected time of death. Blocks of a range of a file live for similar times. For each range the lives of
 * overwritten blocks are kept, with more weight for newer ones. A new block goes to the blocks that are expected to die
 * with it. Streams take equal shares of the writes, by expected life. Moves of GC have streams of their own, by
 * age, because surviving blocks differ from written ones.
 */
#include <string.h>

#include "base/error.h"
#include "hot/death.h"
#include "hot/hot_cluster.h"
#include "hot/hot_life.h"

#define STREAMS 12u
#define RANGE_BLOCKS 64u
#define WAYS 4u
#define BUCKETS 256u	/* of a histogram: quarters of a power of two, and some */
#define LOOK 8192u	/* writes between two looks at a histogram */
#define LIFE_WEIGHT 4u /* a new life counts for a quarter */

/* The record of a range; key 0: empty. */
struct range {
	uint32_t key;
	uint32_t life; /* expected, in blocks written */
	uint32_t used; /* when it was written last */
};

/* Equal shares of the recent values. */
struct shares {
	uint32_t counts[BUCKETS];
	uint32_t seen;
	unsigned count; /* of the shares */
	unsigned border[F2FS_STREAMS]; /* the last bucket of each */
};

struct death {
	struct shares written, moved;
	struct range *ranges;
	uint32_t range_count; /* a power of two, of WAYS at least */
	unsigned range_bits;  /* blocks of a range, as a power of two */
	struct segment_life segments[];
};

static unsigned bucket_of(uint64_t life)
{
	const uint32_t quarter = hot_logarithm(life > UINT32_MAX ? UINT32_MAX : (uint32_t)life) >> 5;

	return quarter < BUCKETS ? quarter : BUCKETS - 1;
}

static unsigned share_of(const struct shares *s, unsigned bucket)
{
	unsigned i = 0;

	while (i + 1 < s->count && bucket > s->border[i])
		i++;
	return i;
}

/* Cut the histogram into equal parts, and halve the weight of older values. */
static void cut(struct shares *s)
{
	uint64_t sum = 0, total = 0;
	unsigned i = 0;

	for (unsigned b = 0; b < BUCKETS; b++)
		total += s->counts[b];
	for (unsigned b = 0; b < BUCKETS; b++) {
		sum += s->counts[b];
		while (i + 1 < s->count && sum * s->count >= total * (i + 1))
			s->border[i++] = b;
		s->counts[b] /= 2;
	}
}

static void see(struct shares *s, unsigned bucket)
{
	s->counts[bucket]++;
	if (++s->seen % LOOK == 0)
		cut(s);
}

static uint32_t key_of(const struct death *d, f2fs_nid_t ino, uint64_t file_block)
{
	const uint64_t mixed = ((uint64_t)ino << 32 ^ file_block >> d->range_bits) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(mixed >> 32) | 1;
}

/* Where a range may be. */
static struct range *set_of(const struct death *d, uint32_t key)
{
	return &d->ranges[(key >> 1) * (uint64_t)WAYS & (d->range_count - 1)];
}

static struct range *find_range(const struct death *d, uint32_t key)
{
	struct range *set = set_of(d, key);

	for (unsigned i = 0; i < WAYS; i++)
		if (set[i].key == key)
			return &set[i];
	return NULL;
}

/* The place of a range that is not known yet: of those that it may take that of the one not written for longest. */
static struct range *new_range(const struct death *d, uint32_t key, uint32_t now)
{
	struct range *set = set_of(d, key), *oldest = set;

	for (unsigned i = 0; i < WAYS && oldest->key; i++)
		if (set[i].key == 0 || now - set[i].used > now - oldest->used)
			oldest = &set[i];
	*oldest = (struct range){ .key = key };
	return oldest;
}

/* How long is a block expected to live whose range is that (NULL: not known)? 0: nothing is known. */
static uint64_t expect(const struct f2fs_hotness *h, const struct range *range, f2fs_blk_t old)
{
	const struct death *d = h->own;
	const struct segment_life *s = old ? &d->segments[hotness_segment(h, old)] : NULL;

	if (range && range->life)
		return range->life;
	return s && s->blocks ? h->written - life_birth(s) + 1 : 0;
}

static unsigned classify(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	const struct f2fs_hotness *h = user;
	const struct death *d = h->own;
	const uint64_t life = expect(h, find_range(d, key_of(d, ino, file_block)), old);

	return life ? share_of(&d->written, bucket_of(life)) : d->written.count - 1;
}

static void learn(struct f2fs_hotness *h, uint32_t key, struct range *range, uint64_t life)
{
	const struct death *d = h->own;
	const uint32_t now = (uint32_t)h->written;
	const int64_t lived = life > UINT32_MAX ? UINT32_MAX : (int64_t)life;

	if (!range)
		range = new_range(d, key, now);
	range->used = now;
	range->life = range->life ? (uint32_t)(range->life + (lived - (int64_t)range->life) / LIFE_WEIGHT)
				  : (uint32_t)lived;
}

static void written(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct f2fs_hotness *h = user;
	struct death *d = h->own;
	const uint32_t key = key_of(d, ino, file_block);
	struct range *range = find_range(d, key);
	const uint64_t life = expect(h, range, old);
	const unsigned bucket = bucket_of(life);
	const unsigned stream = life ? share_of(&d->written, bucket) : d->written.count - 1;
	uint64_t birth;

	hotness_step(h);
	if (life)
		see(&d->written, bucket);
	if (old && life_take(&d->segments[hotness_segment(h, old)], &birth)) {
		h->known++;
		learn(h, key, range, h->written - birth);
	}
	life_add(&d->segments[hotness_segment(h, addr)], h->written, h->written, stream);
}

static unsigned moving(void *user, f2fs_nid_t ino, f2fs_blk_t old)
{
	const struct f2fs_hotness *h = user;
	const struct death *d = h->own;
	const uint64_t age = h->written - life_birth(&d->segments[hotness_segment(h, old)]);

	(void)ino;
	return d->written.count + share_of(&d->moved, bucket_of(age));
}

static void moved(void *user, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct f2fs_hotness *h = user;
	struct death *d = h->own;
	const unsigned stream = moving(user, 0, old);
	uint64_t birth;

	if (!life_take(&d->segments[hotness_segment(h, old)], &birth))
		return;
	see(&d->moved, bucket_of(h->written - birth));
	life_add(&d->segments[hotness_segment(h, addr)], birth, h->written, stream);
}

static void freed(void *user, f2fs_blk_t addr)
{
	struct f2fs_hotness *h = user;
	struct death *d = h->own;
	uint64_t birth;

	life_take(&d->segments[hotness_segment(h, addr)], &birth);
}

static uint64_t heat(void *user, f2fs_seg_t segno, uint32_t blocks)
{
	const struct f2fs_hotness *h = user;
	const struct death *d = h->own;

	(void)blocks;
	return life_birth(&d->segments[segno]);
}

static void end(struct f2fs_hotness *h)
{
	struct death *d = h->own;

	if (!d)
		return;
	mem_free(h->vol->ctx, d->ranges);
	mem_free(h->vol->ctx, d);
}

static void stat(const struct f2fs_hotness *h, struct f2fs_hotness_stat *out)
{
	const struct death *d = h->own;

	out->memory = (uint64_t)d->range_count * sizeof(struct range) + sizeof(*d) +
		      (uint64_t)h->vol->geo.segment_count_main * sizeof(d->segments[0]);
	out->separates = 1;
	out->classes = d->written.count;
	for (unsigned i = 0; i < d->written.count; i++)
		out->borders[i] = i + 1 < d->written.count ? (uint32_t)1 << (d->written.border[i] / 8) : UINT32_MAX;
}

/* As many ranges as the main area could hold, or as there is memory for. */
static uint32_t count_ranges(const struct f2fs_hotness *h, unsigned range_bits)
{
	const uint64_t blocks = (uint64_t)h->vol->geo.segment_count_main * F2FS_SEGMENT_BLOCKS;
	const uint64_t memory = h->options.memory ? h->options.memory : UINT64_MAX;
	uint64_t count = WAYS;

	while (count < 2 * (blocks >> range_bits) && 2 * count * sizeof(struct range) <= memory)
		count *= 2;
	return (uint32_t)count;
}

int death_begin(struct f2fs_hotness *h)
{
	struct f2fs_volume *vol = h->vol;
	const uint32_t segments = vol->geo.segment_count_main;
	const uint32_t blocks = h->options.range_blocks ? h->options.range_blocks : RANGE_BLOCKS;
	struct death *d;

	h->options.streams = h->options.streams ? h->options.streams : STREAMS;
	if ((blocks & (blocks - 1)) != 0 || h->options.streams < 4 || h->options.streams > F2FS_STREAMS)
		return error_set(vol->ctx, F2FS_ERR_INVALID,
				 "4 to %d streams, and ranges of a power of two blocks can be", F2FS_STREAMS);
	d = mem_zalloc(vol->ctx, sizeof(*d) + (size_t)segments * sizeof(d->segments[0]));
	h->own = d;
	h->end = end;
	h->stat = stat;
	if (!d)
		return F2FS_ERR_NOMEM;
	while (blocks >> d->range_bits > 1)
		d->range_bits++;
	d->written.count = h->options.streams - h->options.streams / 2;
	d->moved.count = h->options.streams / 2;
	d->range_count = count_ranges(h, d->range_bits);
	d->ranges = mem_calloc(vol->ctx, d->range_count, sizeof(*d->ranges));
	if (!d->ranges)
		return F2FS_ERR_NOMEM;
	h->placement = (struct f2fs_placement){ .classify = classify, .written = written, .moving = moving,
						.moved = moved,	      .freed = freed,	  .heat = heat };
	return 0;
}
