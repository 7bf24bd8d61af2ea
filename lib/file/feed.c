/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Batches of contents on a ring. A batch is a piece of the output, with gaps that a worker fills from the device: runs
 * that follow each other there are one read, and the unused ends of blocks between them go to a waste buffer. Damage is
 * not examined here: the caller reads such contents itself and meets the error where it always did.
 */
#include "file/feed.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

#include "base/error.h"
#include "base/ring.h"
#include "device/device.h"
#include "file/crypto.h"
#include "file/map_read.h"

#define BATCH_ITEMS 256u
#define BATCH_RUNS (FEED_BATCH / 4096 + 2) /* a file that fills a batch may have one for each block */
#define FULL_BATCH (256u << 10)		    /* bytes: small files fill a batch no further */
#define BATCH_NOTES (32u << 10)
#define MOST_IOV 64u
#define NOTE_ALIGN alignof(max_align_t)

/* Bytes of the device and their place in the batch. */
struct feed_run {
	uint64_t source;
	uint8_t *to;
	size_t length;
	struct feed_item *item;
};

struct feed_batch {
	struct pool_job job; /* first */
	struct feed *feed;
	unsigned item_count, run_count;
	size_t used, notes_used;
	struct feed_item items[BATCH_ITEMS];
	struct feed_run runs[BATCH_RUNS];
	alignas(max_align_t) uint8_t notes[BATCH_NOTES];
	uint8_t *bytes;
};

/* A batch's bytes on their way out, while the batch is filled again. */
struct feed_write {
	struct pool_job job; /* first */
	struct feed *feed;
	uint8_t *bytes; /* exchanged for the batch's */
	size_t length;
	int failure;
	bool is_running;
};

struct feed {
	struct f2fs_volume *vol;
	struct feed_user to;
	struct ring ring; /* struct feed_batch */
	size_t batch;	  /* bytes */
	uint8_t *waste;	  /* a block for each slot */
	struct feed_write write;
	bool is_taking;
};

/* ---- on workers */

/* Read the runs [from, to) of a batch, whose blocks follow each other. Returns 0 or a result of the device. */
static int read_together(const struct feed_batch *batch, unsigned from, unsigned to, uint8_t *waste)
{
	struct f2fs_iovec iov[MOST_IOV] = { { 0 } };
	unsigned count = 0;

	for (unsigned i = from; i < to; i++) {
		const struct feed_run *run = &batch->runs[i], *before = i > from ? run - 1 : run;
		const uint64_t end = i > from ? before->source + before->length : run->source;

		if (run->source > end)
			iov[count++] = (struct f2fs_iovec){ waste, (size_t)(run->source - end) };
		iov[count++] = (struct f2fs_iovec){ run->to, run->length };
	}
	return device_readv_quiet(batch->feed->vol->dev, batch->runs[from].source, iov, count);
}

/* Does a run follow another one, with less than a block between them? */
static bool follows(const struct feed *feed, const struct feed_run *run, const struct feed_run *before)
{
	const uint64_t end = before->source + before->length;

	return run->source >= end && run->source - end < feed->vol->geo.block_size;
}

static void read_group(struct feed_batch *batch, unsigned from, unsigned to, uint8_t *waste)
{
	if (read_together(batch, from, to, waste) == 0)
		return;
	for (unsigned i = from; i < to; i++)
		if (read_together(batch, i, i + 1, waste) != 0)
			batch->runs[i].item->is_bad = true;
}

static void run_batch(struct pool_job *job, unsigned slot)
{
	struct feed_batch *batch = (struct feed_batch *)job;
	struct feed *feed = batch->feed;
	uint8_t *waste = feed->waste + (size_t)slot * feed->vol->geo.block_size;
	unsigned from = 0;

	for (unsigned i = 1; i <= batch->run_count; i++) {
		if (i < batch->run_count && i - from < MOST_IOV / 2 &&
		    follows(feed, &batch->runs[i], &batch->runs[i - 1]))
			continue;
		read_group(batch, from, i, waste);
		from = i;
	}
	for (unsigned i = 0; feed->to.work && i < batch->item_count; i++)
		if (!batch->items[i].is_bad)
			feed->to.work(feed->to.user, &batch->items[i], slot);
}

