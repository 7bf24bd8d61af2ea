/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measure placements: page writes like those of databases to a nearly full volume that cleans itself, and the number of
 * blocks moved: hotness_rate [LOAD|all [VOLUME-MIB [TIMES [PERCENT [WAY]]]]]. TIMES: how often all pages are
 * overwritten before counting, and again while counting. Contents are zeros, on a device that holds none. Loads are
 * deterministic: the seed is in the source.
 */
#include <f2fskit/f2fskit.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lab/hollow.h"

#define BLOCK 4096u
#define PAGE_BLOCKS 4u /* of a database: 16 KiB */

static struct f2fs_context *ctx;
static uint64_t state;

static void check(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s\n", what, f2fs_context_error(ctx)->message);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static double next_share(void)
{
	return (double)(next_random() >> 11) / 9007199254740992.0;
}

/* ---- loads: which pages are written ---- */

struct load {
	uint64_t pages;
	double zeta, zeta2, alpha, eta; /* of Zipf's law, as YCSB draws it */
	uint64_t tail[3];		/* of tables that grow, in pages of them */
	uint64_t log;
};

static uint64_t scramble(uint64_t x)
{
	x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
	return x ^ x >> 33;
}

#define SKEW 0.99
static void zipf_begin(struct load *l, uint64_t n)
{
	l->zeta = 0;
	for (uint64_t i = 1; i <= n; i++)
		l->zeta += 1.0 / pow((double)i, SKEW);
	l->zeta2 = 1.0 + 1.0 / pow(2.0, SKEW);
	l->alpha = 1.0 / (1.0 - SKEW);
	l->eta = (1.0 - pow(2.0 / (double)n, 1.0 - SKEW)) / (1.0 - l->zeta2 / l->zeta);
}

static uint64_t zipf(const struct load *l, uint64_t n)
{
	const double u = next_share(), uz = u * l->zeta;

	if (uz < 1.0)
		return 0;
	if (uz < l->zeta2)
		return 1;
	return (uint64_t)((double)n * pow(l->eta * u - l->eta + 1.0, l->alpha)) % n;
}

static uint64_t page_uniform(struct load *l)
{
	return next_random() % l->pages;
}

/* Updates by Zipf's law, hot pages anywhere. */
static uint64_t page_ycsb(struct load *l)
{
	return scramble(zipf(l, l->pages)) % l->pages;
}

/* NURand of TPC-C: some keys are drawn more often. */
static uint64_t nurand(uint64_t n)
{
	uint64_t a = 1;

	while (a * 8 < n)
		a *= 2;
	return ((next_random() & (a - 1)) | next_random() % n) % n;
}

/*
 * Tables of TPC-C by their share of the pages: a log that is written round and round, warehouses and districts, stock,
 * customers, three tables that grow at their ends, and read-only pages.
 */
static uint64_t page_tpcc(struct load *l)
{
	const uint64_t p = l->pages, log = p / 50, small = p / 500, stock = p * 30 / 100, customers = p * 15 / 100,
		       growing = p * 12 / 100;
	const unsigned dice = (unsigned)(next_random() % 100);
	uint64_t base = log;

	if (dice < 20)
		return l->log++ % log;
	if (dice < 35)
		return base + next_random() % small;
	base += small;
	if (dice < 65)
		return base + nurand(stock);
	base += stock;
	if (dice < 80)
		return base + nurand(customers);
	base += customers;
	if (dice < 98) { /* the last page of one of them; a full table starts again */
		const unsigned t = dice % 3;

		if (next_random() % 8 == 0)
			l->tail[t]++;
		return base + t * growing + l->tail[t] % growing;
	}
	return base + 3 * growing + next_random() % (p - base - 3 * growing);
}

static const struct {
	const char *name;
	uint64_t (*page)(struct load *l);
	unsigned page_blocks;
} loads[] = { { "uniform", page_uniform, 1 },
	      { "tpcc", page_tpcc, PAGE_BLOCKS },
	      { "ycsb", page_ycsb, PAGE_BLOCKS } };

/* ---- the measured alternatives ---- */

struct way {
	const char *name;
	uint32_t policy;
	int method; /* -1: the six logs */
	struct f2fs_hotness_options options;
};

static const struct way ways[] = {
	{ "six logs, greedy", F2FS_GC_GREEDY, -1, { 0 } },
	{ "six logs, cost-benefit", F2FS_GC_COST_BENEFIT, -1, { 0 } },
	{ "m2h", F2FS_GC_HOTNESS, F2FS_HOTNESS_M2H, { .delays = 1 } },
	{ "m2h, keep", F2FS_GC_HOTNESS, F2FS_HOTNESS_M2H, { .delays = 1, .moves_keep = 1 } },
	{ "m2h, keep, no delays", F2FS_GC_HOTNESS, F2FS_HOTNESS_M2H, { .moves_keep = 1 } },
	{ "m2h, keep, greedy victims", F2FS_GC_GREEDY, F2FS_HOTNESS_M2H, { .delays = 1, .moves_keep = 1 } },
	{ "m2h, keep, moves apart",
	  F2FS_GC_HOTNESS,
	  F2FS_HOTNESS_M2H,
	  { .delays = 1, .moves_keep = 1, .moves_apart = 1 } },
	{ "m2h, keep, logarithm",
	  F2FS_GC_HOTNESS,
	  F2FS_HOTNESS_M2H,
	  { .delays = 1, .moves_keep = 1, .by_logarithm = 1 } },
	{ "m2h, keep, logarithm, apart",
	  F2FS_GC_HOTNESS,
	  F2FS_HOTNESS_M2H,
	  { .delays = 1, .moves_keep = 1, .by_logarithm = 1, .moves_apart = 1 } },
	{ "m2h, keep, memory of death",
	  F2FS_GC_HOTNESS,
	  F2FS_HOTNESS_M2H,
	  { .delays = 1, .moves_keep = 1, .memory = 1 } },
	{ "adaptive", F2FS_GC_HOTNESS, F2FS_HOTNESS_ADAPTIVE, { 0 } },
	{ "adaptive, ten streams", F2FS_GC_HOTNESS, F2FS_HOTNESS_ADAPTIVE, { .streams = 10 } },
	{ "adaptive, greedy victims", F2FS_GC_GREEDY, F2FS_HOTNESS_ADAPTIVE, { 0 } },
	{ "adaptive, cost-benefit", F2FS_GC_COST_BENEFIT, F2FS_HOTNESS_ADAPTIVE, { 0 } },
	{ "adaptive, memory of death", F2FS_GC_HOTNESS, F2FS_HOTNESS_ADAPTIVE, { .memory = 1 } },
	{ "death", F2FS_GC_HOTNESS, F2FS_HOTNESS_DEATH, { 0 } },
	{ "death, greedy victims", F2FS_GC_GREEDY, F2FS_HOTNESS_DEATH, { 0 } },
	{ "death, single blocks", F2FS_GC_HOTNESS, F2FS_HOTNESS_DEATH, { .range_blocks = 4 } },
	{ "lifespan", F2FS_GC_HOTNESS, F2FS_HOTNESS_LIFESPAN, { 0 } },
	{ "lifespan, greedy victims", F2FS_GC_GREEDY, F2FS_HOTNESS_LIFESPAN, { 0 } },
};

struct bench {
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
	struct f2fs_inode *file;
	uint64_t blocks;
};

static void begin(struct bench *b, uint64_t mib, unsigned percent, const struct way *way, struct f2fs_hotness **hot)
{
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .label = "bench" };
	const struct f2fs_write_options writing = { F2FS_SIZED(f2fs_write_options),
						    .logging = F2FS_LOGGING_NORMAL,
						    .commit_when_full = 1,
						    .at_once = 1 };
	const struct f2fs_gc_options cleaning = { F2FS_SIZED(f2fs_gc_options), .policy = way->policy };
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct f2fs_hotness_options o = way->options;
	struct f2fs_mkfs_device device = { 0 };
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	struct f2fs_inode *root;
	static uint8_t zeros[1 << 20];

	check(lab_hollow_open(ctx, mib << 20, &b->dev), "device");
	device.device = b->dev;
	check(f2fs_mkfs_write(ctx, &device, 1, &options, NULL), "mkfs");
	check(f2fs_volume_open(ctx, b->dev, NULL, &b->vol), "open");
	check(f2fs_volume_configure(b->vol, &writing), "options");
	check(f2fs_volume_set_gc(b->vol, &cleaning), "cleaning");
	*hot = NULL;
	if (way->method >= 0) {
		o.struct_size = sizeof(o);
		o.method = (uint32_t)way->method;
		if (o.memory)
			o.memory = mib * 256 / 64 * 2 * 12; /* as much as DEATH takes for ranges */
		check(f2fs_hotness_open(b->vol, &o, hot), "hotness");
	}
	check(f2fs_lookup(b->vol, "/", 0, &root), "root");
	check(f2fs_create(root, "file", 4, &spec, &b->file), "create");
	f2fs_inode_close(root);
	f2fs_volume_statfs(b->vol, &st);
	b->blocks = st.user_blocks * percent / 100 - st.valid_blocks;
	b->blocks -= b->blocks / 1000 + 8; /* nodes */
	b->blocks = b->blocks / 256 * 256;
	for (uint64_t i = 0; i < b->blocks; i += 256)
		check(f2fs_inode_write(b->file, i * BLOCK, zeros, sizeof(zeros)), "fill");
	check(f2fs_volume_commit(b->vol), "commit");
}

