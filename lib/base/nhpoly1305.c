/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NH and Poly1305, with products of 32 by 32 bits only, so that any machine does them.
 */
#include "base/nhpoly1305.h"

#include <string.h>

#include "base/bytes.h"

#define LIMB 0x3ffffffu
#define NH_PIECE 1024
#define NH_UNIT 16
#define NH_PASSES 4

/* 16 bytes as limbs. */
static void split(const uint8_t *p, uint32_t out[5])
{
	const uint64_t low = get_le64(p), high = get_le64(p + 8);

	out[0] = (uint32_t)low & LIMB;
	out[1] = (uint32_t)(low >> 26) & LIMB;
	out[2] = (uint32_t)(low >> 52 | high << 12) & LIMB;
	out[3] = (uint32_t)(high >> 14) & LIMB;
	out[4] = (uint32_t)(high >> 40);
}

void poly_start(struct poly *poly, const uint8_t key[POLY_KEY_SIZE])
{
	uint8_t clamped[POLY_KEY_SIZE];

	memcpy(clamped, key, sizeof(clamped));
	for (int i = 3; i < POLY_KEY_SIZE; i += 4)
		clamped[i] &= 15;
	for (int i = 4; i < POLY_KEY_SIZE; i += 4)
		clamped[i] &= 252;
	split(clamped, poly->r);
	memset(poly->h, 0, sizeof(poly->h));
}

/* h * r, folded: the part beyond 2^130 counts five times. */
static void multiply(struct poly *poly)
{
	uint64_t product[5] = { 0 }, carry = 0;

	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 5; j++)
			product[(i + j) % 5] += (uint64_t)poly->h[i] * poly->r[j] * (i + j < 5 ? 1 : 5);
	for (int i = 0; i < 5; i++) {
		product[i] += carry;
		poly->h[i] = (uint32_t)product[i] & LIMB;
		carry = product[i] >> 26;
	}
	carry = carry * 5 + poly->h[0];
	poly->h[0] = (uint32_t)carry & LIMB;
	poly->h[1] += (uint32_t)(carry >> 26);
}

void poly_add(struct poly *poly, const uint8_t *data, size_t n)
{
	for (size_t at = 0; at + POLY_BLOCK <= n; at += POLY_BLOCK) {
		uint32_t block[5];

		split(data + at, block);
		block[4] |= 1u << 24; /* 2^128 */
		for (int i = 0; i < 5; i++)
			poly->h[i] += block[i];
		multiply(poly);
	}
}

static void carry_all(uint32_t h[5])
{
	uint32_t carry = 0;

	for (int i = 0; i < 5; i++) {
		h[i] += carry;
		carry = h[i] >> 26;
		h[i] &= LIMB;
	}
	h[0] += carry * 5;
}

void poly_finish(struct poly *poly, uint8_t sum[POLY_BLOCK])
{
	uint32_t *h = poly->h, less[5], carry = 5;

	for (int i = 0; i < 3; i++)
		carry_all(h);
	for (int i = 0; i < 5; i++) { /* h - (2^130 - 5), if that is not negative */
		less[i] = h[i] + carry;
		carry = less[i] >> 26;
		less[i] &= LIMB;
	}
	if (carry)
		memcpy(h, less, sizeof(less));
	put_le64(sum, h[0] | (uint64_t)h[1] << 26 | (uint64_t)h[2] << 52);
	put_le64(sum + 8, h[2] >> 12 | (uint64_t)h[3] << 14 | (uint64_t)h[4] << 40);
}

/* One unit of the message in one pass. */
static uint64_t nh_product(const uint32_t *key, const uint32_t m[4])
{
	return (uint64_t)(m[0] + key[0]) * (uint32_t)(m[2] + key[2]) +
	       (uint64_t)(m[1] + key[1]) * (uint32_t)(m[3] + key[3]);
}

static void nh_piece(const uint32_t *key, const uint8_t *data, size_t n, uint8_t hash[8 * NH_PASSES])
{
	uint64_t sums[NH_PASSES] = { 0 };

	for (size_t at = 0; at < n; at += NH_UNIT, key += 4) {
		uint8_t unit[NH_UNIT] = { 0 };
		uint32_t m[4];

		memcpy(unit, data + at, n - at < NH_UNIT ? n - at : NH_UNIT);
		for (size_t i = 0; i < 4; i++)
			m[i] = get_le32(unit + i * 4);
		for (size_t p = 0; p < NH_PASSES; p++)
			sums[p] += nh_product(key + p * 4, m);
	}
	for (size_t p = 0; p < NH_PASSES; p++)
		put_le64(hash + p * 8, sums[p]);
}

void nh_add(const uint32_t key[NH_KEY_WORDS], const uint8_t *data, size_t n, struct poly *poly)
{
	uint8_t hash[8 * NH_PASSES];

	while (n > 0) {
		const size_t part = n < NH_PIECE ? n : NH_PIECE;

		nh_piece(key, data, part, hash);
		poly_add(poly, hash, sizeof(hash));
		data += part;
		n -= part;
	}
}