static void run_write(struct pool_job *job, unsigned slot)
{
	struct feed_write *write = (struct feed_write *)job;

	(void)slot;
	write->failure = write->feed->to.bytes(write->feed->to.user, write->bytes, write->length);
}

/* ---- taking */

/* Wait for the last write. A process that was forked cannot, and writes nothing: the output is its parent's. */
static int end_write(struct feed *feed)
{
	struct feed_write *write = &feed->write;

	if (feed->to.bytes && pool_is_forked(feed->ring.pool))
		return error_set(feed->vol->ctx, F2FS_ERR_STATE,
				 "a process that was forked cannot write what its parent began to write");
	if (!write->is_running)
		return 0;
	write->is_running = false;
	if (feed->to.is_behind)
		pool_wait(feed->ring.pool, &write->job);
	return write->failure ? feed->to.report(feed->to.user, write->failure) : 0;
}

/* Write a batch's bytes, and give it those of the last write, which is over. */
static int write_bytes(struct feed *feed, struct feed_batch *batch)
{
	struct feed_write *write = &feed->write;
	uint8_t *bytes = batch->bytes;
	int err = end_write(feed);

	if (err)
		return err;
	batch->bytes = write->bytes;
	write->bytes = bytes;
	write->length = batch->used;
	write->is_running = true;
	if (feed->to.is_behind) {
		write->job.run = run_write;
		pool_submit(feed->ring.pool, &write->job);
		return 0;
	}
	run_write(&write->job, 0);
	return end_write(feed);
}

static void drop_items(const struct feed *feed, struct feed_batch *batch, unsigned from)
{
	for (unsigned i = from; feed->to.drop && i < batch->item_count; i++)
		feed->to.drop(feed->to.user, &batch->items[i]);
}

/* Take the oldest batch. */
static int take(struct feed *feed)
{
	struct feed_batch *batch = ring_take(&feed->ring);
	int err = progress_tick(feed->vol->ctx, "read", batch->used);
	unsigned i = 0;

	if (!batch->job.is_done) /* in a forked process, which has no workers */
		run_batch(&batch->job, 0);
	feed->is_taking = true;
	while (!err && i < batch->item_count)
		err = feed->to.item(feed->to.user, &batch->items[i++]);
	drop_items(feed, batch, i);
	if (!err && feed->to.bytes && batch->used)
		err = write_bytes(feed, batch);
	feed->is_taking = false;
	return err;
}

/* Submit the batch that is being filled, and begin another one. */
static int next_batch(struct feed *feed)
{
	struct feed_batch *batch;
	int err = 0;

	ring_submit(&feed->ring, run_batch);
	if (ring_is_full(&feed->ring))
		err = take(feed);
	if (err)
		return err;
	batch = ring_fill(&feed->ring);
	batch->feed = feed;
	batch->item_count = 0;
	batch->run_count = 0;
	batch->used = 0;
	batch->notes_used = 0;
	return 0;
}

int feed_flush(struct feed *feed)
{
	const struct f2fs_error_detail before = feed->vol->ctx->error;
	int err = 0;

	if (feed->is_taking)
		return 0;
	ring_submit(&feed->ring, run_batch);
	while (!err && feed->ring.in_flight)
		err = take(feed);
	if (!err)
		err = end_write(feed);
	if (!err)
		feed->vol->ctx->error = before;
	return err;
}

/* ---- asking */

/* Find room for more bytes, at least for one. */
static int find_room(struct feed *feed, size_t *room)
{
	struct feed_batch *batch = ring_filling(&feed->ring);
	int err = batch && batch->used < feed->batch ? 0 : next_batch(feed);

	if (err)
		return err;
	batch = ring_filling(&feed->ring);
	*room = feed->batch - batch->used;
	return 0;
}

int feed_put(struct feed *feed, const void *bytes, size_t length)
{
	const uint8_t *from = bytes;
	int err = 0;

	while (length > 0 && !err) {
		struct feed_batch *batch;
		size_t n;

		err = find_room(feed, &n);
		if (err)
			break;
		batch = ring_filling(&feed->ring);
		n = n < length ? n : length;
		memcpy(batch->bytes + batch->used, from, n);
		batch->used += n;
		from += n;
		length -= n;
	}
	return err;
}

