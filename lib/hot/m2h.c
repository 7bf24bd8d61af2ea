/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * M2H: the heat of a block is its update distance, the number of blocks written between its last two writes. The entry
 * of a block goes with it from place to place. From time to time distances of a sample are clustered; a class has a
 * stream, and blocks of warmer classes may wait.
 */
#include <string.h>

#include "base/error.h"
#include "hot/hot_cache.h"
#include "hot/hot_cluster.h"
#include "hot/hot_track.h"
#include "hot/hotness.h"
#include "hot/m2h.h"

#define CLASSES 10u
#define SAMPLE 4096u
#define OLDER_SHARE 30u
#define ROUND 5000u
#define CHANGED_SHARE 50u

/* How hot a segment is: when its blocks were written. */
struct segment_heat {
	uint64_t sum;
	uint32_t count; /* blocks with an entry */
};

/* Memory for a segment, whether there is a page for it or not. */
#define SEGMENT_BYTES (sizeof(struct hot_page *) + sizeof(struct segment_heat))

struct m2h {
	struct hot_cache cache;
	struct hot_track track;
	struct hot_clusters clusters;
	struct segment_heat *heat;
	uint32_t clusterings;
	bool fits;
	struct hot_mark mark;
};

static uint8_t *entry_of(struct f2fs_hotness *h, f2fs_blk_t addr, bool make, struct hot_page **page)
{
	struct m2h *m = h->own;
	const uint32_t at = geometry_offset_of(&h->vol->geo, addr);

	*page = addr ? hot_cache_page(&m->cache, hotness_segment(h, addr), make) : NULL;
	return *page ? (*page)->entries + (size_t)at * HOT_ENTRY_SIZE : NULL;
}

/* A page left memory for good. */
static void forget_page(void *user, f2fs_seg_t segno)
{
	struct m2h *m = user;

	m->heat[segno] = (struct segment_heat){ 0 };
}

static void put_entry(struct f2fs_hotness *h, f2fs_blk_t addr, const uint8_t *entry)
{
	struct m2h *m = h->own;
	struct segment_heat *heat = &m->heat[hotness_segment(h, addr)];
	struct hot_page *page;
	uint8_t *to = entry_of(h, addr, true, &page);

	if (!to)
		return;
	if (hot_last(to) && heat->count > 0) { /* freeing not reported: a transaction was dropped */
		heat->sum -= hot_last(to);
		heat->count--;
	}
	memcpy(to, entry, HOT_ENTRY_SIZE);
	page->is_dirty = true;
	heat->sum += hot_last(entry);
	heat->count++;
}

/* Take the entry of a block that is free from now on; false: there is none. */
static bool take_entry(struct f2fs_hotness *h, f2fs_blk_t addr, uint8_t *out)
{
	struct m2h *m = h->own;
	struct segment_heat *heat = &m->heat[hotness_segment(h, addr)];
	struct hot_page *page;
	uint8_t *from = entry_of(h, addr, false, &page);

	if (!from || hot_last(from) == 0)
		return false;
	memcpy(out, from, HOT_ENTRY_SIZE);
	memset(from, 0, HOT_ENTRY_SIZE);
	page->is_dirty = true;
	if (heat->count > 0) {
		heat->sum -= hot_last(out);
		heat->count--;
	}
	return true;
}

/* Blocks written between the last write of a block and now; 0: not known. */
static uint32_t distance_at(const uint8_t *entry, uint32_t now)
{
	const uint32_t distance = now - hot_last(entry);

	return distance > HOT_DISTANCE_MAX ? HOT_DISTANCE_MAX : distance ? distance : 1;
}

/* Blocks of which nothing is known have a class of their own: colder than most, if nobody says otherwise. */
static unsigned class_of(const struct f2fs_hotness *h, uint32_t distance)
{
	const struct m2h *m = h->own;

	if (distance == 0 || m->clusters.count == 0)
		return h->options.unknown_class - 1u;
	return hot_class_of(&m->clusters, distance);
}

static unsigned classify(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	struct f2fs_hotness *h = user;
	struct hot_page *page;
	const uint8_t *entry = entry_of(h, old, false, &page);

	(void)ino;
	(void)file_block;
	return class_of(h, entry && hot_last(entry) ? distance_at(entry, h->now + 1) : 0);
}

/* Half the least distance between two borders. */
static uint32_t gap_of(const struct hot_clusters *c)
{
	uint32_t least = UINT32_MAX;

	for (unsigned i = 1; i + 1 < c->count; i++)
		if (c->border[i] - c->border[i - 1] < least)
			least = c->border[i] - c->border[i - 1];
	return least / 2;
}