static void run(const struct bench *b, unsigned load, struct load *l, uint64_t blocks)
{
	static uint8_t page[PAGE_BLOCKS * BLOCK];
	const size_t bytes = (size_t)loads[load].page_blocks * BLOCK;

	for (uint64_t i = 0; i < blocks; i += loads[load].page_blocks) {
		check(f2fs_inode_write(b->file, loads[load].page(l) * bytes, page, bytes), "write");
		if (i % 256 == 0)
			check(f2fs_volume_elapse(b->vol, 1), "elapse");
	}
	check(f2fs_volume_commit(b->vol), "commit");
}

static uint64_t moved(const struct f2fs_counters *c)
{
	return c->bytes[F2FS_WRITE_MOVED_DATA] / BLOCK;
}

static void measure(unsigned load, const struct way *way, uint64_t mib, double times, unsigned percent)
{
	struct f2fs_hotness *hot;
	struct f2fs_hotness_stat stat = { F2FS_SIZED(f2fs_hotness_stat) };
	struct f2fs_stream_stat streams = { F2FS_SIZED(f2fs_stream_stat) };
	struct f2fs_counters before = { F2FS_SIZED(f2fs_counters) }, after = { F2FS_SIZED(f2fs_counters) };
	struct load l = { 0 };
	struct bench b;
	uint64_t writes;
	double cpu;

	state = 88172645463325252u;
	begin(&b, mib, percent, way, &hot);
	l.pages = b.blocks / loads[load].page_blocks;
	if (load == 2)
		zipf_begin(&l, l.pages);
	writes = (uint64_t)((double)b.blocks * times);
	run(&b, load, &l, writes);
	f2fs_volume_counters(b.vol, &before);
	cpu = now();
	run(&b, load, &l, writes);
	cpu = now() - cpu;
	f2fs_volume_counters(b.vol, &after);
	if (hot)
		f2fs_hotness_stat(hot, &stat);
	f2fs_volume_streams(b.vol, &streams);
	printf("%-8s %-26s moved %8" PRIu64 " for %8" PRIu64 " writes, %.3f; data %8" PRIu64 "; saved %7" PRIu64
	       ", partial %4.1f %%; %6.0f ns a write, %7" PRIu64 " bytes, %u classes, found %u times\n",
	       loads[load].name, way->name, moved(&after) - moved(&before), writes,
	       (double)(moved(&after) - moved(&before)) / (double)writes,
	       (after.bytes[F2FS_WRITE_DATA] - before.bytes[F2FS_WRITE_DATA]) / BLOCK, streams.saved,
	       streams.submissions ? 100.0 * (double)streams.partial / (double)streams.submissions : 0.0,
	       cpu / (double)writes * 1e9, stat.memory, (unsigned)stat.classes, (unsigned)stat.clusterings);
	fflush(stdout);
	f2fs_inode_close(b.file);
	check(f2fs_hotness_close(hot), "close");
	f2fs_volume_close(b.vol);
	f2fs_device_close(b.dev);
}

int main(int argc, char **argv)
{
	const char *wanted = argc > 1 ? argv[1] : "all";
	const uint64_t mib = argc > 2 ? (uint64_t)atoi(argv[2]) : 1024;
	const double times = argc > 3 ? atof(argv[3]) : 2;
	const unsigned percent = argc > 4 ? (unsigned)atoi(argv[4]) : 90;
	const char *name = argc > 5 ? argv[5] : "";

	if (f2fs_context_open(NULL, &ctx) != 0)
		return 1;
	for (unsigned load = 0; load < sizeof(loads) / sizeof(loads[0]); load++)
		for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
			if ((strcmp(wanted, "all") == 0 || strcmp(wanted, loads[load].name) == 0) &&
			    strncmp(ways[i].name, name, strlen(name)) == 0)
				measure(load, &ways[i], mib, times, percent);
	f2fs_context_close(ctx);
	return 0;
}
