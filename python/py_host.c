/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counting allocator under the contexts of the Python module. The library may allocate from its worker threads, so the
 * counters are atomic.
 */
#include "py_host.h"

#include <f2fskit/device.h>
#include <stdatomic.h>
#include <stdlib.h>

struct f2fskit_host {
	void *python;
	atomic_int_least64_t live;
	atomic_int_least64_t countdown; /* allocations until they fail, plus one; 0: never */
};

static atomic_int_least64_t live_total;

struct f2fskit_host *f2fskit_host_new(void *python)
{
	struct f2fskit_host *host = calloc(1, sizeof(*host));

	if (host)
		host->python = python;
	return host;
}

void f2fskit_host_free(struct f2fskit_host *host)
{
	free(host);
}

void *f2fskit_host_python(const void *user)
{
	return ((const struct f2fskit_host *)user)->python;
}

/* Does this allocation have to fail? The countdown stays at 1 once it got there. */
static int is_due(struct f2fskit_host *host)
{
	int_least64_t n = atomic_load(&host->countdown);

	while (n > 1 && !atomic_compare_exchange_weak(&host->countdown, &n, n - 1))
		;
	return n == 1 || n == 2;
}

static void *count_realloc(void *user, void *ptr, size_t size)
{
	struct f2fskit_host *host = user;
	void *p;

	if (size == 0) {
		if (ptr) {
			atomic_fetch_sub(&host->live, 1);
			atomic_fetch_sub(&live_total, 1);
		}
		free(ptr);
		return NULL;
	}
	if (is_due(host))
		return NULL;
	p = realloc(ptr, size);
	if (p && !ptr) {
		atomic_fetch_add(&host->live, 1);
		atomic_fetch_add(&live_total, 1);
	}
	return p;
}

int f2fskit_host_context(struct f2fskit_host *host, const struct f2fs_host *callbacks, struct f2fs_context **out)
{
	struct f2fs_host h = *callbacks;

	h.user = host;
	h.realloc = count_realloc;
	return f2fs_context_open(&h, out);
}

int64_t f2fskit_host_live(const struct f2fskit_host *host)
{
	return atomic_load(&host->live);
}

void f2fskit_host_fail(struct f2fskit_host *host, int64_t n)
{
	atomic_store(&host->countdown, n > 0 ? n + 1 : 0);
}

int64_t f2fskit_host_live_total(void)
{
	return atomic_load(&live_total);
}

int f2fskit_sys_error(int posix_errno)
{
	return F2FS_SYS_ERROR(posix_errno);
}
