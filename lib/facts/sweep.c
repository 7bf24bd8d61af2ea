/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read blocks in device order: addresses are sorted, near ones read together, small gaps read over. A few requests run
 * at once. Workers read and judge, the context's thread takes the results in order.
 */
#include <string.h>

#include "base/error.h"
#include "device/device.h"
#include "facts/run.h"
#include "facts/sweep.h"
#include "volume/block_read.h"

#define CHUNK_BYTES (1u << 20)
#define CHUNK_ITEMS 512u
#define GAP_BYTES 65536u
#define MAX_JOBS 6u
#define WINDOW_ITEMS (1u << 19) /* nodes that are listed at once, or a sixteenth of all, to walk over them less often */
#define PIECES 4096u

struct sweep_job {
	struct pool_job job;
	const struct checker *c;
	const struct sweep *sweep;
	const struct sweep_item *items;
	uint32_t count;
	f2fs_blk_t start;
	uint32_t blocks;
	uint8_t *buffer;
	uint32_t *judged;
	int rc;
	bool is_running;
};

static uint8_t *job_block(const struct sweep_job *j, uint32_t i)
{
	return j->buffer + (size_t)(j->items[i].addr - j->start) * j->c->geo->block_size;
}

static void read_job(struct sweep_job *j)
{
	const uint32_t bs = j->c->geo->block_size;

	j->rc = device_read_quiet(j->c->vol->dev, (uint64_t)j->start * bs, j->buffer, (size_t)j->blocks * bs);
}

/* May workers read the device, all at once? */
static bool is_parallel(const struct checker *c)
{
	return (c->vol->dev->info.caps & F2FS_DEVICE_PARALLEL) != 0;
}

static void run_job(struct pool_job *job, unsigned slot)
{
	struct sweep_job *j = (struct sweep_job *)job;

	(void)slot;
	if (is_parallel(j->c))
		read_job(j);
	if (j->rc != 0)
		return;
	for (uint32_t i = 0; i < j->count; i++)
		j->judged[i] = j->sweep->judge ? j->sweep->judge(j->c, &j->items[i], job_block(j, i)) : 0;
}

/* Sort by address, stable: least significant byte first. */
static int sort_items(struct checker *c, struct vec *items)
{
	struct sweep_item *from = items->items, *to, *spare;

	spare = mem_calloc(c->ctx, items->count ? items->count : 1, sizeof(*spare));
	if (!spare)
		return F2FS_ERR_NOMEM;
	to = spare;
	for (unsigned shift = 0; shift < 32; shift += 8) {
		size_t start[257] = { 0 };
		struct sweep_item *swap = from;

		for (size_t i = 0; i < items->count; i++)
			start[(from[i].addr >> shift & 0xff) + 1]++;
		for (unsigned b = 0; b < 256; b++)
			start[b + 1] += start[b];
		for (size_t i = 0; i < items->count; i++)
			to[start[from[i].addr >> shift & 0xff]++] = from[i];
		from = to;
		to = swap;
	}
	mem_free(c->ctx, spare); /* after four rounds everything is back in items */
	return 0;
}

/* Take the next run of items that one request can read; returns their number. */
static uint32_t plan_job(const struct checker *c, struct sweep_job *j, const struct sweep_item *items, size_t left)
{
	const uint32_t most = CHUNK_BYTES >> c->geo->block_bits, gap = GAP_BYTES >> c->geo->block_bits;
	uint32_t n = 1;

	while (n < left && n < CHUNK_ITEMS && items[n].addr - items[0].addr < most &&
	       items[n].addr - items[n - 1].addr <= gap)
		n++;
	j->items = items;
	j->count = n;
	j->start = items[0].addr;
	j->blocks = items[n - 1].addr - items[0].addr + 1;
	return n;
}

static bool is_same(const struct checker *c, const struct sweep_job *j, uint32_t i, const uint8_t *block)
{
	return !j->sweep->is_same || j->sweep->is_same(c, &j->items[i], block);
}

