/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SHA-256 as FIPS 180-4 writes it down: plain, small, without tricks. All
 * numbers in it are big-endian.
 */
#include "base/sha256_soft.h"

#include <string.h>

#include "base/bytes.h"

#define BLOCK 64

static const uint32_t round_constant[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned int by)
{
	return x >> by | x << (32 - by);
}

static void expand(uint32_t w[64], const uint8_t block[BLOCK])
{
	for (size_t t = 0; t < 16; t++)
		w[t] = get_be32(block + 4 * t);
	for (size_t t = 16; t < 64; t++) {
		uint32_t a = w[t - 15], b = w[t - 2];
		uint32_t s0 = rotate(a, 7) ^ rotate(a, 18) ^ a >> 3;
		uint32_t s1 = rotate(b, 17) ^ rotate(b, 19) ^ b >> 10;

		w[t] = w[t - 16] + s0 + w[t - 7] + s1;
	}
}

static void absorb(uint32_t state[8], const uint8_t block[BLOCK])
{
	uint32_t w[64], v[8];

	expand(w, block);
	memcpy(v, state, sizeof(v));
	for (size_t t = 0; t < 64; t++) {
		uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
		uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
		uint32_t t1 = v[7] + s1 + choice + round_constant[t] + w[t];
		uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
		uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);

		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[4] += t1;
		v[0] = t1 + s0 + majority;
	}
	for (size_t i = 0; i < 8; i++)
		state[i] += v[i];
}

void sha256_soft_start(struct sha256_soft *s)
{
	static const uint32_t initial[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};

	memcpy(s->state, initial, sizeof(initial));
	s->length = 0;
}

void sha256_soft_update(struct sha256_soft *s, const void *data, size_t n)
{
	const uint8_t *p = data;

	while (n > 0) {
		size_t have = (size_t)(s->length % BLOCK);
		size_t part = n < BLOCK - have ? n : BLOCK - have;

		memcpy(s->block + have, p, part);
		if (have + part == BLOCK)
			absorb(s->state, s->block);
		s->length += part;
		p += part;
		n -= part;
	}
}

void sha256_soft_finish(struct sha256_soft *s, uint8_t digest[SHA256_SOFT_SIZE])
{
	static const uint8_t padding[BLOCK] = { 0x80 };
	uint64_t bits = s->length * 8;
	size_t have = (size_t)(s->length % BLOCK);
	uint8_t length[8];

	put_be32(length, (uint32_t)(bits >> 32));
	put_be32(length + 4, (uint32_t)bits);
	sha256_soft_update(s, padding, have < 56 ? 56 - have : 56 + BLOCK - have);
	sha256_soft_update(s, length, sizeof(length));
	for (size_t i = 0; i < 8; i++)
		put_be32(digest + 4 * i, s->state[i]);
}
