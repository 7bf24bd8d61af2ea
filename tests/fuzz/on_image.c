/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A volume in memory, a host that counts, and the same verdict on memory for all.
 */
#include "fuzz/on_image.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/test_host.h"

int fuzz_on_image(const uint8_t *data, size_t size, size_t memory_limit,
		  void (*run)(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c))
{
	struct test_host host;
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct compact c;

	if (!compact_open(&c, data, size))
		return 0;
	test_host_init(&host);
	host.limit = memory_limit + size;
	if (f2fs_context_open(&host.host, &ctx) != 0)
		abort();
	if (f2fs_device_open_memory(ctx, (uint64_t)c.blocks << c.block_bits, &dev) == 0) {
		if (compact_load(&c, dev) == 0)
			run(ctx, dev, &c);
		f2fs_device_close(dev);
	}
	f2fs_context_close(ctx);
	if (host.over_limit || host.live != 0) {
		fprintf(stderr, "memory: %zu bytes at most, %zu left, %llu requests beyond the limit\n", host.peak,
			host.live, (unsigned long long)host.over_limit);
		abort();
	}
	return 0;
}