static size_t note_room(size_t size)
{
	return (size + NOTE_ALIGN - 1) & ~(NOTE_ALIGN - 1);
}

/* Has a batch room for an item, with a run for each of its blocks? */
static bool has_room(const struct feed *feed, const struct feed_batch *batch, const struct feed_ask *ask)
{
	return batch->used < FULL_BATCH && ask->length <= feed->batch - batch->used &&
	       batch->item_count < BATCH_ITEMS &&
	       ask->length / feed->vol->geo.block_size + 2 <= BATCH_RUNS - batch->run_count &&
	       note_room(ask->note_size) <= BATCH_NOTES - batch->notes_used;
}

/* Begin an item in a batch that has room for it. */
static int begin_item(struct feed *feed, const struct feed_ask *ask, struct feed_item **out)
{
	struct feed_batch *batch = ring_filling(&feed->ring);
	struct feed_item *item;
	int err;

	assert(ask->length <= feed->batch && ask->note_size <= FEED_NOTE);
	if (!batch || !has_room(feed, batch, ask)) {
		err = next_batch(feed);
		if (err)
			return err;
		batch = ring_filling(&feed->ring);
	}
	item = &batch->items[batch->item_count++];
	item->note = batch->notes + batch->notes_used;
	item->bytes = batch->bytes + batch->used;
	item->length = ask->length;
	item->is_bad = false;
	if (ask->note_size)
		memcpy(item->note, ask->note, ask->note_size);
	batch->notes_used += note_room(ask->note_size);
	batch->used += ask->length;
	*out = item;
	return 0;
}

int feed_copy(struct feed *feed, const struct feed_ask *ask, const void *bytes)
{
	struct feed_item *item;
	int err = begin_item(feed, ask, &item);

	if (!err && ask->length)
		memcpy(item->bytes, bytes, ask->length);
	return err;
}

/* Is there a block of the device for each block of the contents? */
static bool is_plain(const struct feed_ask *ask)
{
	const struct f2fs_inode *inode = ask->inode;

	return !inode->is_past && !inode->layout.is_compressed &&
	       !inode_has_inline(inode->block, FLAG_i_inline_inline_data | FLAG_i_inline_inline_dentry) &&
	       (ask->is_stored || !crypto_has_contents(inode->block));
}

/* Add a run of n bytes at byte within of block addr. */
static int add_run(struct feed_batch *batch, f2fs_blk_t addr, uint64_t within, uint8_t *to, size_t n)
{
	struct f2fs_volume *vol = batch->feed->vol;
	const struct volume_running *running = vol->ops.running;
	const uint32_t bits = vol->geo.block_bits;
	const uint64_t blocks = (within + n + vol->geo.block_size - 1) >> bits;
	struct feed_run *run;

	if (batch->run_count == BATCH_RUNS || !geometry_is_main(&vol->geo, addr) ||
	    blocks > vol->geo.end_blkaddr - addr)
		return FEED_APART;
	if (running && running->write_out(vol, addr, blocks) != 0)
		return FEED_APART;
	run = &batch->runs[batch->run_count++];
	run->source = ((uint64_t)addr << bits) + within;
	run->to = to;
	run->length = n;
	run->item = &batch->items[batch->item_count - 1];
	return 0;
}

/* Add one extent at most; *done: its bytes. */
static int add_extent(struct feed_batch *batch, struct f2fs_inode *inode, uint64_t offset, uint8_t *to, size_t *done)
{
	const struct f2fs_geometry *geo = &inode->vol->geo;
	const uint64_t block = offset >> geo->block_bits, within = offset & (geo->block_size - 1);
	struct f2fs_file_extent extent;
	uint64_t room;
	int err = map_extent(inode, block, (within + *done + geo->block_size - 1) >> geo->block_bits, &extent);

	if (err == F2FS_ERR_NOT_FOUND) { /* after the last block */
		error_clear(inode->vol->ctx);
		memset(to, 0, *done);
		return 0;
	}
	if (err)
		return err == F2FS_ERR_NOMEM ? err : FEED_APART;
	room = (extent.count << geo->block_bits) - within;
	*done = *done < room ? *done : (size_t)room;
	switch (extent.kind) {
	case F2FS_EXTENT_HOLE:
	case F2FS_EXTENT_RESERVED:
		memset(to, 0, *done);
		return 0;
	case F2FS_EXTENT_DATA:
		return add_run(batch, extent.addr, within, to, *done);
	default:
		return FEED_APART;
	}
}

