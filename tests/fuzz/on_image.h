/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The frame of every target that takes its input as a volume (compact.h).
 */
#ifndef F2FSKIT_TESTS_FUZZ_ON_IMAGE_H
#define F2FSKIT_TESTS_FUZZ_ON_IMAGE_H

#include "fuzz/compact.h"

/*
 * Make the volume in memory and call run on it. Aborts when more memory than memory_limit and the input's size was in
 * use at a time, or when memory was not given back. Returns what a target returns.
 */
int fuzz_on_image(const uint8_t *data, size_t size, size_t memory_limit,
		  void (*run)(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c));

#endif
