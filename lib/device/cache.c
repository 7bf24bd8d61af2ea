/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A read cache over a slow device: lines as large as a block of the file system, found by a hash, evicted by the clock
 * rule, bounded by a budget. Writes go through at once and change the cached lines, so the cache always equals the
 * device below.
 *
 * Read-ahead needs no table of streams: each line remembers how many lines were fetched with it. A miss directly after
 * a cached line continues a stream and fetches twice as many. A miss near other cached lines fetches the lines after
 * it; any other fetches one line. Requests much larger than a line go to the device directly.
 */
#include <assert.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "device/cache.h"
#include "device/iov.h"
#include "device/layer.h"

#define DEFAULT_LINE 4096u
#define DEFAULT_BUDGET (32u << 20)
#define MAX_WINDOW 128u	       /* lines of one fetch, ... */
#define MAX_FETCH (512u << 10) /* ... and bytes */
#define NEIGHBOURS 8u	       /* lines of a neighbourhood */
#define MIN_LINES 4u
#define MAX_LINES (1u << 30)
#define DIRECT_SIZE (256u << 10)
#define NONE UINT32_MAX

struct line {
	uint64_t number; /* of the device's lines; meaningful while in a chain */
	uint8_t *data;	 /* line_size bytes, kept for reuse */
	uint32_t next;	 /* in the hash chain or the list of free lines */
	uint16_t window; /* lines fetched with it */
	uint8_t used;	 /* since the clock's hand came by */
	uint8_t valid;
};

struct cache {
	struct layer layer;
	uint64_t size;
	uint32_t line_size; /* a power of two */
	unsigned line_bits;
	struct line *lines;
	uint32_t *heads; /* hash chains */
	uint32_t line_limit;
	uint32_t line_count; /* lines that have memory */
	uint32_t head_mask;
	uint32_t free; /* list of lines with memory and without contents */
	uint32_t hand;
	uint32_t last; /* line of the last hit */
};

/* ---- lines ---- */

static uint32_t hash_line(const struct cache *cache, uint64_t number)
{
	return (uint32_t)((number * 0x9E3779B97F4A7C15u) >> 32) & cache->head_mask;
}

static uint32_t find_line(const struct cache *cache, uint64_t number)
{
	uint32_t i = cache->heads[hash_line(cache, number)];

	while (i != NONE && cache->lines[i].number != number)
		i = cache->lines[i].next;
	return i;
}

static size_t get_line_size(const struct cache *cache, uint64_t number)
{
	const uint64_t left = cache->size - (number << cache->line_bits);

	return left < cache->line_size ? (size_t)left : cache->line_size;
}

/* Take a line out of its chain; it goes to the free list. */
static void drop_line(struct cache *cache, uint32_t index)
{
	struct line *line = &cache->lines[index];
	uint32_t *link = &cache->heads[hash_line(cache, line->number)];

	while (*link != index)
		link = &cache->lines[*link].next;
	*link = line->next;
	line->valid = 0;
	line->next = cache->free;
	cache->free = index;
	if (cache->last == index)
		cache->last = NONE;
}

static void insert_line(struct cache *cache, uint32_t index, uint64_t number, unsigned window)
{
	struct line *line = &cache->lines[index];
	uint32_t *head = &cache->heads[hash_line(cache, number)];

	line->number = number;
	line->window = (uint16_t)window;
	line->used = 0; /* a second visit makes it worth keeping; so a scan does not flush the cache */
	line->valid = 1;
	line->next = *head;
	*head = index;
}

/* Push the line at the clock's hand out, sparing each recently used one once. */
static void evict_line(struct cache *cache)
{
	for (;;) {
		const uint32_t i = cache->hand;

		cache->hand = i + 1 < cache->line_count ? i + 1 : 0;
		if (!cache->lines[i].valid)
			continue;
		if (cache->lines[i].used) {
			cache->lines[i].used = 0;
			continue;
		}
		drop_line(cache, i);
		return;
	}
}

