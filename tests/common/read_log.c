/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests may come from several threads at once, so the list has a lock.
 */
#include "common/read_log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct read_log {
	struct f2fs_device *inner;
	pthread_mutex_t lock;
	struct read_request *items;
	size_t count, room;
};

static void give_up(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static void note(struct read_log *log, uint64_t offset, uint64_t length)
{
	pthread_mutex_lock(&log->lock);
	if (log->count == log->room) {
		log->room = log->room ? 2 * log->room : 1024;
		log->items = realloc(log->items, log->room * sizeof(*log->items));
		if (!log->items)
			give_up("no memory for the list of requests");
	}
	log->items[log->count++] = (struct read_request){ offset, length };
	pthread_mutex_unlock(&log->lock);
}

static int read_through(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct read_log *log = self;
	uint64_t length = 0;

	for (unsigned i = 0; i < count; i++)
		length += iov[i].length;
	note(log, offset, length);
	return f2fs_device_readv(log->inner, offset, iov, count);
}

static int extent_through(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	struct read_log *log = self;

	return f2fs_device_extent(log->inner, offset, length, is_hole);
}

struct f2fs_device *read_log_open(struct f2fs_context *ctx, struct f2fs_device *inner, struct read_log **out)
{
	static const struct f2fs_device_ops ops = { F2FS_SIZED(f2fs_device_ops),
						    .read = read_through, .extent = extent_through };
	struct f2fs_device_info info = *f2fs_device_info(inner);
	struct read_log *log = calloc(1, sizeof(*log));
	struct f2fs_device *dev;

	if (!log || pthread_mutex_init(&log->lock, NULL))
		give_up("no memory");
	log->inner = inner;
	info.caps &= ~(uint32_t)F2FS_DEVICE_WRITE;
	if (f2fs_device_open_custom(ctx, &ops, log, &info, &dev))
		give_up("the counting device cannot be made");
	*out = log;
	return dev;
}

const struct read_request *read_log_requests(struct read_log *log, size_t *count)
{
	*count = log->count;
	return log->items;
}

void read_log_free(struct read_log *log)
{
	pthread_mutex_destroy(&log->lock);
	free(log->items);
	free(log);
}
