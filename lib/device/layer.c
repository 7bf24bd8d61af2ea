/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Devices over one other device: making one, and operations that pass down unchanged.
 */
#include "device/layer.h"

static struct f2fs_device *get_inner(void *self)
{
	return ((struct layer *)self)->inner;
}

/* For struct f2fs_device's below. */
static struct f2fs_device *layer_below(void *self, uint64_t *offset)
{
	(void)offset;
	return get_inner(self);
}

int layer_make(struct f2fs_device *inner, size_t size, const struct f2fs_device_ops *ops, uint32_t caps,
	       struct f2fs_device **out)
{
	struct f2fs_device_info info = inner->info;
	struct layer *layer = mem_zalloc(inner->ctx, size);
	int rc;

	if (!layer)
		return F2FS_ERR_NOMEM;
	info.caps = caps;
	if (!(caps & F2FS_DEVICE_ZONED))
		info.zone_bytes = 0;
	layer->ctx = inner->ctx;
	rc = device_make(inner->ctx, inner->name, ops, layer, &info, out);
	if (rc != 0) {
		mem_free(inner->ctx, layer);
		return rc;
	}
	if (!(caps & F2FS_DEVICE_ZONED)) {
		(*out)->ops.zones = NULL;
		(*out)->ops.zone_reset = NULL;
		(*out)->ops.zone_finish = NULL;
	}
	(*out)->open_zones = caps & F2FS_DEVICE_ZONED ? inner->open_zones : 0;
	layer->inner = f2fs_device_ref(inner);
	(*out)->owner = inner->owner;
	(*out)->below = layer_below;
	return 0;
}

int layer_read(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	return device_readv_quiet(get_inner(self), offset, iov, count);
}

int layer_write(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	return device_writev_quiet(get_inner(self), offset, iov, count);
}

int layer_zero(void *self, uint64_t offset, uint64_t length)
{
	return device_zero_quiet(get_inner(self), offset, length);
}

int layer_discard(void *self, uint64_t offset, uint64_t length)
{
	return device_discard_quiet(get_inner(self), offset, length);
}

int layer_flush(void *self)
{
	return device_flush_quiet(get_inner(self));
}

int layer_extent(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	return device_extent_quiet(get_inner(self), offset, length, is_hole);
}

int layer_zones(void *self, uint64_t first, struct f2fs_zone *zones, unsigned count, unsigned *found)
{
	return device_zones_quiet(get_inner(self), first, zones, count, found);
}

int layer_zone_reset(void *self, uint64_t offset)
{
	return device_zone_reset_quiet(get_inner(self), offset);
}

int layer_zone_finish(void *self, uint64_t offset)
{
	return device_zone_finish_quiet(get_inner(self), offset);
}

void layer_close(void *self)
{
	struct layer *layer = self;

	f2fs_device_close(layer->inner);
	mem_free(layer->ctx, layer);
}
