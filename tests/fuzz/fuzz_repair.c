/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a volume: repair it. The repair ends, memory stays bounded and is given back; when it says that nothing
 * is left, a check finds nothing.
 */
#include <f2fskit/f2fskit.h>

#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "fuzz/on_image.h"

/* Six logs of up to a segment of 16 KiB blocks, and the memory of a check. */
#define MEMORY_LIMIT ((size_t)192 << 20)

static void require(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void repair_and_check(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c)
{
	const struct f2fs_check_options repair = { F2FS_SIZED(f2fs_check_options), .repair = 1, .threads = 1 },
					check = { F2FS_SIZED(f2fs_check_options), .threads = 1 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) }, second = { F2FS_SIZED(f2fs_check_result) };
	int rc = f2fs_check(ctx, dev, &repair, &result);

	(void)c;
	require(f2fs_context_error(ctx)->code == rc, "the context has another error");
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
	return fuzz_on_image(data, size, MEMORY_LIMIT, repair_and_check);
}
