/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * HCTR2 with AES-256: the first block, blinded by a hash of the rest, is enciphered; what comes of it numbers the
 * stream that the rest is xored with. Meant for names: the hash is POLYVAL, bit by bit.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/cipher_engine.h"
#include "base/cipher_row.h"
#include "base/context.h"
#include "base/hctr2.h"

#define STREAM_BLOCKS 16

/* A polynomial over GF(2) of degree below 128; bit i is the coefficient of x^i. */
struct gf {
	uint64_t low, high;
};

struct hctr2 {
	struct gf key;		   /* of the hash */
	uint8_t mask[CIPHER_BLOCK]; /* L */
};

static struct gf gf_load(const uint8_t *p)
{
	return (struct gf){ get_le64(p), get_le64(p + 8) };
}

/* a * b * x^-128 mod x^128 + x^127 + x^126 + x^121 + 1 */
static struct gf gf_dot(struct gf a, struct gf b)
{
	const uint64_t reduce = UINT64_C(0xe1) << 56; /* x^127 + x^126 + x^125 + x^120 */
	struct gf sum = { 0, 0 };

	for (int i = 0; i < 128; i++) {
		const uint64_t bit = (i < 64 ? a.low >> i : a.high >> (i - 64)) & 1;
		uint64_t odd;

		sum.low ^= b.low & (0 - bit);
		sum.high ^= b.high & (0 - bit);
		odd = sum.low & 1;
		sum.low = sum.low >> 1 | sum.high << 63;
		sum.high = sum.high >> 1 ^ (reduce & (0 - odd));
	}
	return sum;
}

static void hash_blocks(const struct hctr2 *t, struct gf *sum, const uint8_t *data, size_t n)
{
	for (size_t at = 0; at < n; at += CIPHER_BLOCK) {
		const struct gf block = gf_load(data + at);

		sum->low ^= block.low;
		sum->high ^= block.high;
		*sum = gf_dot(*sum, t->key);
	}
}

/* The hash of tweak and message. */
static void hash(const struct hctr2 *t, const uint8_t *tweak, const uint8_t *data, size_t n, uint8_t out[CIPHER_BLOCK])
{
	const size_t whole = n - n % CIPHER_BLOCK;
	uint8_t block[CIPHER_BLOCK] = { 0 };
	struct gf sum = { 0, 0 };

	put_le32(block, 2 * CIPHER_IV_SIZE * 8 + (whole == n ? 2 : 3));
	hash_blocks(t, &sum, block, sizeof(block));
	hash_blocks(t, &sum, tweak, CIPHER_IV_SIZE);
	hash_blocks(t, &sum, data, whole);
	if (whole < n) {
		memset(block, 0, sizeof(block));
		memcpy(block, data + whole, n - whole);
		block[n - whole] = 1;
		hash_blocks(t, &sum, block, sizeof(block));
	}
	put_le64(out, sum.low);
	put_le64(out + 8, sum.high);
}

static void xor_block(uint8_t *a, const uint8_t *b)
{
	for (int i = 0; i < CIPHER_BLOCK; i++)
		a[i] ^= b[i];
}

enum cipher_result hctr2_prepare(struct cipher *c)
{
	uint8_t block[CIPHER_BLOCK] = { 0 };
	struct hctr2 *t = mem_zalloc(c->ctx, sizeof(*t));
	void *aes = cipher_engine(c, true);

	c->tables = t;
	if (!t || !aes || !engine_run(aes, NULL, block, block, sizeof(block)))
		return CIPHER_FAILED;
	t->key = gf_load(block);
	memset(block, 0, sizeof(block));
	block[0] = 1;
	if (!engine_run(aes, NULL, block, t->mask, sizeof(block)))
		return CIPHER_FAILED;
	return CIPHER_OK;
}

void hctr2_drop(struct cipher *c)
{
	if (c->tables)
		cipher_wipe(c->tables, sizeof(struct hctr2));
	mem_free(c->ctx, c->tables);
}

/* Xor with the blocks E(seed xor 1), E(seed xor 2), ... */
static bool xor_stream(void *aes, const uint8_t seed[CIPHER_BLOCK], const uint8_t *in, uint8_t *out, size_t n)
{
	uint8_t stream[STREAM_BLOCKS * CIPHER_BLOCK];
	uint64_t number = 1;

	while (n > 0) {
		const size_t part = n < sizeof(stream) ? n : sizeof(stream);

		for (size_t i = 0; i < STREAM_BLOCKS; i++, number++) {
			memcpy(stream + i * CIPHER_BLOCK, seed, CIPHER_BLOCK);
			put_le64(stream + i * CIPHER_BLOCK, get_le64(seed) ^ number);
		}
		if (!engine_run(aes, NULL, stream, stream, sizeof(stream)))
			return false;
		for (size_t i = 0; i < part; i++)
			out[i] = in[i] ^ stream[i];
		in += part;
		out += part;
		n -= part;
	}
	return true;
}

bool hctr2_run(struct cipher *c, bool encipher, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n)
{
	const struct hctr2 *t = c->tables;
	void *aes = cipher_engine(c, true), *one = cipher_engine(c, encipher);
	uint8_t before[CIPHER_BLOCK], after[CIPHER_BLOCK], digest[CIPHER_BLOCK], seed[CIPHER_BLOCK];

	if (!aes || !one)
		return false;
	hash(t, iv, in + CIPHER_BLOCK, n - CIPHER_BLOCK, digest);
	memcpy(before, in, CIPHER_BLOCK);
	xor_block(before, digest);
	if (!engine_run(one, NULL, before, after, CIPHER_BLOCK))
		return false;
	memcpy(seed, before, CIPHER_BLOCK);
	xor_block(seed, after);
	xor_block(seed, t->mask);
	if (!xor_stream(aes, seed, in + CIPHER_BLOCK, out + CIPHER_BLOCK, n - CIPHER_BLOCK))
		return false;
	hash(t, iv, out + CIPHER_BLOCK, n - CIPHER_BLOCK, digest);
	xor_block(after, digest);
	memcpy(out, after, CIPHER_BLOCK);
	return true;
}
