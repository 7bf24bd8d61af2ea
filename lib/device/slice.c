/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A window of a device, such as a partition of a disk: adds an offset to everything. Zones are passed on when the
 * window begins with one.
 */
#include "base/checked.h"
#include "base/error.h"
#include "device/layer.h"
#include "device/slice.h"

struct slice {
	struct layer layer;
	uint64_t offset;
	uint64_t length;
};

static int read_slice(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	const struct slice *slice = self;

	return device_readv_quiet(slice->layer.inner, slice->offset + offset, iov, count);
}

static int write_slice(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	const struct slice *slice = self;

	return device_writev_quiet(slice->layer.inner, slice->offset + offset, iov, count);
}

static int zero_slice(void *self, uint64_t offset, uint64_t length)
{
	const struct slice *slice = self;

	return device_zero_quiet(slice->layer.inner, slice->offset + offset, length);
}

static int discard_slice(void *self, uint64_t offset, uint64_t length)
{
	const struct slice *slice = self;

	return device_discard_quiet(slice->layer.inner, slice->offset + offset, length);
}

static int find_slice_extent(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	const struct slice *slice = self;

	return device_extent_quiet(slice->layer.inner, slice->offset + offset, length, is_hole);
}

static int report_slice_zones(void *self, uint64_t first, struct f2fs_zone *zones, unsigned count, unsigned *found)
{
	const struct slice *slice = self;
	const uint64_t zone_bytes = slice->layer.inner->info.zone_bytes;
	const uint64_t total = div_ceil64(slice->length, zone_bytes);
	int rc;

	if (first >= total)
		count = 0;
	else if (count > total - first)
		count = (unsigned)(total - first);
	rc = device_zones_quiet(slice->layer.inner, slice->offset / zone_bytes + first, zones, count, found);
	for (unsigned i = 0; rc == 0 && i < *found; i++) {
		zones[i].start -= slice->offset;
		zones[i].write_pointer -= slice->offset;
	}
	return rc;
}

static int reset_slice_zone(void *self, uint64_t offset)
{
	const struct slice *slice = self;

	return device_zone_reset_quiet(slice->layer.inner, slice->offset + offset);
}

static int finish_slice_zone(void *self, uint64_t offset)
{
	const struct slice *slice = self;

	return device_zone_finish_quiet(slice->layer.inner, slice->offset + offset);
}

static const uint8_t *peek_slice(void *self, uint64_t offset, size_t length)
{
	const struct slice *slice = self;

	if (!range_within(offset, length, slice->length))
		return NULL;
	return device_peek(slice->layer.inner, slice->offset + offset, length);
}

static struct f2fs_device *find_below_slice(void *self, uint64_t *offset)
{
	const struct slice *slice = self;

	*offset += slice->offset;
	return slice->layer.inner;
}

static const struct f2fs_device_ops slice_ops = {
	.read = read_slice,
	.write = write_slice,
	.zero = zero_slice,
	.discard = discard_slice,
	.flush = layer_flush,
	.extent = find_slice_extent,
	.zones = report_slice_zones,
	.zone_reset = reset_slice_zone,
	.zone_finish = finish_slice_zone,
	.close = layer_close,
};

int device_new_slice(struct f2fs_device *inner, uint64_t offset, uint64_t length, struct f2fs_device **out)
{
	uint32_t caps = inner->info.caps;
	struct f2fs_device *dev;
	struct slice *slice;
	int rc;

	if (length == 0 && offset <= inner->info.size)
		length = inner->info.size - offset;
	if (!range_within(offset, length, inner->info.size))
		return error_set(inner->ctx, F2FS_ERR_RANGE,
				 "%s ends at %llu, the window at %llu of %llu bytes does not fit", inner->name,
				 (unsigned long long)inner->info.size, (unsigned long long)offset,
				 (unsigned long long)length);
	if ((caps & F2FS_DEVICE_ZONED) && offset % inner->info.zone_bytes != 0)
		caps &= ~(uint32_t)F2FS_DEVICE_ZONED;
	rc = layer_make(inner, sizeof(*slice), &slice_ops, caps, &dev);
	if (rc != 0)
		return rc;
	slice = dev->self;
	slice->offset = offset;
	slice->length = length;
	dev->info.size = length;
	dev->info.start_sector += offset / 512;
	if (inner->peek)
		dev->peek = peek_slice;
	dev->below = find_below_slice;
	*out = dev;
	return 0;
}

int f2fs_device_open_slice(struct f2fs_device *inner, uint64_t offset, uint64_t length, struct f2fs_device **out)
{
	error_clear(inner->ctx);
	return device_new_slice(inner, offset, length, out);
}
