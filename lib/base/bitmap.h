/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two bit orders of the format (FORMAT volume 1.4): MSB-first in SIT valid maps and version bitmaps, LSB-first in
 * dentry bitmaps, nat_bits and s_errors.
 */
#ifndef F2FSKIT_BASE_BITMAP_H
#define F2FSKIT_BASE_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool msb_test(const uint8_t *map, size_t bit)
{
	return (map[bit >> 3] & (0x80u >> (bit & 7))) != 0;
}

static inline void msb_set(uint8_t *map, size_t bit)
{
	map[bit >> 3] = (uint8_t)(map[bit >> 3] | (0x80u >> (bit & 7)));
}

static inline void msb_clear(uint8_t *map, size_t bit)
{
	map[bit >> 3] = (uint8_t)(map[bit >> 3] & ~(0x80u >> (bit & 7)));
}

static inline bool lsb_test(const uint8_t *map, size_t bit)
{
	return (map[bit >> 3] & (1u << (bit & 7))) != 0;
}

static inline void lsb_set(uint8_t *map, size_t bit)
{
	map[bit >> 3] = (uint8_t)(map[bit >> 3] | (1u << (bit & 7)));
}

static inline void lsb_clear(uint8_t *map, size_t bit)
{
	map[bit >> 3] = (uint8_t)(map[bit >> 3] & ~(1u << (bit & 7)));
}

/* Count the set bits of n bytes. */
static inline uint32_t bitmap_popcount(const uint8_t *map, size_t n)
{
	uint32_t count = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned b = map[i];

		b = b - ((b >> 1) & 0x55u);
		b = (b & 0x33u) + ((b >> 2) & 0x33u);
		count += (b + (b >> 4)) & 0x0fu;
	}
	return count;
}

#endif
