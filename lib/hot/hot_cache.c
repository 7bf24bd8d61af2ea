/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cache of hotness entries and its sidecar: a header block, then one block for each segment. Opening a
 * sidecar clears the header, and hot_cache_save() writes it again after all pages. So a sidecar that was cut short, or
 * that belongs to an earlier state of the volume, does not count.
 */
#include "hot/hot_cache.h"

#include <string.h>

#include "base/bitmap.h"
#include "base/crc.h"
#include "base/error.h"
#include "device/device.h"

#define RUN_PAGES 16u /* that go to the sidecar by one write */
#define LEAST_PAGES 4u

static const uint8_t magic[8] = { 'f', '2', 'f', 's', 'h', 'o', 't', '1' };
/* Offsets: uuid 8, version 24, segments 32, written 36, classes 40, their borders 44. */
#define HEADER_CRC (44 + 4 * HOT_CLASSES)

uint64_t hot_sidecar_bytes(uint32_t segments)
{
	return ((uint64_t)segments + 1) * HOT_PAGE_BYTES;
}

/* The sidecar fails: continue without it. The library's last error is not about this. */
static void give_up(struct hot_cache *c, const struct f2fs_error_detail *before)
{
	c->ctx->error = *before;
	c->sidecar_errors++;
	c->sidecar = NULL;
	memset(c->stored, 0, (c->segments + 7) / 8);
}

static void make_header(uint8_t *block, const struct hot_mark *mark)
{
	memset(block, 0, HOT_PAGE_BYTES);
	memcpy(block, magic, sizeof(magic));
	memcpy(block + 8, mark->uuid, sizeof(mark->uuid));
	put_le64(block + 24, mark->version);
	put_le32(block + 32, mark->segments);
	put_le32(block + 36, mark->written);
	put_le32(block + 40, mark->clusters.count);
	for (unsigned i = 0; i < HOT_CLASSES; i++)
		put_le32(block + 44 + (size_t)i * 4, mark->clusters.border[i]);
	put_le32(block + HEADER_CRC, crc_f2fs(0, block, HEADER_CRC));
}

/* Read the header: is the sidecar for this state of this volume? Clear it, until hot_cache_save(). */
static bool read_header(struct hot_cache *c, struct hot_mark *mark)
{
	const struct f2fs_error_detail before = c->ctx->error;
	uint8_t *block = c->buffer, *wanted = c->buffer + HOT_PAGE_BYTES;
	bool fits = false;
	int err = device_read(c->sidecar, 0, block, HOT_PAGE_BYTES);

	if (!err) {
		mark->written = get_le32(block + 36);
		mark->clusters = (struct hot_clusters){ .count = get_le32(block + 40) % (HOT_CLASSES + 1) };
		for (unsigned i = 0; i < HOT_CLASSES; i++)
			mark->clusters.border[i] = get_le32(block + 44 + (size_t)i * 4);
		make_header(wanted, mark);
		fits = memcmp(block, wanted, HOT_PAGE_BYTES) == 0;
		memset(block, 0, HOT_PAGE_BYTES);
		err = device_write(c->sidecar, 0, block, HOT_PAGE_BYTES);
	}
	if (!err)
		err = device_flush(c->sidecar);
	if (err)
		give_up(c, &before);
	return fits && !err;
}

int hot_cache_init(struct hot_cache *c, struct f2fs_context *ctx, struct f2fs_device *sidecar, uint64_t limit,
		   struct hot_mark *mark, bool *fits)
{
	const uint64_t pages = limit / sizeof(struct hot_page);

	*c = (struct hot_cache){ .lost = c->lost, .user = c->user };
	*fits = false;
	c->ctx = ctx;
	c->segments = mark->segments;
	c->limit = limit == 0 || pages > mark->segments ? mark->segments : (uint32_t)pages;
	c->limit = c->limit < LEAST_PAGES ? LEAST_PAGES : c->limit;
	c->pages = mem_calloc(ctx, mark->segments, sizeof(*c->pages));
	c->stored = mem_zalloc(ctx, (mark->segments + 7) / 8);
	c->buffer = mem_alloc(ctx, (size_t)RUN_PAGES * HOT_PAGE_BYTES);
	if (!c->pages || !c->stored || !c->buffer)
		return F2FS_ERR_NOMEM;
	if (!sidecar)
		return 0;
	if (f2fs_device_info(sidecar)->size < hot_sidecar_bytes(mark->segments))
		return error_set(ctx, F2FS_ERR_INVALID, "a sidecar for %u segments has at least %llu bytes",
				 (unsigned)mark->segments, (unsigned long long)hot_sidecar_bytes(mark->segments));
	c->sidecar = sidecar;
	*fits = read_header(c, mark);
	if (*fits)
		memset(c->stored, 0xff, (mark->segments + 7) / 8);
	return 0;
}