static void find_classes(struct f2fs_hotness *h)
{
	struct m2h *m = h->own;
	const struct f2fs_hotness_options *o = &h->options;
	const struct hot_sampling sampling = { o->sample, o->older_share, o->samples_halves != 0 };
	const struct hot_cluster_options options = { o->streams, o->intervals, o->by_logarithm != 0 };
	const struct f2fs_error_detail before = h->vol->ctx->error;
	const size_t room = hot_cache_sample_room(&m->cache, &sampling);
	uint32_t *values = mem_calloc(h->vol->ctx, room + 1, sizeof(*values));
	uint64_t *sums = values ? mem_calloc(h->vol->ctx, room + 1, sizeof(*sums)) : NULL;

	if (sums) {
		const size_t n = hot_cache_sample(&m->cache, &sampling, values);

		hot_cluster(&options, values, n, sums, &m->clusters);
		m->clusterings++;
		m->track.gap = o->gap ? o->gap : gap_of(&m->clusters);
	} else { /* the classes stay as they are, which is no failure */
		h->vol->ctx->error = before;
	}
	mem_free(h->vol->ctx, values);
	mem_free(h->vol->ctx, sums);
}

/* Rounds that blocks of a class wait: none of the colder half. */
static unsigned delay_of(const struct f2fs_hotness *h, unsigned class)
{
	const unsigned half = h->options.streams / 2, most = h->options.delay_most;
	unsigned rounds;

	if (!h->options.delays || class >= half)
		return 0;
	rounds = half - class > 4 ? most : 1u << (half - class - 1);
	return rounds > most ? most : rounds;
}

static void written(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct f2fs_hotness *h = user;
	struct m2h *m = h->own;
	uint8_t entry[HOT_ENTRY_SIZE];
	uint32_t value = 0, before = 0;
	unsigned class;

	(void)ino;
	(void)file_block;
	hotness_step(h);
	if (old && take_entry(h, old, entry)) {
		before = hot_distance(entry);
		value = distance_at(entry, h->now);
		h->known++;
	}
	class = class_of(h, value);
	hot_set(entry, h->now, value, class, delay_of(h, class));
	put_entry(h, addr, entry);
	/* without classes any round calls for them */
	if (value && hot_track_write(&m->track, m->clusters.count ? before : HOT_DISTANCE_MAX + 1, value))
		find_classes(h);
}

static unsigned moving(void *user, f2fs_nid_t ino, f2fs_blk_t old)
{
	struct f2fs_hotness *h = user;
	struct hot_page *page;
	const uint8_t *entry = entry_of(h, old, false, &page);
	uint32_t value = 0;

	(void)ino;
	if (entry && hot_last(entry)) { /* it has not changed for that long, or changed less often than that */
		value = distance_at(entry, h->now);
		value = value > hot_distance(entry) ? value : hot_distance(entry);
	}
	return class_of(h, value);
}

/* By the time of its move, not of its write, a cold segment that was collected is not the oldest again at once. */
static void moved(void *user, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct f2fs_hotness *h = user;
	uint8_t entry[HOT_ENTRY_SIZE];

	if (!take_entry(h, old, entry))
		return;
	if (!h->options.moves_keep)
		hot_set_last(entry, h->now);
	put_entry(h, addr, entry);
}

static void freed(void *user, f2fs_blk_t addr)
{
	uint8_t entry[HOT_ENTRY_SIZE];

	take_entry(user, addr, entry);
}

static unsigned delay(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	struct hot_page *page;
	const uint8_t *entry = entry_of(user, old, false, &page);

	(void)ino;
	(void)file_block;
	return entry && hot_last(entry) ? hot_delay(entry) : 0;
}

static uint64_t heat(void *user, f2fs_seg_t segno, uint32_t blocks)
{
	const struct f2fs_hotness *h = user;
	const struct m2h *m = h->own;

	return blocks ? m->heat[segno].sum / blocks : 0; /* those without an entry are the oldest */
}

static void end(struct f2fs_hotness *h)
{
	struct m2h *m = h->own;

	if (!m)
		return;
	if (m->cache.sidecar && h->placement.streams) {
		m->mark.version = cp_checkpoint_ver(h->vol->view->cp);
		m->mark.written = h->now;
		m->mark.clusters = m->clusters;
		hot_cache_save(&m->cache, &m->mark);
	}
	hot_cache_fini(&m->cache);
	mem_free(h->vol->ctx, m->heat);
	mem_free(h->vol->ctx, m);
}

