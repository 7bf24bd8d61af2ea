/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make a read cache over a slow device.
 */
#ifndef F2FSKIT_DEVICE_CACHE_H
#define F2FSKIT_DEVICE_CACHE_H

#include "device/device.h"

/*
 * f2fs_device_open_cache() with lines of line_size bytes (a power of two, 512 to 512 KiB): as large as the pieces that
 * device_peek() shall give.
 */
int device_new_cache(struct f2fs_device *inner, uint64_t budget, uint32_t line_size, struct f2fs_device **out);

/* Let a cache forget a range that was written past it. */
void device_cache_forget(struct f2fs_device *cache, uint64_t offset, uint64_t length);

#endif
