/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Adiantum (XChaCha12, AES-256, NHPoly1305): the message is a left part and a last block; the hash of the left part and
 * the block, enciphered, are the nonce of the stream that the left part is xored with.
 */
#include <string.h>

#include "base/adiantum.h"
#include "base/bytes.h"
#include "base/chacha12.h"
#include "base/cipher_engine.h"
#include "base/cipher_row.h"
#include "base/context.h"
#include "base/nhpoly1305.h"

struct adiantum {
	void *aes[2]; /* one block; [1] enciphers */
	struct poly head, body;
	uint32_t nh[NH_KEY_WORDS];
};

enum { AES_KEY = 32, DERIVED = AES_KEY + 2 * POLY_KEY_SIZE + NH_KEY_SIZE };

enum cipher_result adiantum_prepare(struct cipher *c)
{
	const uint8_t nonce[XCHACHA_NONCE_SIZE] = { 1 };
	uint8_t derived[DERIVED];
	enum cipher_result result = CIPHER_OK;
	struct adiantum *t = mem_zalloc(c->ctx, sizeof(*t));

	if (!t)
		return CIPHER_FAILED;
	c->tables = t;
	xchacha12_xor(c->key, nonce, NULL, derived, sizeof(derived));
	for (int i = 0; i < 2 && result == CIPHER_OK; i++)
		t->aes[i] = engine_new("AES-256-ECB", derived, i == 1, &result);
	poly_start(&t->head, derived + AES_KEY);
	poly_start(&t->body, derived + AES_KEY + POLY_KEY_SIZE);
	for (size_t i = 0; i < NH_KEY_WORDS; i++)
		t->nh[i] = get_le32(derived + AES_KEY + 2 * (size_t)POLY_KEY_SIZE + i * 4);
	cipher_wipe(derived, sizeof(derived));
	return result;
}

void adiantum_drop(struct cipher *c)
{
	struct adiantum *t = c->tables;

	if (!t)
		return;
	engine_free(t->aes[0]);
	engine_free(t->aes[1]);
	cipher_wipe(t, sizeof(*t));
	mem_free(c->ctx, t);
}

/* 128-bit numbers, least significant byte first: a += b, or a -= b. */
static void add128(uint8_t a[16], const uint8_t b[16], bool minus)
{
	uint64_t low = get_le64(a), high = get_le64(a + 8), by = get_le64(b);

	if (minus)
		high -= get_le64(b + 8) + (low < by);
	else
		high += get_le64(b + 8) + (low + by < low);
	put_le64(a, minus ? low - by : low + by);
	put_le64(a + 8, high);
}

/* What of the hash does not depend on the left part. */
static void hash_head(const struct adiantum *t, const uint8_t *tweak, size_t n, uint8_t sum[POLY_BLOCK])
{
	uint8_t length[POLY_BLOCK] = { 0 };
	struct poly poly = t->head;

	put_le64(length, (uint64_t)n * 8);
	poly_add(&poly, length, sizeof(length));
	poly_add(&poly, tweak, CIPHER_IV_SIZE);
	poly_finish(&poly, sum);
}

static void hash_left(const struct adiantum *t, const uint8_t head[POLY_BLOCK], const uint8_t *left, size_t n,
		      uint8_t sum[POLY_BLOCK])
{
	struct poly poly = t->body;

	nh_add(t->nh, left, n, &poly);
	poly_finish(&poly, sum);
	add128(sum, head, false);
}

bool adiantum_run(struct cipher *c, bool encipher, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n)
{
	const struct adiantum *t = c->tables;
	const size_t left = n - CIPHER_BLOCK;
	uint8_t head[POLY_BLOCK], sum[POLY_BLOCK], last[CIPHER_BLOCK], nonce[XCHACHA_NONCE_SIZE] = { 0 };

	hash_head(t, iv, left, head);
	hash_left(t, head, in, left, sum);
	memcpy(last, in + left, CIPHER_BLOCK);
	add128(last, sum, false);
	memcpy(nonce, last, CIPHER_BLOCK); /* the block between both ciphers, enciphered */
	if (!engine_run(t->aes[encipher], NULL, last, last, CIPHER_BLOCK))
		return false;
	if (encipher)
		memcpy(nonce, last, CIPHER_BLOCK);
	nonce[CIPHER_BLOCK] = 1;
	xchacha12_xor(c->key, nonce, in, out, left);
	hash_left(t, head, out, left, sum);
	add128(last, sum, true);
	memcpy(out + left, last, CIPHER_BLOCK);
	return true;
}
