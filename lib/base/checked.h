/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arithmetic on untrusted numbers: sums and products that report overflow, and ranges.
 */
#ifndef F2FSKIT_BASE_CHECKED_H
#define F2FSKIT_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Store a + b; false when it overflows. */
static inline bool checked_add64(uint64_t a, uint64_t b, uint64_t *sum)
{
	if (a > UINT64_MAX - b)
		return false;
	*sum = a + b;
	return true;
}

/* Store a * b as a size; false when it does not fit size_t. */
static inline bool checked_mul_size(size_t a, size_t b, size_t *product)
{
	if (b != 0 && a > SIZE_MAX / b)
		return false;
	*product = a * b;
	return true;
}

/* Is [offset, offset + length) within [0, size)? */
static inline bool range_within(uint64_t offset, uint64_t length, uint64_t size)
{
	return offset <= size && length <= size - offset;
}

/* a - b, or 0 when b is the larger one. */
static inline uint64_t sub_or_zero(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static inline uint64_t div_ceil64(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

static inline uint32_t div_ceil32(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

#endif
