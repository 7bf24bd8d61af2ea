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
#include "fuzz/fuzz.h"
#include "fuzz/on_image.h"

/* The volume's own pages, its caches, waiting nodes and blocks, and the view's copies of its writes. */
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
	const struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options),
						   .recover = F2FS_RECOVER_VIEW, .cache_bytes = 1 << 20 };
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

static void recover_watched(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c)
{
	const struct f2fs_fault_rule none = { 0 };
	struct f2fs_device *watched;
	uint64_t reads, writes, flushes;

	(void)c;
	if (f2fs_device_open_fault(dev, &watched) != 0)
		return;
	f2fs_device_fault_set(watched, &none);
	recover(ctx, watched);
	f2fs_device_fault_counts(watched, &reads, &writes, &flushes);
	if (writes || flushes)
		fail("the device was written to");
	f2fs_device_close(watched);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_on_image(data, size, MEMORY_LIMIT, recover_watched);
}