static void unlink_page(struct hot_cache *c, struct hot_page *page)
{
	*(page->newer ? &page->newer->older : &c->newest) = page->older;
	*(page->older ? &page->older->newer : &c->oldest) = page->newer;
}

static void put_first(struct hot_cache *c, struct hot_page *page)
{
	page->newer = NULL;
	page->older = c->newest;
	*(c->newest ? &c->newest->newer : &c->oldest) = page;
	c->newest = page;
}

static bool is_waiting(const struct hot_cache *c, f2fs_seg_t segno)
{
	return segno < c->segments && c->pages[segno] && c->pages[segno]->is_dirty;
}

/* Write a page to the sidecar, and what waits beside it, as one run. */
static void store(struct hot_cache *c, f2fs_seg_t segno)
{
	const struct f2fs_error_detail before = c->ctx->error;
	f2fs_seg_t first = segno, end = segno + 1;
	int err;

	while (first > 0 && end - first < RUN_PAGES && is_waiting(c, first - 1))
		first--;
	while (end - first < RUN_PAGES && is_waiting(c, end))
		end++;
	for (f2fs_seg_t i = first; i < end; i++)
		memcpy(c->buffer + (size_t)(i - first) * HOT_PAGE_BYTES, c->pages[i]->entries, HOT_PAGE_BYTES);
	err = device_write(c->sidecar, ((uint64_t)first + 1) * HOT_PAGE_BYTES, c->buffer,
			   (size_t)(end - first) * HOT_PAGE_BYTES);
	if (err) {
		give_up(c, &before);
		return;
	}
	c->sidecar_writes++;
	for (f2fs_seg_t i = first; i < end; i++) {
		c->pages[i]->is_dirty = false;
		msb_set(c->stored, i);
	}
}

static void evict_oldest(struct hot_cache *c)
{
	struct hot_page *page = c->oldest;

	if (page->is_dirty && c->sidecar)
		store(c, page->segno);
	if (c->lost && !c->sidecar)
		c->lost(c->user, page->segno);
	unlink_page(c, page);
	c->pages[page->segno] = NULL;
	c->count--;
	c->evictions++;
	mem_free(c->ctx, page);
}

static void load(struct hot_cache *c, struct hot_page *page)
{
	const struct f2fs_error_detail before = c->ctx->error;
	int err = device_read(c->sidecar, ((uint64_t)page->segno + 1) * HOT_PAGE_BYTES, page->entries, HOT_PAGE_BYTES);

	c->sidecar_reads++;
	if (!err)
		return;
	memset(page->entries, 0, HOT_PAGE_BYTES);
	give_up(c, &before);
}

static struct hot_page *new_page(struct hot_cache *c, f2fs_seg_t segno)
{
	const struct f2fs_error_detail before = c->ctx->error;
	struct hot_page *page;

	if (c->count >= c->limit)
		evict_oldest(c);
	page = mem_zalloc(c->ctx, sizeof(*page));
	if (!page) { /* the entries are not known then, which is no failure */
		c->ctx->error = before;
		return NULL;
	}
	page->segno = segno;
	c->pages[segno] = page;
	c->count++;
	put_first(c, page);
	return page;
}

struct hot_page *hot_cache_page(struct hot_cache *c, f2fs_seg_t segno, bool make)
{
	struct hot_page *page = segno < c->segments ? c->pages[segno] : NULL;
	bool is_stored;

	if (page) {
		c->hits++;
		if (page != c->newest) {
			unlink_page(c, page);
			put_first(c, page);
		}
		return page;
	}
	if (segno >= c->segments)
		return NULL;
	is_stored = c->sidecar && msb_test(c->stored, segno);
	c->misses += is_stored;
	if (!make && !is_stored)
		return NULL;
	page = new_page(c, segno);
	if (page && is_stored && c->sidecar)
		load(c, page);
	return page;
}

