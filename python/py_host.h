/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The host of a context made by Python: an allocator that counts, so that a leak is a number a test can read, and a
 * place for Python's own pointer. Part of the extension module, not of the library.
 */
#ifndef F2FSKIT_PYTHON_HOST_H
#define F2FSKIT_PYTHON_HOST_H

#include <f2fskit/context.h>

/* Handed as `user` to the callbacks of struct f2fs_host. */
struct f2fskit_host;

/* Make a host that carries python; NULL when memory is short. Free with f2fskit_host_free after the context. */
struct f2fskit_host *f2fskit_host_new(void *python);
void f2fskit_host_free(struct f2fskit_host *host);
/* What f2fskit_host_new was given; user is the pointer that a callback got. */
void *f2fskit_host_python(const void *user);
/* Make a context with callbacks' log, progress, now_ns and random, this host's allocator and this host as user. */
int f2fskit_host_context(struct f2fskit_host *host, const struct f2fs_host *callbacks, struct f2fs_context **out);
/* Blocks of memory that are allocated now. */
int64_t f2fskit_host_live(const struct f2fskit_host *host);
/* Let the n-th allocation from now on fail and all after it; 0: none. */
void f2fskit_host_fail(struct f2fskit_host *host, int64_t n);
/* Blocks of all hosts that are allocated now. */
int64_t f2fskit_host_live_total(void);
/* Return the result of a device operation for an errno. */
int f2fskit_sys_error(int posix_errno);

#endif
