/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A device over another one that shows some words with other values.
 */
#ifndef F2FSKIT_DEVICE_PATCHED_H
#define F2FSKIT_DEVICE_PATCHED_H

#include <stdbool.h>

#include "device/device.h"

struct device_patch {
	uint64_t offset; /* of the first byte that differs */
	uint32_t length; /* 1 to 8, or any with data */
	uint8_t bytes[8];
	const uint8_t *data; /* a long patch, kept by the caller; NULL: it is in bytes */
	bool is_over; /* the place was written meanwhile */
};

/* Make one. The patches are copied, in any order; no two of them overlap. Holes of the device stay holes, so patch
 * none. A read that lies within one patch does not touch the device below, which may not be able to read there. */
int device_new_patched(struct f2fs_device *inner, const struct device_patch *patches, size_t count,
		       struct f2fs_device **out);

#endif
