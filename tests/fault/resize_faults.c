/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resizing while the n-th allocation, read, write or flush fails, for n = 1, 2, ... until the fault is not met any
 * more. A call that fails does so with the right code. The volume is then as it was, or as it is after a step: it opens
 * with the same files, a check finds nothing but that a resize is under way, all memory is given back, and resizing
 * again comes to the size.
 *
 *	resize_faults [all]    all: every n; otherwise larger and larger steps
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/test_host.h"
#include "crash/resize_cases.h"

enum fault { FAULT_MEMORY, FAULT_READ, FAULT_WRITE, FAULT_FLUSH, FAULT_KINDS };
static const char *const fault_names[] = { "allocation", "read", "write", "flush" };

struct bench {
	struct test_host host;
	struct f2fs_context *ctx;
	const struct resize_case *test;
	struct f2fs_device *base;
	uint64_t tree;
	uint32_t segments; /* before */
};

/* One run. */
struct run {
	enum fault kind;
	unsigned long n;
	int sticky;
};

static void fail(const struct bench *b, const struct run *run, const char *what)
{
	fprintf(stderr, "%s, %s %lu%s: %s\n", b->test->name, fault_names[run->kind], run->n,
		run->sticky ? " and all later ones" : "", what);
	exit(1);
}

static int resize(struct bench *b, struct f2fs_device *dev, struct f2fs_resize_result *result)
{
	const struct f2fs_resize_options options = { F2FS_SIZED(f2fs_resize_options), .size = b->test->target };

	return f2fs_resize(b->ctx, dev, NULL, &options, result);
}

/* Resize with the fault; true when it was met. *err: of the resize. */
static int resize_with(struct bench *b, const struct run *run, struct f2fs_device *memory, int *err)
{
	const struct f2fs_fault_rule none = { 0 };
	struct f2fs_fault_rule rule = { .sticky = run->sticky };
	const uint64_t failures = b->host.failures;
	struct f2fs_resize_result result = { F2FS_SIZED(f2fs_resize_result) };
	struct f2fs_device *dev;
	uint64_t counts[3];

	rule.fail_read = run->kind == FAULT_READ ? run->n : 0;
	rule.fail_write = run->kind == FAULT_WRITE ? run->n : 0;
	rule.fail_flush = run->kind == FAULT_FLUSH ? run->n : 0;
	if (f2fs_device_open_fault(memory, &dev) != 0)
		fail(b, run, "no layer of faults");
	f2fs_device_fault_set(dev, &rule);
	b->host.fail_at = run->kind == FAULT_MEMORY ? b->host.allocations + run->n : 0;
	b->host.fail_after = run->sticky;
	*err = resize(b, dev, &result);
	if (*err && f2fs_context_error(b->ctx)->code != *err)
		fail(b, run, "the context has another error");
	b->host.fail_at = 0;
	f2fs_device_fault_counts(dev, &counts[0], &counts[1], &counts[2]);
	f2fs_device_fault_set(dev, &none);
	f2fs_device_close(dev);
	return run->kind == FAULT_MEMORY ? b->host.failures > failures : counts[run->kind - 1] >= run->n;
}

/* The volume holds everything. The findings of a check depend on whether the resize ended. */
static void must_hold(struct bench *b, const struct run *run, struct f2fs_device *dev, int is_done)
{
	struct resize_found look;
	uint32_t segments;
	uint64_t tree;

	if (resize_digest(b->ctx, dev, &tree, &segments) != 0)
		fail(b, run, f2fs_context_error(b->ctx)->message);
	if (tree != b->tree)
		fail(b, run, "other files are there");
	if (resize_case_check(b->ctx, dev, &look) != 0)
		fail(b, run, f2fs_context_error(b->ctx)->message);
	if (look.unexpected || (is_done && look.found > 0))
		fail(b, run, look.last);
	if (is_done && segments == b->segments)
		fail(b, run, "the size is as it was");
}

static int run_with(struct bench *b, const struct run *run)
{
	const int code = run->kind == FAULT_MEMORY ? F2FS_ERR_NOMEM : F2FS_ERR_IO;
	const size_t live = b->host.live;
	struct f2fs_resize_result result = { F2FS_SIZED(f2fs_resize_result) };
	struct f2fs_device *memory;
	int err, met;

	if (f2fs_device_fork_memory(b->base, &memory) != 0)
		fail(b, run, "cannot fork");
	met = resize_with(b, run, memory, &err);
	if (err && !met)
		fail(b, run, "it failed without a fault");
	/* a device in memory that has none left fails as any other: the last write of a commit may be there, or not */
	if (err && err != code && !(err == F2FS_ERR_UNCERTAIN && run->kind != FAULT_READ))
		fail(b, run, f2fs_error_name(err));
	must_hold(b, run, memory, !err);
	if (err && resize(b, memory, &result) != 0)
		fail(b, run, f2fs_context_error(b->ctx)->message);
	if (err)
		must_hold(b, run, memory, 1);
	f2fs_device_close(memory);
	if (b->host.live > live)
		fail(b, run, "memory was not given back");
	return met;
}

static void run_case(const struct resize_case *test, int is_every)
{
	struct bench b = { .test = test };
	unsigned long runs = 0;

	test_host_init(&b.host);
	resize_require(f2fs_context_open(&b.host.host, &b.ctx) == 0, "no context");
	b.base = resize_make(b.ctx, test);
	resize_require(resize_digest(b.ctx, b.base, &b.tree, &b.segments) == 0 && b.tree, "cannot read it");
	/* the first fork leaves allocations */
	run_with(&b, &(struct run){ .kind = FAULT_WRITE });
	for (int kind = 0; kind < FAULT_KINDS; kind++)
		for (int sticky = 0; sticky <= 1; sticky++) {
			struct run run = { .kind = (enum fault)kind, .n = 1, .sticky = sticky };

			for (; run_with(&b, &run); run.n += is_every || run.n < 4 ? 1 : run.n / 2)
				runs++;
		}
	printf("%s: %lu faults\n", test->name, runs);
	fflush(stdout);
	resize_require(runs > 20, "too few faults were met");
	f2fs_device_close(b.base);
	f2fs_context_close(b.ctx);
	resize_require(b.host.live == 0, "memory was not given back");
}

int main(int argc, char **argv)
{
	const int is_every = argc > 1 && strcmp(argv[1], "all") == 0;

	for (size_t i = 0; i < RESIZE_CASES; i++)
		run_case(&resize_cases[i], is_every);
	return 0;
}