static void stat(const struct f2fs_hotness *h, struct f2fs_hotness_stat *out)
{
	const struct m2h *m = h->own;

	out->memory = (uint64_t)m->cache.count * sizeof(struct hot_page) +
		      (uint64_t)m->cache.segments * SEGMENT_BYTES;
	out->hits = m->cache.hits;
	out->misses = m->cache.misses;
	out->evictions = m->cache.evictions;
	out->sidecar_reads = m->cache.sidecar_reads;
	out->sidecar_writes = m->cache.sidecar_writes;
	out->sidecar_errors = m->cache.sidecar_errors;
	out->sidecar_fits = m->fits;
	out->clusterings = m->clusterings;
	out->rounds = m->track.rounds;
	out->classes = m->clusters.count;
	memcpy(out->borders, m->clusters.border, sizeof(out->borders));
	out->separates = 1;
}

static int complete(struct f2fs_hotness *h)
{
	struct f2fs_hotness_options *o = &h->options;

	o->streams = o->streams ? o->streams : CLASSES;
	o->sample = o->sample ? o->sample : SAMPLE;
	o->older_share = o->older_share ? o->older_share : OLDER_SHARE;
	o->intervals = o->intervals ? o->intervals : 4 * o->streams;
	o->round = o->round ? o->round : ROUND;
	o->changed_share = o->changed_share ? o->changed_share : CHANGED_SHARE;
	o->delay_most = o->delay_most ? o->delay_most : F2FS_DELAY_MAX;
	if (o->streams < 2 || o->streams > F2FS_STREAMS || o->sample > HOT_SAMPLE || o->older_share > 100 ||
	    o->intervals > HOT_INTERVALS || o->changed_share > 100)
		return error_set(h->vol->ctx, F2FS_ERR_INVALID,
				 "2 to %d classes, samples of up to %u, %u intervals and 100 percent can be",
				 F2FS_STREAMS, HOT_SAMPLE, HOT_INTERVALS);
	if (o->delay_most > F2FS_DELAY_MAX || o->unknown_class > o->streams)
		return error_set(h->vol->ctx, F2FS_ERR_INVALID,
				 "blocks wait for at most %u rounds, and there are %u classes", F2FS_DELAY_MAX,
				 (unsigned)o->streams);
	o->unknown_class = o->unknown_class ? o->unknown_class : (uint8_t)(o->streams - 1);
	return 0;
}

static int prepare(struct f2fs_hotness *h, struct m2h *m)
{
	struct f2fs_volume *vol = h->vol;
	uint64_t memory;
	int err;

	m->mark.version = cp_checkpoint_ver(vol->view->cp);
	m->mark.segments = vol->geo.segment_count_main;
	memcpy(m->mark.uuid, sb_uuid(vol->sb), sizeof(m->mark.uuid));
	m->track = (struct hot_track){ .round = h->options.round, .gap = h->options.gap,
				       .share = h->options.changed_share };
	m->heat = mem_calloc(vol->ctx, m->mark.segments, sizeof(*m->heat));
	if (!m->heat)
		return F2FS_ERR_NOMEM;
	m->cache.lost = forget_page;
	m->cache.user = m;
	/* 8 bytes a block for all that is kept, tables and heads of pages included */
	memory = h->options.memory ? h->options.memory : (uint64_t)m->mark.segments * (HOT_PAGE_BYTES - SEGMENT_BYTES);
	err = hot_cache_init(&m->cache, vol->ctx, h->options.sidecar, memory, &m->mark, &m->fits);
	h->now = m->fits ? m->mark.written : 0;
	return err;
}

/* Take the sidecar's values of segments, and its classes, as far as they are valid. */
static void take_sidecar(struct f2fs_hotness *h)
{
	struct m2h *m = h->own;

	for (f2fs_seg_t i = 0; i < m->mark.segments && m->fits; i++) {
		const struct hot_page *page = hot_cache_page(&m->cache, i, false);

		for (uint32_t k = 0; page && k < F2FS_SEGMENT_BLOCKS; k++) {
			const uint32_t last = hot_last(page->entries + (size_t)k * HOT_ENTRY_SIZE);

			m->heat[i].sum += last;
			m->heat[i].count += last != 0;
		}
	}
	if (m->fits && m->mark.clusters.count <= h->options.streams) {
		m->clusters = m->mark.clusters;
		m->track.gap = h->options.gap ? h->options.gap : gap_of(&m->clusters);
	}
}

int m2h_begin(struct f2fs_hotness *h)
{
	struct m2h *m;
	int err = complete(h);

	if (err)
		return err;
	m = mem_zalloc(h->vol->ctx, sizeof(*m));
	if (!m)
		return F2FS_ERR_NOMEM;
	h->own = m;
	h->end = end;
	h->stat = stat;
	h->placement = (struct f2fs_placement){ .classify = classify,
						.written = written,
						.moving = h->options.moves_apart ? moving : NULL,
						.moved = moved,
						.freed = freed,
						.delay = h->options.delays ? delay : NULL,
						.heat = heat };
	err = prepare(h, m);
	if (!err)
		take_sidecar(h);
	return err;
}
