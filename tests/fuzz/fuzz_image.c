/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a volume: open it and call every reader. What must hold besides not crashing: each failure keeps the
 * contract of errors, memory stays bounded, and all of it is given back.
 */
#include <f2fskit/f2fskit.h>

#include <stdio.h>
#include <stdlib.h>

#include "common/exercise.h"
#include "fuzz/fuzz.h"
#include "fuzz/on_image.h"

/* The volume's own pages, its caches, and the largest single structures. */
#define MEMORY_LIMIT ((size_t)64 << 20)

static void exercise(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c)
{
	static const struct exercise_limits limits = {
		.entries = 60, .table = 60, .extents = 50, .bytes = 40000, .identities = 100
	};
	struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options), .cache_bytes = 1 << 20 };
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
	return fuzz_on_image(data, size, MEMORY_LIMIT, exercise);
}
