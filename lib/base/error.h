/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Record errors in the context: what failed, where, and in words. Every failure passes through error_set() or
 * error_at() once, where it happens, and is then handed up as a number.
 */
#ifndef F2FSKIT_BASE_ERROR_H
#define F2FSKIT_BASE_ERROR_H

#include "base/context.h"

/* Where an error is: members that do not apply stay zero, block and offset are stored plus one. */
struct error_where {
	const char *structure; /* NULL: none */
	const char *rule;      /* NULL: none */
	uint64_t block_plus1;
	uint64_t offset_plus1;
	f2fs_nid_t nid;
};

/* Forget the last error; at the entry of each public call. */
void error_clear(struct f2fs_context *ctx);
/* Record an error without a place and return code. */
int error_set(struct f2fs_context *ctx, int code, const char *format, ...) PRINTF_LIKE(3, 4);
/* Add to the sentence of the last error; what does not fit is left out. */
void error_append(struct f2fs_context *ctx, const char *format, ...) PRINTF_LIKE(2, 3);
/* Record an error with its place and return code. */
int error_at(struct f2fs_context *ctx, int code, const struct error_where *where, const char *format, ...)
	PRINTF_LIKE(4, 5);
/* Record the failure of a call of the host; maps errno to a code, appends the host's text. Returns the code. */
int error_sys(struct f2fs_context *ctx, int sys_errno, const char *format, ...) PRINTF_LIKE(3, 4);
/* Is it the volume that has no room, as the last error says? Else it may be the host's disk that is full. */
static inline bool error_is_full(const struct f2fs_context *ctx, int err)
{
	return err == F2FS_ERR_NOSPC && ctx->error.sys_errno == 0;
}
/* Record F2FS_ERR_NOMEM and return it. */
int error_nomem(struct f2fs_context *ctx);

/* For static analysers: an error is never 0. */
#if defined(__clang_analyzer__) && !defined(F2FSKIT_ERRORS_THEMSELVES)
#define error_set(ctx, code, ...) ((void)error_set(ctx, code, __VA_ARGS__), (code))
#define error_sys(ctx, sys_errno, ...) ((void)error_sys(ctx, sys_errno, __VA_ARGS__), F2FS_ERR_IO)
#define error_nomem(ctx) ((void)error_nomem(ctx), F2FS_ERR_NOMEM)
#endif

#endif
