/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as an Android sparse file: opened, it reads the same twice, and no further than its size. */
#include <f2fskit/device.h>

#include <stdlib.h>
#include <string.h>

#include "common/test_host.h"
#include "fuzz/fuzz.h"

static void read_all(struct f2fs_device *dev)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct test_host host;
	struct f2fs_context *ctx;
	struct f2fs_device *memory, *sparse;

	test_host_init(&host);
	host.limit = ((size_t)16 << 20) + 4 * size;
	if (f2fs_context_open(&host.host, &ctx) != 0)
		abort();
	if (f2fs_device_open_memory(ctx, size, &memory) == 0) {
		if ((size == 0 || f2fs_device_write(memory, 0, data, size) == 0) &&
		    f2fs_device_open_sparse(memory, &sparse) == 0) {
			read_all(sparse);
			f2fs_device_close(sparse);
		}
		f2fs_device_close(memory);
	}
	f2fs_context_close(ctx);
	if (host.live || host.over_limit)
		abort();
	return 0;
}
