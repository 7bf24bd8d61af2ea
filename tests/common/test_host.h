/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A host for tests: counts allocations, fails the n-th one, and bounds their size, so that a test sees how much memory
 * the library wants and how it fails without it.
 */
#ifndef F2FSKIT_TESTS_COMMON_HOST_H
#define F2FSKIT_TESTS_COMMON_HOST_H

#include <f2fskit/context.h>

struct test_host {
	struct f2fs_host host;	/* to be given to f2fs_context_open() */
	uint64_t allocations;	/* calls that wanted memory so far */
	uint64_t fail_at;	/* fail this one, counted from 1; 0: none */
	int fail_after;		/* and all that follow */
	uint64_t failures;	/* how many were failed on purpose */
	size_t live, peak;	/* bytes in use, and their maximum */
	size_t limit;		/* live bytes beyond which an allocation fails; 0: no limit */
	uint64_t over_limit;	/* how many failed for that */
	unsigned long messages; /* log messages */
};

/* Set everything to zero and install the functions. The struct must outlive the context. */
void test_host_init(struct test_host *host);

#endif
