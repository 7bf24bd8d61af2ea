/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SipHash-2-4 as its authors define it: two rounds for each eight bytes, four
 * at the end, the length's low byte in the last word.
 */
#include "base/siphash.h"

#include "base/bytes.h"

static uint64_t rotate(uint64_t x, unsigned int by)
{
	return x << by | x >> (64 - by);
}

static void rounds(uint64_t v[4], int count)
{
	while (count-- > 0) {
		v[0] += v[1];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[0] = rotate(v[0], 32);
		v[2] += v[3];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[2] = rotate(v[2], 32);
	}
}

static void absorb(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	rounds(v, 2);
	v[0] ^= word;
}

uint64_t siphash24(const uint8_t key[SIPHASH_KEY_SIZE], const void *data, size_t len)
{
	const uint8_t *p = data;
	uint64_t k0 = get_le64(key), k1 = get_le64(key + 8);
	uint64_t v[4] = {
		k0 ^ 0x736f6d6570736575u,
		k1 ^ 0x646f72616e646f6du,
		k0 ^ 0x6c7967656e657261u,
		k1 ^ 0x7465646279746573u,
	};
	uint64_t last = (uint64_t)len << 56;
	size_t i;

	for (i = 0; i + 8 <= len; i += 8)
		absorb(v, get_le64(p + i));
	for (size_t j = i; j < len; j++)
		last |= (uint64_t)p[j] << (8 * (j - i));
	absorb(v, last);
	v[2] ^= 0xff;
	rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