/* Add the last item's runs. */
static int add_runs(struct feed_batch *batch, const struct feed_ask *ask)
{
	uint8_t *bytes = batch->items[batch->item_count - 1].bytes;
	int err = 0;

	for (size_t at = 0, n; at < ask->length && !err; at += n) {
		n = ask->length - at;
		err = add_extent(batch, ask->inode, ask->offset + at, bytes + at, &n);
	}
	return err;
}

int feed_contents(struct feed *feed, const struct feed_ask *ask)
{
	struct feed_batch *batch;
	struct feed_item *item;
	unsigned run_count;
	int err;

	if (!is_plain(ask))
		return FEED_APART;
	err = begin_item(feed, ask, &item);
	if (err)
		return err;
	batch = ring_filling(&feed->ring);
	run_count = batch->run_count;
	err = add_runs(batch, ask);
	if (!err)
		return 0;
	batch->run_count = run_count;
	batch->item_count--;
	batch->used -= ask->length;
	batch->notes_used -= note_room(ask->note_size);
	return err;
}

unsigned feed_slots(const struct feed *feed)
{
	return pool_slots(feed->ring.pool);
}

static unsigned worker_count(struct f2fs_volume *vol, unsigned threads)
{
	/* other devices touch the context when they are read */
	if (!(f2fs_device_info(vol->dev)->caps & F2FS_DEVICE_PARALLEL))
		return 0;
	return (threads ? threads : pool_processors()) - 1;
}

/* Allocate the bytes of all batches, and of a write if there is one. */
static int make_bytes(struct feed *feed)
{
	for (unsigned i = 0; i < feed->ring.count; i++) {
		struct feed_batch *batch = (struct feed_batch *)feed->ring.batches[i];

		batch->bytes = mem_alloc(feed->vol->ctx, feed->batch);
		if (!batch->bytes)
			return F2FS_ERR_NOMEM;
	}
	if (!feed->to.bytes)
		return 0;
	feed->write.bytes = mem_alloc(feed->vol->ctx, feed->batch);
	return feed->write.bytes ? 0 : F2FS_ERR_NOMEM;
}

int feed_new(struct f2fs_volume *vol, unsigned threads, size_t batch, const struct feed_user *user, struct feed **out)
{
	struct feed *feed = mem_zalloc(vol->ctx, sizeof(*feed));
	int err;

	if (!feed)
		return F2FS_ERR_NOMEM;
	feed->vol = vol;
	feed->to = *user;
	feed->batch = batch;
	feed->write.feed = feed;
	err = ring_init(&feed->ring, vol->ctx, worker_count(vol, threads), sizeof(struct feed_batch));
	if (!err)
		err = make_bytes(feed);
	if (!err)
		feed->waste = mem_calloc(vol->ctx, feed_slots(feed), vol->geo.block_size);
	if (!err && !feed->waste)
		err = F2FS_ERR_NOMEM;
	if (err)
		feed_free(feed);
	else
		*out = feed;
	return err;
}

void feed_free(struct feed *feed)
{
	struct feed_batch *batch;

	if (!feed)
		return;
	while ((batch = ring_take(&feed->ring)) != NULL)
		drop_items(feed, batch, 0);
	batch = ring_filling(&feed->ring);
	if (batch)
		drop_items(feed, batch, 0);
	for (unsigned i = 0; i < feed->ring.count; i++)
		mem_free(feed->vol->ctx, ((struct feed_batch *)feed->ring.batches[i])->bytes);
	ring_fini(&feed->ring); /* the last write is over then */
	mem_free(feed->vol->ctx, feed->write.bytes);
	mem_free(feed->vol->ctx, feed->waste);
	mem_free(feed->vol->ctx, feed);
}
