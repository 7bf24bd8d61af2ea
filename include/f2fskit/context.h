/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Library context: memory, log, progress, clock and random source of the host, and the detail of the last error. A
 * context and everything opened under it belong to one thread at a time; different contexts are independent. The
 * library itself never prints, exits, or reads environment, clock or random device.
 */
#ifndef F2FSKIT_CONTEXT_H
#define F2FSKIT_CONTEXT_H

#include <f2fskit/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct f2fs_context;

/* Importance of a message to the host's log. */
enum f2fs_log_level { F2FS_LOG_ERROR = 0, F2FS_LOG_WARNING = 1, F2FS_LOG_INFO = 2, F2FS_LOG_DEBUG = 3 };

/* A report of progress. */
struct f2fs_progress {
	const char *task;  /* static string: "check" */
	const char *phase; /* static string, "copying" */
	const char *unit;  /* static string: "blocks", "bytes", "inodes" and others */
	uint64_t done;	   /* units done so far, in this phase */
	uint64_t total;	   /* units of this phase; 0: not known */
};

/* Functions that the host supplies; any member may be NULL. Begin it with F2FS_SIZED. */
struct f2fs_host {
	uint32_t struct_size; /* F2FS_SIZED */
	void *user;	      /* passed to each of the functions */
	/* like realloc(3); size 0 frees and returns NULL. Default: the C library's. */
	void *(*realloc)(void *user, void *ptr, size_t size);
	/* one message without newline. Default: dropped. */
	void (*log)(void *user, enum f2fs_log_level level, const char *message);
	/* return non-zero to cancel; the call then fails with F2FS_ERR_CANCELED */
	int (*progress)(void *user, const struct f2fs_progress *progress);
	/* wall clock, nanoseconds since 1970. Default: 0, so that the same input writes the same bytes. */
	int64_t (*now_ns)(void *user);
	/* fill n bytes, return 0 or non-zero for failure. Default: a fixed sequence. */
	int (*random)(void *user, void *buffer, size_t n);
};

/* Make a context; host may be NULL and is copied. Fails with NOMEM, INVALID (its struct_size). Free it with
 * f2fs_context_close. */
F2FS_API int f2fs_context_open(const struct f2fs_host *host, struct f2fs_context **out);
/* Free a context after everything opened under it was closed; NULL is allowed. */
F2FS_API void f2fs_context_close(struct f2fs_context *ctx);
/* Return the detail of the last failed call under this context; valid until the next call; never NULL. */
F2FS_API const struct f2fs_error_detail *f2fs_context_error(const struct f2fs_context *ctx);
/*
 * Record an error with a message, from device operations and callbacks of the host. message is copied and made
 * printable. Returns code.
 */
F2FS_API int f2fs_context_fail(struct f2fs_context *ctx, int code, const char *message);

#ifdef __cplusplus
}
#endif
#endif