/*
 * Take a line off the free list, making one while the budget allows or pushing one out. NONE when there is none: every
 * line is part of the fetch that asks, or there is no memory at all. taken: lines that the fetch has already.
 */
static uint32_t take_line(struct cache *cache, unsigned taken)
{
	uint32_t i;

	if (cache->free == NONE && cache->line_count < cache->line_limit) {
		i = cache->line_count;
		cache->lines[i].data =
			cache->layer.ctx->host.realloc(cache->layer.ctx->host.user, NULL, cache->line_size);
		if (cache->lines[i].data) {
			cache->line_count++;
			return i;
		}
		/* Make do with what there is. */
		cache->line_limit = cache->line_count;
	}
	if (cache->free == NONE) {
		if (taken >= cache->line_count)
			return NONE;
		evict_line(cache);
	}
	i = cache->free;
	cache->free = cache->lines[i].next;
	return i;
}

static void give_back_line(struct cache *cache, uint32_t index)
{
	cache->lines[index].next = cache->free;
	cache->free = index;
}

/* ---- fetching ---- */

/* Is a line of the neighbourhood cached? */
static bool has_neighbour(const struct cache *cache, uint64_t number)
{
	const uint64_t first = number - number % NEIGHBOURS;

	for (uint64_t i = first; i < first + NEIGHBOURS; i++)
		if (find_line(cache, i) != NONE)
			return true;
	return false;
}

/* How many lines a miss at number would like to have. */
static unsigned choose_window(const struct cache *cache, uint64_t number)
{
	const uint32_t before = number > 0 ? find_line(cache, number - 1) : NONE;
	unsigned limit = cache->line_limit / 4;
	unsigned n = 1;

	if (before != NONE)
		n = cache->lines[before].window * 2u;
	else if (has_neighbour(cache, number))
		n = NEIGHBOURS - (unsigned)(number % NEIGHBOURS);
	if (limit > MAX_WINDOW)
		limit = MAX_WINDOW;
	if (limit > MAX_FETCH >> cache->line_bits)
		limit = MAX_FETCH >> cache->line_bits;
	if (n > limit)
		n = limit;
	return n > 0 ? n : 1;
}

/* How many of them come before the next cached one and the end. */
static unsigned cut_window(const struct cache *cache, uint64_t number, unsigned window)
{
	const uint64_t line_total = div_ceil64(cache->size, cache->line_size);

	for (unsigned i = 1; i < window; i++)
		if (number + i >= line_total || find_line(cache, number + i) != NONE)
			return i;
	return window;
}

/* Bring line number into the cache, with those that follow in a stream. The line's index, or NONE with *rc set. */
static uint32_t fetch_line(struct cache *cache, uint64_t number, int *rc)
{
	struct f2fs_iovec iov[MAX_WINDOW];
	uint32_t index[MAX_WINDOW];
	unsigned window = choose_window(cache, number);
	const unsigned wanted = cut_window(cache, number, window);
	unsigned n;

	for (n = 0; n < wanted; n++) {
		index[n] = take_line(cache, n);
		if (index[n] == NONE)
			break;
		iov[n].base = cache->lines[index[n]].data;
		iov[n].length = get_line_size(cache, number + n);
	}
	if (n == 0) {
		*rc = F2FS_ERR_NOMEM;
		return NONE;
	}
	*rc = device_readv_quiet(cache->layer.inner, number << cache->line_bits, iov, n);
	/* A bad place ahead must not hide the line that was asked for. */
	if (*rc != 0 && n > 1) {
		while (n > 1)
			give_back_line(cache, index[--n]);
		window = 1;
		*rc = device_readv_quiet(cache->layer.inner, number << cache->line_bits, iov, 1);
	}
	if (*rc != 0) {
		give_back_line(cache, index[0]);
		return NONE;
	}
	for (unsigned i = 0; i < n; i++)
		insert_line(cache, index[i], number + i, window);
	return index[0];
}

