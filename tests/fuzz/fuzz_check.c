/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a volume: check it. The check ends, memory stays bounded and is given back, findings are whole, and a
 * second check of the same bytes, with one thread instead of two, finds the same.
 */
#include <f2fskit/f2fskit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/test_host.h"
#include "fuzz/compact.h"
#include "fuzz/fuzz.h"

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
	const struct f2fs_check_options options = { .depth = F2FS_CHECK_CONTENT,
						    .problem = take,
						    .user = tally,
						    .max_findings = MAX_FINDINGS,
						    .threads = threads };
	int rc;

	memset(tally, 0, sizeof(*tally));
	rc = f2fs_check(ctx, dev, &options, result);
	require(f2fs_context_error(ctx)->code == rc, "the context does not tell the error");
	require(rc != 0 || tally->count == (result->found + result->notes < MAX_FINDINGS ? result->found + result->notes
											 : MAX_FINDINGS),
		"findings got lost");
	require(rc != 0 || (result->state == F2FS_CHECK_CLEAN) == (result->found == 0), "the state is wrong");
	if (rc == 0 && getenv("FUZZ_STATS"))
		printf("%llu problems, %llu notes\n", (unsigned long long)result->found,
		       (unsigned long long)result->notes);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct f2fs_check_result result, again;
	struct tally tally, second;
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
		if (compact_load(&c, dev) == 0) {
			int rc = check(ctx, dev, 2, &tally, &result);

			require(check(ctx, dev, 1, &second, &again) == rc, "one thread gives another result");
			require(tally.digest == second.digest, "one thread finds something else");
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
