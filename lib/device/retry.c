/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A layer that repeats failed reads. Cables, bridges and networks fail for a moment, and a repair would drop blocks
 * that look lost then. Mistakes of the caller are not repeated. Nor are writes, because it is not known how much of a
 * failed one is there.
 */
#include "device/layer.h"
#include "device/retry.h"

enum { TRIES = 3 };

static bool may_pass(int rc)
{
	return rc == F2FS_ERR_IO || rc < F2FS_SYS_ERROR(0);
}

static int readv_again(struct f2fs_device *dev, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	int rc = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		rc = device_readv_quiet(dev, offset, iov, count);
		if (!may_pass(rc))
			return rc;
	}
	return rc;
}

int device_read_again(struct f2fs_device *dev, uint64_t offset, void *buffer, size_t length)
{
	const struct f2fs_iovec iov = { buffer, length };

	return readv_again(dev, offset, &iov, 1);
}

static int read_again(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	const struct layer *layer = self;

	return readv_again(layer->inner, offset, iov, count);
}

static const uint8_t *peek_below(void *self, uint64_t offset, size_t length)
{
	const struct layer *layer = self;

	return device_peek(layer->inner, offset, length);
}

static const struct f2fs_device_ops retry_ops = {
	.read = read_again,
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

int device_new_retry(struct f2fs_device *inner, struct f2fs_device **out)
{
	int rc = layer_make(inner, sizeof(struct layer), &retry_ops, inner->info.caps, out);

	if (rc == 0 && inner->peek)
		(*out)->peek = peek_below;
	return rc;
}
