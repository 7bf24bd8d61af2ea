/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Carry out commands from the input, for a test that does the same in another language. "cluster CLASSES INTERVALS
 * LOGARITHM N" and N values: prints the classes, the passes and the borders. "sample SIZE SHARE HALVES SEGMENTS PAGES
 * N" and N lines "SEGMENT ENTRY DISTANCE", each a use of a page: prints the values drawn. "track ROUND GAP SHARE N" and
 * N pairs: prints at which writes new classes are called for. "time N SEED": prints microseconds of clustering. "calls
 * METHOD": prints nanoseconds to classify a write and to note it.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <f2fskit/f2fskit.h>

#include "hot/hot_cache.h"
#include "hot/hot_cluster.h"
#include "hot/hot_track.h"
#include "hot/hotness.h"

static uint64_t number(void)
{
	uint64_t value;

	if (scanf("%" SCNu64, &value) != 1)
		exit(EXIT_FAILURE);
	return value;
}

static void *room(size_t bytes)
{
	void *p = malloc(bytes ? bytes : 1);

	if (!p)
		exit(EXIT_FAILURE);
	return p;
}

static void show(const struct hot_clusters *c)
{
	printf("%u %u", c->count, c->passes);
	for (unsigned i = 0; i < c->count; i++)
		printf(" %" PRIu32, c->border[i]);
	printf("\n");
}

static void cluster(void)
{
	struct hot_cluster_options o = { 0 };
	struct hot_clusters c;
	uint32_t *values;
	uint64_t *sums;
	size_t n;

	o.classes = (unsigned)number();
	o.intervals = (unsigned)number();
	o.by_logarithm = number() != 0;
	n = (size_t)number();
	values = room(n * sizeof(*values));
	sums = room((n + 1) * sizeof(*sums));
	for (size_t i = 0; i < n; i++)
		values[i] = (uint32_t)number();
	hot_cluster(&o, values, n, sums, &c);
	show(&c);
	free(values);
	free(sums);
}

static void sample(void)
{
	struct f2fs_context *ctx;
	struct hot_sampling s = { 0 };
	struct hot_mark mark = { .version = 1 };
	struct hot_cache cache = { 0 };
	uint64_t limit, n;
	uint32_t *values;
	size_t count;
	bool fits;

	s.size = (uint32_t)number();
	s.older_share = (unsigned)number();
	s.of_halves = number() != 0;
	mark.segments = (uint32_t)number();
	limit = number() * sizeof(struct hot_page);
	n = number();
	if (f2fs_context_open(NULL, &ctx) != 0 || hot_cache_init(&cache, ctx, NULL, limit, &mark, &fits) != 0)
		exit(EXIT_FAILURE);
	for (uint64_t i = 0; i < n; i++) {
		struct hot_page *page = hot_cache_page(&cache, (f2fs_seg_t)number(), true);
		const size_t entry = (size_t)number();

		hot_set(page->entries + entry * HOT_ENTRY_SIZE, 1, (uint32_t)number(), 0, 0);
	}
	values = room(hot_cache_sample_room(&cache, &s) * sizeof(*values));
	count = hot_cache_sample(&cache, &s, values);
	for (size_t i = 0; i < count; i++)
		printf("%" PRIu32 " ", values[i]);
	printf("\n");
	free(values);
	hot_cache_fini(&cache);
	f2fs_context_close(ctx);
}

