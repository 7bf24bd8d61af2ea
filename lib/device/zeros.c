/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ranges of a device that must read as zeros, in steps that can be interrupted.
 */
#include "device/zeros.h"

#define STEP ((uint64_t)64 << 20)

int zero_bytes(struct f2fs_device *dev, uint64_t at, uint64_t length)
{
	int err = 0;

	for (uint64_t n; length > 0 && !err; at += n, length -= n) {
		n = length < STEP ? length : STEP;
		err = device_zero(dev, at, n);
	}
	return err;
}

int zero_range(struct f2fs_device *dev, uint64_t at, uint64_t length)
{
	const uint64_t end = at + length;
	int err = 0;

	for (uint64_t n; at < end && !err; at += n) {
		int is_hole = 0;

		err = device_extent(dev, at, &n, &is_hole);
		if (err)
			return err;
		if (n > end - at)
			n = end - at;
		if (!is_hole)
			err = zero_bytes(dev, at, n);
	}
	return err;
}
