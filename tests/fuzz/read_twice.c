/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Readers of images in other forms answer the same question in the same way, and within their size.
 */
#include "fuzz/read_twice.h"

#include <stdlib.h>
#include <string.h>

void read_twice(struct f2fs_device *dev)
{
	static uint8_t a[70000], b[70000];
	const uint64_t size = f2fs_device_info(dev)->size;
	uint64_t offset = 0;

	for (unsigned i = 0; i < 40 && offset < size; i++) {
		size_t n = size - offset < sizeof(a) ? (size_t)(size - offset) : sizeof(a);
		uint64_t run = 0;
		int is_hole = 0;

		if (f2fs_device_extent(dev, offset, &run, &is_hole) == 0 && (run == 0 || run > size - offset))
			abort();
		if (f2fs_device_read(dev, offset, a, n) == 0) {
			if (f2fs_device_read(dev, offset, b, n) != 0 || memcmp(a, b, n) != 0)
				abort();
			if (is_hole && run >= n)
				for (size_t k = 0; k < n; k++)
					if (a[k])
						abort();
		}
		offset += i % 2 ? n : n / 3 + 1;
	}
	if (f2fs_device_read(dev, size, a, 1) == 0)
		abort();
	f2fs_device_read(dev, UINT64_MAX, a, 1);
}
