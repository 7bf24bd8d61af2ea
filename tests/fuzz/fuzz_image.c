/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a volume: open it and call every reader. What must hold besides not crashing: each failure keeps the
 * contract of errors, memory stays bounded, and all of it is given back.
 */
#include <f2fskit/f2fskit.h>

#include <stdio.h>
#include <stdlib.h>

#include "common/exercise.h"
#include "common/test_host.h"
#include "fuzz/compact.h"
#include "fuzz/fuzz.h"

/* The volume's own pages, its caches, and the largest single structures. */
#define MEMORY_LIMIT ((size_t)64 << 20)

static void exercise(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c)
{
	static const struct exercise_limits limits = {
		.entries = 60, .table = 60, .extents = 50, .bytes = 40000, .identities = 100
	};
	struct f2fs_open_options options = { .cache_bytes = 1 << 20 };
	struct exercise_result result;

	options.mode = F2FS_MODE_RESCUE;
	(void)exercise_device(ctx, dev, &options, &limits, &result);
	options.mode = (c->flags & COMPACT_STRICT) ? F2FS_MODE_STRICT : F2FS_MODE_TOLERANT;
	options.pack = (c->flags & COMPACT_PACK1) ? 1 : (c->flags & COMPACT_PACK2) ? 2 : 0;
	if (exercise_device(ctx, dev, &options, &limits, &result) == 0 && getenv("FUZZ_STATS"))
		printf("%u entries, %u attributes, %llu bytes, %u errors, %u of damage, digest %016llx\n",
		       result.entries, result.xattrs, (unsigned long long)result.bytes, result.errors, result.damage,
		       (unsigned long long)result.digest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct test_host host;
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct compact c;

	if (!compact_open(&c, data, size))
		return 0;
	test_host_init(&host);
	host.limit = MEMORY_LIMIT + size;
	if (f2fs_context_new(&host.host, &ctx) != 0)
		abort();
	if (f2fs_device_new_memory(ctx, (uint64_t)c.blocks << c.block_bits, &dev) == 0) {
		if (compact_load(&c, dev) == 0)
			exercise(ctx, dev, &c);
		f2fs_device_close(dev);
	}
	f2fs_context_free(ctx);
	if (host.over_limit || host.live != 0) {
		fprintf(stderr, "memory: %zu bytes at most, %zu left, %llu requests beyond the limit\n", host.peak,
			host.live, (unsigned long long)host.over_limit);
		abort();
	}
	return 0;
}
