/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Base of devices over one other device: struct layer is their first member. The functions here pass operations down
 * unchanged.
 */
#ifndef F2FSKIT_DEVICE_LAYER_H
#define F2FSKIT_DEVICE_LAYER_H

#include "device/device.h"

struct layer {
	struct f2fs_context *ctx;
	struct f2fs_device *inner; /* referenced */
};

/*
 * Allocate size zeroed bytes that start with a struct layer and make a device of them; caps: those of inner that
 * remain. Other members are set by the caller afterwards.
 */
int layer_make(struct f2fs_device *inner, size_t size, const struct f2fs_device_ops *ops, uint32_t caps,
	       struct f2fs_device **out);

int layer_read(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count);
int layer_write(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count);
int layer_zero(void *self, uint64_t offset, uint64_t length);
int layer_discard(void *self, uint64_t offset, uint64_t length);
int layer_flush(void *self);
int layer_extent(void *self, uint64_t offset, uint64_t *length, int *is_hole);
int layer_zones(void *self, uint64_t first, struct f2fs_zone *zones, unsigned count, unsigned *found);
int layer_zone_reset(void *self, uint64_t offset);
int layer_zone_finish(void *self, uint64_t offset);
/* Drop the reference and free self. */
void layer_close(void *self);

#endif