/* Read and digest one block alone. */
static int digest_again(struct checker *c, struct sweep_job *j, uint32_t i, uint8_t *block)
{
	const uint32_t bs = c->geo->block_size;
	const struct sweep_item *item = &j->items[i];
	int err = volume_device_read(c->vol, c->vol->dev, (uint64_t)item->addr * bs, block, bs);

	if (err && err != F2FS_ERR_IO)
		return err;
	if (err || !is_same(c, j, i, block)) {
		error_clear(c->ctx);
		return j->sweep->unreadable(c, item);
	}
	return j->sweep->digest(c, item, block, j->sweep->judge ? j->sweep->judge(c, item, block) : 0);
}

static int digest_job(struct checker *c, struct sweep_job *j)
{
	int err = 0;

	if (!pool_wait(c->pool, &j->job))
		run_job(&j->job, 0);
	j->is_running = false;
	for (uint32_t i = 0; i < j->count && !err; i++) {
		uint8_t *block = job_block(j, i);

		if (j->rc != 0 || !is_same(c, j, i, block)) /* the request failed, or lied: each by itself */
			err = digest_again(c, j, i, block);
		else
			err = j->sweep->digest(c, &j->items[i], block, j->judged[i]);
	}
	return err;
}

/* Items of a sweep. */
struct sweep_part {
	struct vec *items;
	uint64_t before, total; /* items in parts that were run, and in all parts */
};

static int run_jobs(struct checker *c, const struct sweep *sweep, const struct sweep_part *part, struct sweep_job *jobs,
		    unsigned job_count)
{
	const struct vec *items = part->items;
	const struct sweep_item *all = items->items;
	size_t next = 0, done = 0;
	unsigned head = 0, tail = 0;
	int err = 0;

	while (!err && done < items->count) {
		while (next < items->count && !jobs[head % job_count].is_running) {
			struct sweep_job *j = &jobs[head++ % job_count];

			j->c = c;
			j->sweep = sweep;
			j->job.run = run_job;
			next += plan_job(c, j, all + next, items->count - next);
			j->is_running = true;
			if (!is_parallel(c))
				read_job(j);
			pool_submit(c->pool, &j->job);
		}
		struct sweep_job *oldest = &jobs[tail++ % job_count];
		const struct f2fs_progress progress = {
			.task = "check",
			.phase = sweep->phase,
			.unit = "blocks",
			.done = part->before + done,
			.total = part->total,
		};

		err = digest_job(c, oldest);
		done += oldest->count;
		if (!err)
			err = progress_report(c->ctx, &progress);
	}
	for (unsigned i = 0; i < job_count; i++)
		if (jobs[i].is_running)
			pool_wait(c->pool, &jobs[i].job);
	return err;
}

static int run_part(struct checker *c, const struct sweep *sweep, const struct sweep_part *part)
{
	const unsigned slots = pool_slots(c->pool), job_count = slots < MAX_JOBS - 2 ? slots + 2 : MAX_JOBS;
	struct sweep_job jobs[MAX_JOBS];
	int err = sort_items(c, part->items);

	memset(jobs, 0, sizeof(jobs));
	for (unsigned i = 0; i < job_count && !err; i++) {
		jobs[i].buffer = mem_alloc(c->ctx, CHUNK_BYTES);
		jobs[i].judged = mem_calloc(c->ctx, CHUNK_ITEMS, sizeof(uint32_t));
		if (!jobs[i].buffer || !jobs[i].judged)
			err = F2FS_ERR_NOMEM;
	}
	if (!err)
		err = run_jobs(c, sweep, part, jobs, job_count);
	for (unsigned i = 0; i < job_count; i++) {
		mem_free(c->ctx, jobs[i].buffer);
		mem_free(c->ctx, jobs[i].judged);
	}
	return err;
}

int sweep_run(struct checker *c, const struct sweep *sweep, struct vec *items)
{
	const struct sweep_part part = { items, 0, items->count };

	return run_part(c, sweep, &part);
}

