/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A ring of batches for a pool of workers. The caller's thread fills one batch after the other and submits it. It takes
 * finished batches back in the order of submission. All memory is allocated at the start.
 */
#ifndef F2FSKIT_BASE_RING_H
#define F2FSKIT_BASE_RING_H

#include "base/pool.h"

struct ring {
	struct f2fs_context *ctx;
	struct pool *pool;
	struct pool_job **batches; /* count; those from first on are in flight, then comes the one that is filled */
	unsigned count, first, in_flight;
	bool is_filling;
};

/*
 * Start up to workers threads, and allocate batches of size bytes for them and the caller. A batch begins with its
 * struct pool_job and is zeros at first. ring is all zeros before, and ring_fini() must follow. Fails with
 * NOMEM.
 */
int ring_init(struct ring *ring, struct f2fs_context *ctx, unsigned workers, size_t size);
/* Wait for the batches in flight and release everything. Take back those that own something before. */
void ring_fini(struct ring *ring);
/* Return the batch that is being filled, or NULL. */
void *ring_filling(const struct ring *ring);
/* Are all batches in flight? Then ring_take() comes before ring_fill(). */
static inline bool ring_is_full(const struct ring *ring)
{
	return ring->in_flight == ring->count;
}
/* Begin to fill the next batch, when none is being filled. */
void *ring_fill(struct ring *ring);
/* Let run do the work of the batch that is being filled. Nothing to do if none is. */
void ring_submit(struct ring *ring, void (*run)(struct pool_job *job, unsigned slot));
/*
 * Wait for the oldest batch in flight and return it: it stays as it is until ring_fill() returns it. NULL: none. In a
 * forked process its job may not be done, and never will be (pool.h).
 */
void *ring_take(struct ring *ring);

#endif
