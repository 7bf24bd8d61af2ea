/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a volume that waits for recovery: the plan, and the recovered view with every reader on it. What must
 * hold besides not crashing: the device is not written to, a recovered volume waits for nothing more, each failure
 * keeps the contract of errors, and memory is bounded and given back.
 */
#include <f2fskit/f2fskit.h>

#include <stdio.h>
#include <stdlib.h>

#include "common/exercise.h"
#include "common/test_host.h"
#include "fuzz/compact.h"
#include "fuzz/fuzz.h"

/* The volume's own pages, its caches, nodes and blocks that wait, and what the view keeps of its writes. */
#define MEMORY_LIMIT ((size_t)192 << 20)

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

static void recover(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	static const struct exercise_limits limits = {
		.entries = 60, .table = 30, .extents = 30, .bytes = 20000, .identities = 30
	};
	const struct f2fs_open_options options = { .recover = F2FS_RECOVER_VIEW, .cache_bytes = 1 << 20 };
	struct exercise_result result;
	struct f2fs_volume *vol;
	uint64_t pending;

	if (f2fs_volume_open(ctx, dev, &options, &vol) != 0)
		return;
	if (f2fs_volume_pending(vol, &pending) == 0 && pending > 0)
		fail("the view waits for recovery");
	exercise_volume(vol, &limits, &result);
	f2fs_volume_close(vol);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct f2fs_fault_rule none = { 0 };
	struct f2fs_device *dev, *watched;
	struct test_host host;
	struct f2fs_context *ctx;
	struct compact c;
	uint64_t reads, writes, flushes;

	if (!compact_open(&c, data, size))
		return 0;
	test_host_init(&host);
	host.limit = MEMORY_LIMIT + size;
	if (f2fs_context_new(&host.host, &ctx) != 0)
		abort();
	if (f2fs_device_new_memory(ctx, (uint64_t)c.blocks << c.block_bits, &dev) == 0) {
		if (compact_load(&c, dev) == 0 && f2fs_device_new_fault(dev, &watched) == 0) {
			f2fs_device_fault_set(watched, &none);
			recover(ctx, watched);
			f2fs_device_fault_counts(watched, &reads, &writes, &flushes);
			if (writes || flushes)
				fail("the device was written to");
			f2fs_device_close(watched);
		}
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
