/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The context as the library sees it: allocation, error record, log, progress. Every failure passes through
 * error_set() or error_at() once, where it happens, and is then handed up as a number.
 */
#ifndef F2FSKIT_BASE_CONTEXT_H
#define F2FSKIT_BASE_CONTEXT_H

#include <f2fskit/context.h>
#include <stdarg.h>
#include <stdbool.h>

#include "base/compiler.h"

struct f2fs_context {
	struct f2fs_host host;
	struct f2fs_error_detail error;
	uint64_t random_state; /* of the fixed sequence used without a host's random */
	const struct f2fs_progress *running; /* what ticks report; NULL: no task runs */
	uint64_t ticked;		     /* work since the last report */
	bool *wish;			     /* to stop is noted here; NULL: it fails what reports */
	struct hostfile *hostfiles; /* files and block devices of the host that are open as devices (device/file.h) */
#ifdef F2FSKIT_COUNT_WORK
	uint64_t work; /* what work_note() has counted */
#endif
};

/* Count one step of what an image decides the length of: a look at a node's slots, an entry, a block, an error. Tests
 * hold the sum against the size of the volume; other builds have no counter. */
static inline void work_note(struct f2fs_context *ctx)
{
#ifdef F2FSKIT_COUNT_WORK
	ctx->work++;
#else
	(void)ctx;
#endif
}

/* Allocation; NULL when memory is short (the error is recorded) or the product overflows. Free with mem_free. */
void *mem_alloc(struct f2fs_context *ctx, size_t size);
void *mem_zalloc(struct f2fs_context *ctx, size_t size);
void *mem_calloc(struct f2fs_context *ctx, size_t count, size_t size);
/* Change the size of an array of count elements; on failure the old one stays valid. */
void *mem_realloc_array(struct f2fs_context *ctx, void *old, size_t count, size_t size);
char *mem_strdup(struct f2fs_context *ctx, const char *text);
void mem_free(struct f2fs_context *ctx, void *ptr);

void log_message(struct f2fs_context *ctx, enum f2fs_log_level level, const char *format, ...) PRINTF_LIKE(3, 4);
/* Report progress; F2FS_ERR_CANCELED when the host wants to stop. */
int progress_report(struct f2fs_context *ctx, const struct f2fs_progress *progress);
/* Let ticks report `task`, which the caller keeps up to date. Returns the earlier one, to be set again when the task
 * ends. */
const struct f2fs_progress *progress_run(struct f2fs_context *ctx, const struct f2fs_progress *task);
/*
 * Let a stop by the host set *wish instead of failing a report, for a task that ends its step with a commit and then
 * stops. NULL: fail reports again. Returns the earlier value, to be set again when the task ends.
 */
bool *progress_note(struct f2fs_context *ctx, bool *wish);
/*
 * Note work equal to copying that many bytes, done or about to be done. Reports to the host from time to time, so that
 * it can stop long work; without a task the report has the text what. F2FS_ERR_CANCELED when the host wants to stop.
 */
int progress_tick(struct f2fs_context *ctx, const char *what, uint64_t bytes);
/* The same at once: a signal has ended a call of the host that waits. */
int progress_now(struct f2fs_context *ctx, const char *what);
/* Nanoseconds since 1970 from the host, 0 without a clock. */
int64_t clock_now(struct f2fs_context *ctx);
/* Fill n bytes from the host's source, or from a fixed sequence without one. */
int random_fill(struct f2fs_context *ctx, void *buffer, size_t n);

#endif