static void track(void)
{
	struct hot_track t = { 0 };
	uint64_t n;

	t.round = (uint32_t)number();
	t.gap = (uint32_t)number();
	t.share = (uint32_t)number();
	n = number();
	for (uint64_t i = 0; i < n; i++) {
		const uint32_t before = (uint32_t)number();

		if (hot_track_write(&t, before, (uint32_t)number()))
			printf("%" PRIu64 " ", i);
	}
	printf("\n");
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* A cache as of a volume of 10 GiB, whose distances spread over all orders of magnitude. */
static void measure(void)
{
	const struct hot_cluster_options o = { 10, 40, false };
	const struct hot_sampling s = { 4096, 30, false };
	struct hot_mark mark = { .segments = 5120 };
	struct f2fs_context *ctx;
	struct hot_cache cache = { 0 };
	struct hot_clusters c;
	uint64_t state = number();
	uint32_t *values;
	uint64_t *sums;
	double start;
	bool fits;
	size_t n;

	if (f2fs_context_open(NULL, &ctx) != 0 || hot_cache_init(&cache, ctx, NULL, 0, &mark, &fits) != 0)
		exit(EXIT_FAILURE);
	for (uint32_t i = 0; i < mark.segments * F2FS_SEGMENT_BLOCKS; i++) {
		struct hot_page *page = hot_cache_page(&cache, i / F2FS_SEGMENT_BLOCKS, true);

		state = state * 6364136223846793005u + 1442695040888963407u;
		hot_set(page->entries + (size_t)(i % F2FS_SEGMENT_BLOCKS) * HOT_ENTRY_SIZE, 1,
			(uint32_t)(state >> 41) >> (state >> 33 & 15), 0, 0);
	}
	start = now();
	values = room(hot_cache_sample_room(&cache, &s) * sizeof(*values));
	sums = room((hot_cache_sample_room(&cache, &s) + 1) * sizeof(*sums));
	n = hot_cache_sample(&cache, &s, values);
	hot_cluster(&o, values, n, sums, &c);
	printf("%.0f us, %zu values, %u passes, %u classes\n", now() - start, n, c.passes, c.count);
	free(values);
	free(sums);
	hot_cache_fini(&cache);
	f2fs_context_close(ctx);
}

#define CALL_MIB 360u
#define CALL_BLOCKS 60000u
#define CALLS 2000000u

/* Write blocks of a file, a tenth of which takes most writes, to one place after the other; NULL: no placement. */
static double write_all(const struct f2fs_geometry *geo, struct f2fs_hotness *h, uint32_t *address, uint8_t *used)
{
	const uint32_t places = geo->segment_count_main * F2FS_SEGMENT_BLOCKS;
	uint64_t state = 1;
	uint32_t at = 0;
	const double start = now();

	for (uint32_t i = 0; i < CALLS; i++) {
		uint32_t block, old;

		state = state * 6364136223846793005u + 1442695040888963407u;
		block = (uint32_t)(state >> 40) % (state >> 36 & 15 ? CALL_BLOCKS / 10 : CALL_BLOCKS);
		while (used[at])
			at = (at + 1) % places;
		old = address[block];
		if (h) {
			(void)h->placement.classify(h->placement.user, 4, block, old);
			h->placement.written(h->placement.user, 4, block, old, geo->main_blkaddr + at);
		}
		if (old)
			used[old - geo->main_blkaddr] = 0;
		used[at] = 1;
		address[block] = geo->main_blkaddr + at;
	}
	return now() - start;
}

static void measure_calls(void)
{
	static uint32_t address[2][CALL_BLOCKS];
	struct f2fs_hotness_options o = { F2FS_SIZED(f2fs_hotness_options) };
	struct f2fs_mkfs_device device = { 0 };
	const struct f2fs_mkfs_options made = { F2FS_SIZED(f2fs_mkfs_options), .label = "calls" };
	struct f2fs_hotness *h = NULL;
	const struct f2fs_geometry *geo;
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
	uint8_t *used;
	double alone;
	char name[16];
	int method;

	if (scanf("%15s", name) != 1 || f2fs_context_open(NULL, &ctx) != 0)
		exit(EXIT_FAILURE);
	method = f2fs_hotness_find(name);
	o.method = (uint32_t)method;
	if (method < 0 || f2fs_device_open_memory(ctx, (uint64_t)CALL_MIB << 20, &dev) != 0)
		exit(EXIT_FAILURE);
	device.device = dev;
	if (f2fs_mkfs_write(ctx, &device, 1, &made, NULL) != 0 || f2fs_volume_open(ctx, dev, NULL, &vol) != 0 ||
	    f2fs_hotness_open(vol, &o, &h) != 0)
		exit(EXIT_FAILURE);
	geo = f2fs_volume_geometry(vol);
	used = calloc(geo->segment_count_main, F2FS_SEGMENT_BLOCKS);
	alone = used ? write_all(geo, NULL, address[0], used) : 0;
	memset(used, 0, (size_t)geo->segment_count_main * F2FS_SEGMENT_BLOCKS);
	printf("%s: %.0f ns\n", name, (write_all(geo, h, address[1], used) - alone) * 1000 / CALLS);
	free(used);
	(void)f2fs_hotness_close(h);
	f2fs_volume_close(vol);
	f2fs_device_close(dev);
	f2fs_context_close(ctx);
}

int main(void)
{
	char word[16];

	while (scanf("%15s", word) == 1) {
		if (strcmp(word, "cluster") == 0)
			cluster();
		else if (strcmp(word, "sample") == 0)
			sample();
		else if (strcmp(word, "track") == 0)
			track();
		else if (strcmp(word, "time") == 0)
			measure();
		else if (strcmp(word, "calls") == 0)
			measure_calls();
		else
			return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
