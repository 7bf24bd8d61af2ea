/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads, their memory, and the ring of batches: all of it taken before the first file, so that the run's memory does
 * not depend on the image.
 */
#include "sink/hostpipe.h"
#include "device/device.h"
#include "sink/plan.h"
#include "sink/retire.h"

#define MOST_CLUSTER_BLOCKS 256u

static unsigned worker_count(const struct host *h)
{
	unsigned threads = h->sink->opt.threads;

	/* other devices touch the context when they are read */
	if (!(f2fs_device_info(h->sink->vol->dev)->caps & F2FS_DEVICE_PARALLEL))
		return 0;
	if (!threads)
		threads = pool_processors();
	return threads - 1;
}

static int init_slot(struct host *h, struct host_slot *slot)
{
	const struct f2fs_geometry *geo = &h->sink->vol->geo;
	const size_t cluster = (size_t)MOST_CLUSTER_BLOCKS << geo->block_bits;

	comp_init(&slot->codec);
	slot->window_size = HOST_WINDOW;
	if (geometry_has(geo, F2FS_FEAT_COMPRESSION)) {
		if (slot->window_size < cluster)
			slot->window_size = cluster;
		slot->cluster = mem_alloc(h->sink->ctx, cluster);
		if (!slot->cluster)
			return F2FS_ERR_NOMEM;
	}
	slot->window = mem_alloc(h->sink->ctx, slot->window_size);
	return slot->window ? 0 : F2FS_ERR_NOMEM;
}

int host_pipe_init(struct host *h)
{
	struct f2fs_context *ctx = h->sink->ctx;
	int err = ring_init(&h->ring, ctx, worker_count(h), sizeof(struct host_batch));

	if (err)
		return err;
	h->slots = mem_calloc(ctx, pool_slots(h->ring.pool), sizeof(*h->slots));
	if (!h->slots)
		return F2FS_ERR_NOMEM;
	for (; h->slot_count < pool_slots(h->ring.pool) && !err; h->slot_count++)
		err = init_slot(h, &h->slots[h->slot_count]);
	return err;
}

int host_pipe_flush(struct host *h)
{
	int err = 0;

	host_plan_submit(h);
	while (h->ring.in_flight && !err)
		err = host_retire(h);
	return err;
}

void host_pipe_fini(struct host *h)
{
	struct f2fs_context *ctx = h->sink->ctx;
	struct host_batch *batch;

	/* the batches in flight after a failure: workers see the flag and do no more */
	atomic_store(&h->stop, true);
	while ((batch = ring_take(&h->ring)) != NULL)
		host_abandon(h, batch);
	batch = ring_filling(&h->ring);
	if (batch)
		host_abandon(h, batch);
	ring_fini(&h->ring);
	for (unsigned i = 0; i < h->slot_count; i++) {
		comp_fini(&h->slots[i].codec);
		mem_free(ctx, h->slots[i].window);
		mem_free(ctx, h->slots[i].cluster);
	}
	mem_free(ctx, h->slots);
}
