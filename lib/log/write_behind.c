/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write blocks of logs and fillers to the device, at once or by a worker, and count them by cause.
 *
 * A worker writes long runs of blocks while the transaction continues, where the device allows writes
 * from several threads. A head hands its full buffer to the worker and gets another one; only a few writes are under
 * way at a time. Operations that need those blocks on the device (a read, a write to the same place, a barrier) wait
 * for them, so callers see no difference. A failed write is reported by the call that waits for it, at the latest by
 * the commit.
 */
#include "base/pool.h"
#include "device/cache.h"
#include "device/device.h"
#include "log/run.h"
#include "log/segments.h"
#include "log/txn_state.h"
#include "log/write_behind.h"
#include "volume/counters.h"

#define MAX_BEHIND 3u	       /* writes under way */
#define MIN_BYTES (256u << 10) /* shorter ones are not worth the change of threads */

struct behind_write {
	struct pool_job job;
	struct f2fs_device *dev;
	uint8_t *buffer;
	f2fs_blk_t addr;
	uint32_t count;
	uint64_t offset;
	size_t length;
	int rc;
	bool is_running;
};

struct behind {
	struct pool *pool; /* NULL: no worker, all writes are at once */
	struct behind_write writes[MAX_BEHIND];
	unsigned next; /* the oldest one */
};

static void run_write(struct pool_job *job, unsigned slot)
{
	struct behind_write *w = (struct behind_write *)job;

	(void)slot;
	w->rc = device_write_quiet(w->dev, w->offset, w->buffer, w->length);
}

static int need_behind(struct txn *txn)
{
	if (txn->behind)
		return 0;
	txn->behind = mem_zalloc(txn->vol->ctx, sizeof(*txn->behind));
	if (!txn->behind)
		return F2FS_ERR_NOMEM;
	return pool_processors() > 1 ? pool_new(txn->vol->ctx, 1, &txn->behind->pool) : 0;
}

/* Wait for a write, and drop the old bytes from the cache. */
static int finish(struct txn *txn, struct behind_write *w)
{
	int err;

	if (!w->is_running)
		return 0;
	pool_wait(txn->behind->pool, &w->job);
	w->is_running = false;
	device_cache_forget(txn->vol->cache, w->offset, w->length);
	err = device_report(w->dev, w->rc, "write", w->offset, w->length);
	if (err)
		txn_fail(txn);
	return err;
}

/* Does the worker write a run of that many blocks? */
static bool behind_takes(const struct txn *txn, uint32_t count)
{
	const uint32_t caps = f2fs_device_info(txn->vol->dev)->caps;

	return (size_t)count << txn->vol->geo.block_bits >= MIN_BYTES && (caps & F2FS_DEVICE_PARALLEL_WRITE) &&
	       !(caps & F2FS_DEVICE_ZONED) && !(txn->behind && !txn->behind->pool);
}

/* Let the worker write consecutive blocks. It takes *buffer, which has room for a segment, and another one replaces
 * it. */
static int behind_write(struct txn *txn, f2fs_blk_t addr, uint32_t count, uint8_t **buffer)
{
	const uint32_t bits = txn->vol->geo.block_bits;
	struct behind_write *w;
	uint8_t *swap;
	int err = need_behind(txn);

	if (err)
		return err;
	if (!txn->behind->pool)
		return device_write(txn->vol->cache, (uint64_t)addr << bits, *buffer, (size_t)count << bits);
	w = &txn->behind->writes[txn->behind->next++ % MAX_BEHIND];
	err = finish(txn, w);
	if (!err && !w->buffer) {
		w->buffer = mem_alloc(txn->vol->ctx, (size_t)F2FS_SEGMENT_BLOCKS << bits);
		err = w->buffer ? 0 : F2FS_ERR_NOMEM;
	}
	if (err)
		return err;
	swap = w->buffer;
	w->buffer = *buffer;
	*buffer = swap;
	w->dev = txn->vol->dev;
	w->addr = addr;
	w->count = count;
	w->offset = (uint64_t)addr << bits;
	w->length = (size_t)count << bits;
	w->job.run = run_write;
	w->rc = F2FS_ERR_STATE; /* the error in a forked process, which has no worker */
	w->is_running = true;
	pool_submit(txn->behind->pool, &w->job);
	return 0;
}

int behind_wait(struct txn *txn, f2fs_blk_t addr, uint64_t count)
{
	int err = 0;

	for (unsigned i = 0; txn->behind && i < MAX_BEHIND; i++) {
		struct behind_write *w = &txn->behind->writes[i];

		if (w->is_running && addr < (uint64_t)w->addr + w->count && w->addr < addr + count) {
			int rc = finish(txn, w);

			err = err ? err : rc;
		}
	}
	return err;
}

void behind_end(struct txn *txn)
{
	struct behind *behind = txn->behind;

	if (!behind)
		return;
	for (unsigned i = 0; i < MAX_BEHIND; i++) {
		if (behind->writes[i].is_running) {
			pool_wait(behind->pool, &behind->writes[i].job);
			device_cache_forget(txn->vol->cache, behind->writes[i].offset, behind->writes[i].length);
		}
		mem_free(txn->vol->ctx, behind->writes[i].buffer);
	}
	pool_free(behind->pool);
	mem_free(txn->vol->ctx, behind);
	txn->behind = NULL;
}

/* Return the cause by which blocks of a log are counted. */
static unsigned cause_of(const struct txn *txn, unsigned type)
{
	if (type >= F2FS_HOT_NODE)
		return txn->is_cleaning ? F2FS_WRITE_MOVED_NODE : F2FS_WRITE_NODE;
	return txn->is_cleaning ? F2FS_WRITE_MOVED_DATA : F2FS_WRITE_DATA;
}

int log_write(struct txn *txn, f2fs_blk_t addr, uint32_t count, uint8_t **buffer)
{
	const uint32_t bits = txn->vol->geo.block_bits;
	struct segment *s;
	int err = progress_tick(txn->vol->ctx, "write", (uint64_t)count << bits);

	if (!err)
		err = segment_get(txn, geometry_segment_of(&txn->vol->geo, addr), &s);
	if (!err)
		counters_add(txn->vol, cause_of(txn, s->type), (uint64_t)addr << bits, (uint64_t)count << bits);
	/* the worker may still write an earlier use of these blocks */
	if (!err)
		err = behind_wait(txn, addr, count);
	if (!err && behind_takes(txn, count))
		err = behind_write(txn, addr, count, buffer);
	else if (!err) /* through the cache, which would otherwise keep the old contents */
		err = device_write(txn->vol->cache, (uint64_t)addr << bits, *buffer, (size_t)count << bits);
	if (err)
		txn_fail(txn);
	return err;
}
