/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A ring of batches for a pool of workers.
 */
#include "base/ring.h"

#include <assert.h>

int ring_init(struct ring *ring, struct f2fs_context *ctx, unsigned workers, size_t size)
{
	int err = pool_new(ctx, workers, &ring->pool);
	unsigned count;

	ring->ctx = ctx;
	if (err)
		return err;
	count = 2 * pool_slots(ring->pool) + 1;
	ring->batches = mem_calloc(ctx, count, sizeof(*ring->batches));
	if (!ring->batches)
		return F2FS_ERR_NOMEM;
	for (; ring->count < count; ring->count++) {
		ring->batches[ring->count] = mem_zalloc(ctx, size);
		if (!ring->batches[ring->count])
			return F2FS_ERR_NOMEM;
	}
	return 0;
}

void ring_fini(struct ring *ring)
{
	while (ring_take(ring))
		;
	pool_free(ring->pool);
	for (unsigned i = 0; i < ring->count; i++)
		mem_free(ring->ctx, ring->batches[i]);
	if (ring->ctx)
		mem_free(ring->ctx, ring->batches);
	*ring = (struct ring){ 0 };
}

void *ring_filling(const struct ring *ring)
{
	return ring->is_filling ? ring->batches[(ring->first + ring->in_flight) % ring->count] : NULL;
}

void *ring_fill(struct ring *ring)
{
	assert(!ring->is_filling && !ring_is_full(ring));
	ring->is_filling = true;
	return ring_filling(ring);
}

void ring_submit(struct ring *ring, void (*run)(struct pool_job *job, unsigned slot))
{
	struct pool_job *job = ring_filling(ring);

	if (!job)
		return;
	ring->is_filling = false;
	ring->in_flight++;
	job->run = run;
	pool_submit(ring->pool, job);
}

void *ring_take(struct ring *ring)
{
	struct pool_job *job;

	if (!ring->in_flight)
		return NULL;
	job = ring->batches[ring->first];
	pool_wait(ring->pool, job);
	ring->first = (ring->first + 1) % ring->count;
	ring->in_flight--;
	return job;
}
