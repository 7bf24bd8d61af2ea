/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a volume: check it. The check ends, memory stays bounded and is given back, findings are whole, and a
 * second check of the same bytes, with one thread instead of two, finds the same.
 */
#include <f2fskit/f2fskit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/on_image.h"

#define MEMORY_LIMIT ((size_t)96 << 20)
#define MAX_FINDINGS 20000u

struct tally {
	uint64_t digest;
	uint64_t count;
};

static void require(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void add_text(struct tally *tally, const char *text)
{
	for (; *text; text++)
		tally->digest = (tally->digest ^ (uint8_t)*text) * 0x100000001B3u;
}

static int take(void *user, const struct f2fs_problem *problem)
{
	struct tally *tally = user;

	require(problem->info && f2fs_problem_find(problem->info->name) == problem->info, "a problem without a row");
	require(problem->message[0] && f2fs_text_is_utf8(problem->message, strlen(problem->message)), "a bad message");
	require(problem->path && problem->name && problem->rule, "a string is missing");
	add_text(tally, problem->message);
	add_text(tally, problem->path);
	tally->count++;
	return F2FS_DECIDE_SKIP;
}

static int check(struct f2fs_context *ctx, struct f2fs_device *dev, unsigned threads, struct tally *tally,
		 struct f2fs_check_result *result)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .depth = F2FS_CHECK_CONTENT,
						    .problem = take,
						    .user = tally,
						    .max_findings = MAX_FINDINGS,
						    .threads = threads };
	int rc;

	memset(tally, 0, sizeof(*tally));
	rc = f2fs_check(ctx, dev, &options, result);
	require(f2fs_context_error(ctx)->code == rc, "the context has another error");
	require(rc != 0 || tally->count == (result->found + result->notes < MAX_FINDINGS ? result->found + result->notes
											 : MAX_FINDINGS),
		"findings got lost");
	require(rc != 0 || (result->state == F2FS_CHECK_SOUND) == (result->found == 0), "the state is wrong");
	if (rc == 0 && getenv("FUZZ_STATS"))
		printf("%llu problems, %llu notes\n", (unsigned long long)result->found,
		       (unsigned long long)result->notes);
	return rc;
}

static void check_twice(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c)
{
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) }, again = { F2FS_SIZED(f2fs_check_result) };
	struct tally tally, second;
	int rc = check(ctx, dev, 2, &tally, &result);

	(void)c;
	require(check(ctx, dev, 1, &second, &again) == rc, "one thread gives another result");
	require(tally.digest == second.digest, "one thread finds something else");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_on_image(data, size, MEMORY_LIMIT, check_twice);
}
