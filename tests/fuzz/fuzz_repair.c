/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a volume: repair it. The repair ends, memory stays bounded and is given back; when it says that nothing
 * is left, a check finds nothing.
 */
#include <f2fskit/f2fskit.h>

#include <stdio.h>
#include <stdlib.h>

#include "common/test_host.h"
#include "fuzz/compact.h"
#include "fuzz/fuzz.h"

/* Six logs of up to a segment of 16 KiB blocks, besides what a check takes. */
#define MEMORY_LIMIT ((size_t)192 << 20)

static void require(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void repair_and_check(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	const struct f2fs_check_options repair = { .repair = 1, .threads = 1 }, check = { .threads = 1 };
	struct f2fs_check_result result, second;
	int rc = f2fs_check(ctx, dev, &repair, &result);

	require(f2fs_context_error(ctx)->code == rc, "the context does not tell the error");
	if (getenv("FUZZ_STATS"))
		printf("%s: %llu found, %llu left, %llu rounds\n", rc ? f2fs_context_error(ctx)->message : "repaired",
		       (unsigned long long)(rc ? 0 : result.found), (unsigned long long)(rc ? 0 : result.left),
		       (unsigned long long)(rc ? 0 : result.rounds));
	if (rc != 0 || result.state == F2FS_CHECK_IMPOSSIBLE || result.left > 0)
		return;
	require(f2fs_check(ctx, dev, &check, &second) == 0, "a repaired volume cannot be checked");
	require(second.found == 0, "a second check finds something");
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
			repair_and_check(ctx, dev);
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
