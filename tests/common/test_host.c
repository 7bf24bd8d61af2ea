/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Allocations carry their size in front, so that live bytes can be counted. */
#include "common/test_host.h"

#include <stdlib.h>
#include <string.h>

/* Keeps the alignment of malloc(). */
#define HEAD 16u

static int is_refused(struct test_host *h, size_t more)
{
	h->allocations++;
	if (h->fail_at && (h->allocations == h->fail_at || (h->fail_after && h->allocations > h->fail_at))) {
		h->failures++;
		return 1;
	}
	if (h->limit && more > h->limit - (h->live < h->limit ? h->live : h->limit)) {
		h->over_limit++;
		return 1;
	}
	return 0;
}

static void *reallocate(void *user, void *ptr, size_t size)
{
	struct test_host *h = user;
	unsigned char *head = ptr ? (unsigned char *)ptr - HEAD : NULL;
	size_t old = 0;

	if (head)
		memcpy(&old, head, sizeof(old));
	if (size == 0) {
		h->live -= old;
		free(head);
		return NULL;
	}
	if (size > SIZE_MAX - HEAD || is_refused(h, size > old ? size - old : 0))
		return NULL;
	head = realloc(head, size + HEAD);
	if (!head)
		return NULL;
	memcpy(head, &size, sizeof(size));
	h->live += size - old;
	if (h->live > h->peak)
		h->peak = h->live;
	return head + HEAD;
}

static void count_message(void *user, enum f2fs_log_level level, const char *message)
{
	struct test_host *h = user;

	(void)level;
	h->messages += message[0] != 0;
}

void test_host_init(struct test_host *host)
{
	memset(host, 0, sizeof(*host));
	host->host.struct_size = sizeof(host->host);
	host->host.user = host;
	host->host.realloc = reallocate;
	host->host.log = count_message;
}