static uint32_t get_line(struct cache *cache, uint64_t number, int *rc)
{
	uint32_t i = cache->last;

	if (i != NONE && cache->lines[i].number == number)
		return i;
	i = find_line(cache, number);
	if (i == NONE)
		i = fetch_line(cache, number, rc);
	else
		cache->lines[i].used = 1;
	cache->last = i;
	return i;
}

/* ---- operations ---- */

static const uint8_t *peek_cache(void *self, uint64_t offset, size_t length)
{
	struct cache *cache = self;
	const size_t within = (size_t)(offset & (cache->line_size - 1));
	uint32_t i;
	int rc;

	if (length > cache->line_size - within || !range_within(offset, length, cache->size) || length == 0)
		return NULL;
	i = get_line(cache, offset >> cache->line_bits, &rc);
	return i == NONE ? NULL : cache->lines[i].data + within;
}

/* Read through the cache, line by line. */
static int read_lines(struct cache *cache, uint64_t offset, struct iov_cursor *cursor, uint64_t left)
{
	while (left > 0) {
		const size_t within = (size_t)(offset & (cache->line_size - 1));
		const size_t n = left < cache->line_size - within ? (size_t)left : cache->line_size - within;
		int rc = 0;
		uint32_t i = get_line(cache, offset >> cache->line_bits, &rc);

		if (i == NONE)
			return rc;
		iov_copy_in(cursor, cache->lines[i].data + within, n);
		offset += n;
		left -= n;
	}
	return 0;
}

static int read_cache(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct cache *cache = self;
	const uint64_t length = iov_length_capped(iov, count);
	struct iov_cursor cursor;
	int rc;

	if (length >= DIRECT_SIZE || cache->line_limit == 0)
		return device_readv_quiet(cache->layer.inner, offset, iov, count);
	iov_cursor_init(&cursor, iov, count);
	rc = read_lines(cache, offset, &cursor, length);
	/* Lines are larger than the request: let the device below say whether the request itself fails. */
	return rc == 0 ? 0 : device_readv_quiet(cache->layer.inner, offset, iov, count);
}

/* Forget the lines that touch a range. */
static void forget_range(struct cache *cache, uint64_t offset, uint64_t length)
{
	const uint64_t first = offset >> cache->line_bits;
	const uint64_t last = (offset + length - 1) >> cache->line_bits;

	if (last - first >= cache->line_count) {
		for (uint32_t i = 0; i < cache->line_count; i++)
			if (cache->lines[i].valid && cache->lines[i].number >= first && cache->lines[i].number <= last)
				drop_line(cache, i);
		return;
	}
	for (uint64_t number = first; number <= last; number++) {
		const uint32_t i = find_line(cache, number);

		if (i != NONE)
			drop_line(cache, i);
	}
}

/* Update the cached lines with the bytes written. */
static void update_lines(struct cache *cache, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	uint64_t left = iov_length_capped(iov, count);
	struct iov_cursor cursor;

	iov_cursor_init(&cursor, iov, count);
	while (left > 0) {
		const size_t within = (size_t)(offset & (cache->line_size - 1));
		const size_t n = left < cache->line_size - within ? (size_t)left : cache->line_size - within;
		const uint32_t i = find_line(cache, offset >> cache->line_bits);

		if (i != NONE)
			iov_copy_out(&cursor, cache->lines[i].data + within, n);
		else
			iov_skip(&cursor, n);
		offset += n;
		left -= n;
	}
}

static int write_cache(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct cache *cache = self;
	int rc = device_writev_quiet(cache->layer.inner, offset, iov, count);

	/* A failed write may have changed anything in its range. */
	if (rc != 0)
		forget_range(cache, offset, iov_length_capped(iov, count));
	else
		update_lines(cache, offset, iov, count);
	return rc;
}

