/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a volume that is extracted: as a tar stream that goes nowhere, with everything kept. The result must
 * agree with the callbacks on the way, and memory must stay within the interface's promise.
 */
#include <f2fskit/f2fskit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/on_image.h"

#define MAX_CONTENTS ((uint64_t)8 << 20)
/* What tree.h promises (with its largest map), a small cache, and the volume itself. */
#define MEMORY_LIMIT ((size_t)F2FS_EXTRACT_MEMORY + F2FS_EXTRACT_MEMORY_THREAD + ((size_t)48 << 20))

struct seen {
	uint64_t bytes, problems, entries;
};

static int take(void *user, const void *data, size_t length)
{
	struct seen *seen = user;

	if (length && !data)
		abort();
	seen->bytes += length;
	return 0;
}

static int count_entry(void *user, const char *path, const struct f2fs_stat *stat)
{
	struct seen *seen = user;

	if (path[0] != '/' || strstr(path, "/../") || stat->ino == 0)
		abort();
	return ++seen->entries > 3000;
}

static int count_problem(void *user, const struct f2fs_extract_problem *problem)
{
	struct seen *seen = user;

	if (!problem->path || !problem->what || !problem->detail->message[0] || problem->detail->code >= 0)
		abort();
	seen->problems += problem->is_counted != 0;
	return seen->problems > 3000;
}

static void extract(struct f2fs_volume *vol)
{
	struct seen seen = { 0, 0, 0 };
	const struct f2fs_stream tar = { .write = take, .user = &seen };
	const struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options), .tar = &tar,
						      .manifest = &tar,
						      .keep = F2FS_KEEP_EVERYTHING,
						      .encrypted = F2FS_ENCRYPTED_RAW,
						      .threads = 1,
						      .max_bytes = MAX_CONTENTS,
						      .entry = count_entry,
						      .problem = count_problem,
						      .user = &seen };
	struct f2fs_extract_result result = { F2FS_SIZED(f2fs_extract_result) };
	int rc = f2fs_extract(vol, &options, &result);

	if (rc != 0 && f2fs_context_error(f2fs_volume_context(vol))->code != rc)
		abort();
	if ((rc == 0 && seen.problems) || (rc == F2FS_ERR_INCOMPLETE && !seen.problems))
		abort();
	if (result.problems != seen.problems && rc != F2FS_ERR_CANCELED)
		abort();
	if (result.bytes > MAX_CONTENTS)
		abort();
}

static void open_and_extract(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c)
{
	const struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options), .cache_bytes = 1 << 20 };
	struct f2fs_volume *vol;

	(void)c;
	if (f2fs_volume_open(ctx, dev, &options, &vol) != 0)
		return;
	extract(vol);
	f2fs_volume_close(vol);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_on_image(data, size, MEMORY_LIMIT, open_and_extract);
}
