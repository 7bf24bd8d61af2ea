/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A device against a plain array of bytes: random operations are done on both, and both must always agree. Also what
 * every device test needs: a context whose allocations can be made to fail, and devices by name.
 */
#ifndef F2FSKIT_TESTS_DEVICE_MODEL_H
#define F2FSKIT_TESTS_DEVICE_MODEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"

/* A context that counts its allocations, and fails from the one on whose number is in fail_at (0: none). */
struct test_host {
	struct f2fs_context *ctx;
	uint64_t calls;
	uint64_t fail_at;
	int64_t live; /* allocations not freed */
};
void test_host_init(struct test_host *host);
/* Ends the context; every allocation must have been freed. */
void test_host_fini(struct test_host *host);

/* A pseudo-random number below limit (> 0). */
uint64_t test_random(uint64_t *state, uint64_t limit);
/* Fill with bytes that depend on seed. */
void test_fill(uint8_t *bytes, size_t length, uint64_t seed);

struct model {
	struct f2fs_device *dev;
	uint64_t start; /* place on the device of the bytes */
	uint8_t *bytes;
	size_t size;
	uint64_t random;
	unsigned unit; /* offsets and lengths of changes are multiples of it */
};
void model_init(struct model *m, struct f2fs_device *dev, uint64_t start, size_t size, uint64_t seed);
void model_fini(struct model *m);
/* Do steps random reads, writes, zeros, discards (of bytes that are not looked at before they are written), extents. */
void model_run(struct model *m, unsigned steps);
/* Compare everything. */
void model_compare(struct model *m);

/* Make an empty temporary file; the test unlinks it. */
void test_path(char path[64]);

#endif
