/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass-through device that reports each read to a callback (the --read-log audit trail).
 */
#include "base/error.h"
#include "device/iov.h"
#include "device/layer.h"

struct watch {
	struct layer layer;
	void (*seen)(void *user, uint64_t offset, uint64_t length, int failed);
	void *user;
};

static int watch_read(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct watch *watch = self;
	const int rc = layer_read(self, offset, iov, count);

	watch->seen(watch->user, offset, iov_length_capped(iov, count), rc != 0);
	return rc;
}

static const struct f2fs_device_ops watch_ops = {
	.read = watch_read,
	.write = layer_write,
	.zero = layer_zero,
	.discard = layer_discard,
	.flush = layer_flush,
	.extent = layer_extent,
	.zones = layer_zones,
	.zone_reset = layer_zone_reset,
	.zone_finish = layer_zone_finish,
	.close = layer_close,
};

int f2fs_device_open_watch(struct f2fs_device *inner,
			   void (*seen)(void *user, uint64_t offset, uint64_t length, int failed), void *user,
			   struct f2fs_device **out)
{
	/* one read at a time: seen() need not care about threads */
	const uint32_t caps = inner->info.caps & ~(uint32_t)(F2FS_DEVICE_PARALLEL | F2FS_DEVICE_PARALLEL_WRITE);
	struct watch *watch;
	int rc;

	error_clear(inner->ctx);
	rc = layer_make(inner, sizeof(struct watch), &watch_ops, caps, out);
	if (rc)
		return rc;
	watch = (*out)->self;
	watch->seen = seen;
	watch->user = user;
	return 0;
}
