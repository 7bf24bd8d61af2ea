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
#include <string.h>

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

/* Count the set bits of a word. */
static inline uint32_t word_popcount(uint64_t word)
{
	word -= (word >> 1) & 0x5555555555555555u;
	word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u);
	word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
	return (uint32_t)(word * 0x0101010101010101u >> 56);
}

/* Count the set bits of n bytes. */
static inline uint32_t bitmap_popcount(const uint8_t *map, size_t n)
{
	uint32_t count = 0;
	uint64_t word;

	for (; n >= sizeof(word); map += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, map, sizeof(word));
		count += word_popcount(word);
	}
	word = 0;
	memcpy(&word, map, n);
	return count + word_popcount(word);
}

#endif