void hot_cache_save(struct hot_cache *c, const struct hot_mark *mark)
{
	const struct f2fs_error_detail before = c->ctx->error;
	int err = 0;

	for (f2fs_seg_t i = 0, end; i < c->segments && c->sidecar && !err; i = end) {
		for (end = i; end < c->segments && !c->pages[end] && !msb_test(c->stored, end);)
			end++;
		if (end > i) /* old contents there are of an earlier use */
			err = device_zero(c->sidecar, ((uint64_t)i + 1) * HOT_PAGE_BYTES,
					  (uint64_t)(end - i) * HOT_PAGE_BYTES);
		else if (is_waiting(c, end++))
			store(c, i);
	}
	if (!c->sidecar)
		return;
	make_header(c->buffer, mark);
	if (!err)
		err = device_flush(c->sidecar);
	if (!err)
		err = device_write(c->sidecar, 0, c->buffer, HOT_PAGE_BYTES);
	if (!err)
		err = device_flush(c->sidecar);
	if (err)
		give_up(c, &before);
}

void hot_cache_fini(struct hot_cache *c)
{
	if (!c->ctx)
		return;
	while (c->newest) {
		struct hot_page *page = c->newest;

		c->newest = page->older;
		mem_free(c->ctx, page);
	}
	mem_free(c->ctx, c->pages);
	mem_free(c->ctx, c->stored);
	mem_free(c->ctx, c->buffer);
	memset(c, 0, sizeof(*c));
}

/* ---- sampling ---- */

#define TRIES 16u /* entries looked at for one value */

static uint64_t share_of(uint64_t n, unsigned percent)
{
	return n * percent / 100;
}

/* Values that are wanted of the newer and of the older half. */
static void plan(const struct hot_cache *c, const struct hot_sampling *s, uint64_t wanted[2])
{
	const uint64_t newer = (c->count + 1) / 2, older = c->count - newer;

	wanted[0] = share_of(s->of_halves ? newer * F2FS_SEGMENT_BLOCKS : s->size, 100 - s->older_share);
	wanted[1] = share_of(s->of_halves ? older * F2FS_SEGMENT_BLOCKS : s->size, s->older_share);
	for (unsigned i = 0; i < 2; i++)
		wanted[i] = wanted[i] > HOT_SAMPLE / 2 ? HOT_SAMPLE / 2 : wanted[i];
}

size_t hot_cache_sample_room(const struct hot_cache *c, const struct hot_sampling *s)
{
	uint64_t wanted[2];

	plan(c, s, wanted);
	return (size_t)(wanted[0] + wanted[1]);
}

/* Draw from pages that follow each other by age: entries at equal distances, of each the first from there on whose
 * distance is known. */
static size_t draw(const struct hot_page **at, uint64_t pages, uint64_t wanted, uint32_t *values)
{
	const uint64_t entries = pages * F2FS_SEGMENT_BLOCKS, step = wanted && entries > wanted ? entries / wanted : 1;
	const uint64_t tries = step < TRIES ? step : TRIES;
	uint64_t seen = 0, found = 0; /* entries before *at; values */

	for (uint64_t i = 0; i < wanted && i * step < entries; i++) {
		for (uint64_t k = i * step; k < i * step + tries && k < entries; k++) {
			uint32_t distance;

			for (; k - seen >= F2FS_SEGMENT_BLOCKS; seen += F2FS_SEGMENT_BLOCKS)
				*at = (*at)->older;
			distance = hot_distance((*at)->entries + (k - seen) * HOT_ENTRY_SIZE);
			if (distance == 0)
				continue;
			values[found++] = distance;
			break;
		}
	}
	for (; seen < entries; seen += F2FS_SEGMENT_BLOCKS)
		*at = (*at)->older;
	return (size_t)found;
}

size_t hot_cache_sample(const struct hot_cache *c, const struct hot_sampling *s, uint32_t *values)
{
	const struct hot_page *at = c->newest;
	const uint64_t newer = (c->count + 1) / 2;
	uint64_t wanted[2];
	size_t n;

	plan(c, s, wanted);
	n = draw(&at, newer, wanted[0], values);
	return n + draw(&at, c->count - newer, wanted[1], values + n);
}