/* Nodes are swept in windows of the main area, so that the list of them stays short. */
struct windows {
	bool is_whole; /* only whole nodes */
	bool (*wants)(const struct checker *c, const struct nid_fact *fact);
	uint32_t counts[PIECES]; /* nodes in each piece of the main area */
	unsigned shift;		 /* a piece has 1 << shift blocks */
};

static unsigned piece_of(const struct checker *c, const struct windows *w, f2fs_blk_t addr)
{
	return (unsigned)((uint64_t)(addr - c->geo->main_blkaddr) >> w->shift);
}

static const struct nid_fact *next_node(const struct checker *c, const struct windows *w, struct facts_walk *walk)
{
	return w->is_whole ? facts_next_whole(&c->facts, walk) : facts_next(&c->facts, walk);
}

static uint64_t count_pieces(const struct checker *c, struct windows *w)
{
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	uint64_t total = 0;

	while ((fact = next_node(c, w, &walk)) != NULL)
		if (geometry_is_main(c->geo, fact->addr) && w->wants(c, fact)) {
			w->counts[piece_of(c, w, fact->addr)]++;
			total++;
		}
	return total;
}

/* Return the end of the window that begins with a piece, and the nodes in it: one piece at least. */
static unsigned window_end(const struct windows *w, unsigned from, uint64_t most, uint64_t *count)
{
	for (*count = 0; from < PIECES; from++) {
		if (*count && *count + w->counts[from] > most)
			break;
		*count += w->counts[from];
	}
	return from;
}

static int collect_window(const struct checker *c, const struct windows *w, unsigned from, unsigned end,
			  struct vec *items)
{
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	struct sweep_item *item;

	while ((fact = next_node(c, w, &walk)) != NULL) {
		if (!geometry_is_main(c->geo, fact->addr) || piece_of(c, w, fact->addr) < from ||
		    piece_of(c, w, fact->addr) >= end || !w->wants(c, fact))
			continue;
		item = vec_push(items, 1);
		if (!item)
			return F2FS_ERR_NOMEM;
		item->addr = fact->addr;
		item->tag = fact->nid;
	}
	return 0;
}

int sweep_nodes(struct checker *c, const struct sweep *sweep, bool is_whole,
		bool (*wants)(const struct checker *c, const struct nid_fact *fact))
{
	const uint64_t blocks = c->geo->end_blkaddr - c->geo->main_blkaddr;
	const uint64_t nodes = facts_nid_count(&c->facts);
	const uint64_t most = c->max_items ? c->max_items : nodes / 16 > WINDOW_ITEMS ? nodes / 16 : WINDOW_ITEMS;
	struct windows *w = mem_zalloc(c->ctx, sizeof(*w));
	uint64_t total, before = 0, count;
	int err = w ? 0 : F2FS_ERR_NOMEM;

	if (err)
		return err;
	w->is_whole = is_whole;
	w->wants = wants;
	while ((blocks - 1) >> w->shift >= PIECES)
		w->shift++;
	total = count_pieces(c, w);
	for (unsigned from = 0, end; before < total && !err; from = end, before += count) {
		struct sweep_part part;
		struct vec items;

		end = window_end(w, from, most, &count);
		vec_init(&items, c->ctx, sizeof(struct sweep_item));
		part = (struct sweep_part){ &items, before, total };
		err = vec_reserve(&items, (size_t)count);
		if (!err)
			err = collect_window(c, w, from, end, &items);
		if (!err && items.count)
			err = run_part(c, sweep, &part);
		vec_fini(&items);
	}
	mem_free(c->ctx, w);
	return err;
}

static bool is_kept(const struct checker *c, const struct nid_fact *fact)
{
	(void)c;
	return (fact->flags & FACT_KEPT) && fact->inode != NO_INODE;
}

int sweep_kept(struct checker *c, const struct sweep *sweep)
{
	return sweep_nodes(c, sweep, false, is_kept);
}
