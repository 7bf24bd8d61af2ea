/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A device that behaves as if it had zones, over one that has none: for images of zoned volumes, and for tests. It
 * refuses the same writes as a zoned device, and a reset zone loses its contents.
 */
#include "base/error.h"
#include "base/sized.h"
#include "device/iov.h"
#include "device/layer.h"
#include "device/zone_state.h"

struct zone_model {
	struct layer layer;
	struct zone_state state;
};

static int write_model(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct zone_model *model = self;
	const uint64_t length = iov_length_capped(iov, count);
	int rc = zone_state_check(&model->state, offset, length);

	if (rc == 0)
		rc = device_writev_quiet(model->layer.inner, offset, iov, count);
	if (rc == 0)
		zone_state_advance(&model->state, offset, length);
	return rc;
}

static int zero_model(void *self, uint64_t offset, uint64_t length)
{
	struct zone_model *model = self;
	int rc = zone_state_check(&model->state, offset, length);

	if (rc == 0)
		rc = device_zero_quiet(model->layer.inner, offset, length);
	if (rc == 0)
		zone_state_advance(&model->state, offset, length);
	return rc;
}

static int report_model(void *self, uint64_t first, struct f2fs_zone *zones, unsigned count, unsigned *found)
{
	return zone_state_report(&((struct zone_model *)self)->state, first, zones, count, found);
}

static int reset_model(void *self, uint64_t offset)
{
	struct zone_model *model = self;
	const struct f2fs_zone *zone = zone_state_reset(&model->state, offset);

	return zone ? device_zero_quiet(model->layer.inner, zone->start, zone->length) : F2FS_ERR_INVALID;
}

static int finish_model(void *self, uint64_t offset)
{
	return zone_state_finish(&((struct zone_model *)self)->state, offset) ? 0 : F2FS_ERR_INVALID;
}

static void close_model(void *self)
{
	zone_state_fini(&((struct zone_model *)self)->state);
	layer_close(self);
}

static const struct f2fs_device_ops model_ops = {
	.read = layer_read,
	.write = write_model,
	.zero = zero_model,
	.flush = layer_flush,
	.extent = layer_extent,
	.zones = report_model,
	.zone_reset = reset_model,
	.zone_finish = finish_model,
	.close = close_model,
};

int f2fs_device_open_zoned(struct f2fs_device *inner, const struct f2fs_zone_options *options, struct f2fs_device **out)
{
	const uint32_t keep = F2FS_DEVICE_WRITE | F2FS_DEVICE_ZEROED;
	struct f2fs_zone_options own;
	struct zone_model *model;
	struct f2fs_device *dev;
	int rc;

	error_clear(inner->ctx);
	rc = sized_take(inner->ctx, &own, sizeof(own), options);
	if (rc != 0)
		return rc;
	if (inner->info.caps & F2FS_DEVICE_ZONED)
		return error_set(inner->ctx, F2FS_ERR_INVALID, "%s has zones", inner->name);
	rc = layer_make(inner, sizeof(*model), &model_ops, inner->info.caps & keep, &dev);
	if (rc != 0)
		return rc;
	model = dev->self;
	rc = zone_state_make(&model->state, inner->ctx, inner->info.size, &own);
	if (rc != 0) {
		f2fs_device_close(dev);
		return rc;
	}
	dev->ops.zones = report_model;
	dev->ops.zone_reset = reset_model;
	dev->ops.zone_finish = finish_model;
	dev->info.caps |= F2FS_DEVICE_ZONED;
	dev->info.zone_bytes = own.zone_bytes;
	dev->open_zones = own.open_zones;
	*out = dev;
	return 0;
}
