/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Context: makes and frees it, and passes allocation, log, progress, clock and random requests to the host. Where the
 * host supplies nothing, the substitute is deterministic.
 */
#include "base/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/sized.h"

#define TICK_BYTES (1u << 20) /* of plain copying: some milliseconds at most */

static void *realloc_default(void *user, void *ptr, size_t size)
{
	(void)user;
	if (size == 0) {
		free(ptr);
		return NULL;
	}
	return realloc(ptr, size);
}

int f2fs_context_open(const struct f2fs_host *host, struct f2fs_context **out)
{
	struct f2fs_host h = { 0 };
	struct f2fs_context *ctx;

	if (!sized_is_known(host, sizeof(h)))
		return F2FS_ERR_INVALID;
	sized_copy(&h, sizeof(h), host);
	if (!h.realloc)
		h.realloc = realloc_default;
	ctx = h.realloc(h.user, NULL, sizeof(*ctx));
	if (!ctx)
		return F2FS_ERR_NOMEM;
	memset(ctx, 0, sizeof(*ctx));
	ctx->host = h;
	ctx->random_state = 0x9E3779B97F4A7C15u;
	error_clear(ctx);
	*out = ctx;
	return 0;
}

void f2fs_context_close(struct f2fs_context *ctx)
{
	if (ctx)
		ctx->host.realloc(ctx->host.user, ctx, 0);
}

const struct f2fs_error_detail *f2fs_context_error(const struct f2fs_context *ctx)
{
	return &ctx->error;
}

void *mem_alloc(struct f2fs_context *ctx, size_t size)
{
	void *p = ctx->host.realloc(ctx->host.user, NULL, size ? size : 1);

	if (!p)
		error_nomem(ctx);
	return p;
}

void *mem_zalloc(struct f2fs_context *ctx, size_t size)
{
	void *p = mem_alloc(ctx, size);

	if (p)
		memset(p, 0, size);
	return p;
}

void *mem_calloc(struct f2fs_context *ctx, size_t count, size_t size)
{
	size_t total;

	if (!checked_mul_size(count, size, &total)) {
		error_nomem(ctx);
		return NULL;
	}
	return mem_zalloc(ctx, total);
}

void *mem_realloc_array(struct f2fs_context *ctx, void *old, size_t count, size_t size)
{
	size_t total;
	void *p;

	if (!checked_mul_size(count, size, &total)) {
		error_nomem(ctx);
		return NULL;
	}
	p = ctx->host.realloc(ctx->host.user, old, total ? total : 1);
	if (!p)
		error_nomem(ctx);
	return p;
}

char *mem_strdup(struct f2fs_context *ctx, const char *text)
{
	size_t n = strlen(text) + 1;
	char *copy = mem_alloc(ctx, n);

	if (copy)
		memcpy(copy, text, n);
	return copy;
}

void mem_free(struct f2fs_context *ctx, void *ptr)
{
	if (ptr)
		ctx->host.realloc(ctx->host.user, ptr, 0);
}

void log_message(struct f2fs_context *ctx, enum f2fs_log_level level, const char *format, ...)
{
	char text[512];
	va_list args;

	if (!ctx->host.log)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	ctx->host.log(ctx->host.user, level, text);
}

int progress_report(struct f2fs_context *ctx, const struct f2fs_progress *progress)
{
	ctx->ticked = 0;
	if (!ctx->host.progress || ctx->host.progress(ctx->host.user, progress) == 0)
		return 0;
	if (!ctx->wish)
		return error_set(ctx, F2FS_ERR_CANCELED, "%s was stopped", progress->task);
	*ctx->wish = true;
	return 0;
}

bool *progress_note(struct f2fs_context *ctx, bool *wish)
{
	bool *before = ctx->wish;

	ctx->wish = wish;
	return before;
}

const struct f2fs_progress *progress_run(struct f2fs_context *ctx, const struct f2fs_progress *task)
{
	const struct f2fs_progress *before = ctx->running;

	ctx->running = task;
	return before;
}

int progress_tick(struct f2fs_context *ctx, const char *what, uint64_t bytes)
{
	const struct f2fs_progress plain = { .task = what, .phase = what, .unit = "bytes" };

	ctx->ticked += bytes;
	if (ctx->ticked < TICK_BYTES)
		return 0;
	return progress_report(ctx, ctx->running ? ctx->running : &plain);
}

int progress_now(struct f2fs_context *ctx, const char *what)
{
	return progress_tick(ctx, what, TICK_BYTES);
}

int64_t clock_now(struct f2fs_context *ctx)
{
	return ctx->host.now_ns ? ctx->host.now_ns(ctx->host.user) : 0;
}

/* splitmix64: enough to make distinct identifiers, and the same on every host. */
static uint64_t next_fixed(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15u;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

int random_fill(struct f2fs_context *ctx, void *buffer, size_t n)
{
	uint8_t *p = buffer;

	if (ctx->host.random) {
		if (ctx->host.random(ctx->host.user, buffer, n) == 0)
			return 0;
		return error_set(ctx, F2FS_ERR_IO, "the host's random source failed");
	}
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(next_fixed(&ctx->random_state) >> 56);
	return 0;
}