static int zero_cache(void *self, uint64_t offset, uint64_t length)
{
	struct cache *cache = self;

	forget_range(cache, offset, length);
	return device_zero_quiet(cache->layer.inner, offset, length);
}

static int discard_cache(void *self, uint64_t offset, uint64_t length)
{
	struct cache *cache = self;

	forget_range(cache, offset, length);
	return device_discard_quiet(cache->layer.inner, offset, length);
}

static int reset_cache_zone(void *self, uint64_t offset)
{
	struct cache *cache = self;

	forget_range(cache, 0, cache->size);
	return layer_zone_reset(self, offset);
}

static void close_cache(void *self)
{
	struct cache *cache = self;

	for (uint32_t i = 0; i < cache->line_count; i++)
		mem_free(cache->layer.ctx, cache->lines[i].data);
	mem_free(cache->layer.ctx, cache->lines);
	mem_free(cache->layer.ctx, cache->heads);
	layer_close(cache);
}

static const struct f2fs_device_ops cache_ops = {
	.read = read_cache,
	.write = write_cache,
	.zero = zero_cache,
	.discard = discard_cache,
	.flush = layer_flush,
	.extent = layer_extent,
	.zones = layer_zones,
	.zone_reset = reset_cache_zone,
	.zone_finish = layer_zone_finish,
	.close = close_cache,
};

/* Allocate the tables; lines get their memory when they are first needed. */
static int init_cache(struct cache *cache, uint64_t budget)
{
	const uint64_t line_total = div_ceil64(cache->size, cache->line_size);
	uint64_t limit =
		(budget ? budget : DEFAULT_BUDGET) / (cache->line_size + sizeof(struct line) + 2 * sizeof(uint32_t));
	size_t heads = 1;

	if (limit < MIN_LINES)
		limit = MIN_LINES;
	if (limit > line_total)
		limit = line_total;
	if (limit > MAX_LINES)
		limit = MAX_LINES;
	while (heads < limit)
		heads *= 2;
	cache->lines = mem_calloc(cache->layer.ctx, (size_t)limit, sizeof(*cache->lines));
	cache->heads = mem_calloc(cache->layer.ctx, heads, sizeof(*cache->heads));
	if (!cache->lines || !cache->heads)
		return F2FS_ERR_NOMEM;
	memset(cache->heads, 0xff, heads * sizeof(*cache->heads));
	cache->line_limit = (uint32_t)limit;
	cache->head_mask = (uint32_t)(heads - 1);
	return 0;
}

int device_new_cache(struct f2fs_device *inner, uint64_t budget, uint32_t line_size, struct f2fs_device **out)
{
	struct f2fs_device *dev;
	struct cache *cache;
	int rc;

	assert(line_size >= 512 && line_size <= MAX_FETCH && (line_size & (line_size - 1)) == 0);
	rc = layer_make(inner, sizeof(*cache), &cache_ops,
			inner->info.caps & ~(uint32_t)(F2FS_DEVICE_PARALLEL | F2FS_DEVICE_PARALLEL_WRITE), &dev);
	if (rc != 0)
		return rc;
	cache = dev->self;
	cache->size = inner->info.size;
	cache->line_size = line_size;
	while ((uint32_t)1 << cache->line_bits < line_size)
		cache->line_bits++;
	cache->free = NONE;
	cache->last = NONE;
	rc = init_cache(cache, budget);
	if (rc != 0) {
		f2fs_device_close(dev);
		return rc;
	}
	dev->peek = peek_cache;
	*out = dev;
	return 0;
}

void device_cache_forget(struct f2fs_device *cache, uint64_t offset, uint64_t length)
{
	forget_range(cache->self, offset, length);
}

int f2fs_device_open_cache(struct f2fs_device *inner, uint64_t budget, struct f2fs_device **out)
{
	error_clear(inner->ctx);
	return device_new_cache(inner, budget, DEFAULT_LINE, out);
}
