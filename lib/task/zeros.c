/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ranges of a device that must read as zeros: what is a hole already is left alone.
 */
#include "base/checked.h"
#include "device/device.h"
#include "task/resize/resize.h"

int zero_range(struct f2fs_device *dev, uint64_t at, uint64_t length)
{
	const uint64_t step = (uint64_t)64 << 20, end = at + length;
	uint64_t n;

	for (; at < end; at += n) {
		int is_hole = 0, err = device_extent(dev, at, &n, &is_hole);

		if (err)
			return err;
		if (n > end - at)
			n = end - at;
		if (is_hole)
			continue;
		if (n > step)
			n = step;
		err = device_zero(dev, at, n);
		if (err)
			return err;
	}
	return 0;
}
