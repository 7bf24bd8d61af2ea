/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of ciphers, and the modes that are made of libcrypto's CBC, ECB and XTS.
 */
#include "base/cipher.h"

#include <string.h>

#include "base/adiantum.h"
#include "base/cipher_engine.h"
#include "base/cipher_row.h"
#include "base/hctr2.h"
#include "base/sha.h"

#define SM4_KEY 16

static bool run_whole(struct cipher *c, bool encipher, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n)
{
	void *engine = cipher_engine(c, encipher);

	return engine && n % CIPHER_BLOCK == 0 && engine_run(engine, iv, in, out, n);
}

/* ---- CBC with the IV enciphered by the hash of the key */

static enum cipher_result essiv_prepare(struct cipher *c)
{
	uint8_t salt[SHA_MAX_SIZE];
	enum cipher_result result = CIPHER_FAILED;

	if (sha_digest(SHA_256, c->key, c->row->key_size, salt) != 0)
		return CIPHER_FAILED;
	c->second = engine_new("AES-256-ECB", salt, true, &result);
	cipher_wipe(salt, sizeof(salt));
	return result;
}

static bool essiv_run(struct cipher *c, bool encipher, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n)
{
	uint8_t hidden[CIPHER_BLOCK];

	return engine_run(c->second, NULL, iv, hidden, sizeof(hidden)) && run_whole(c, encipher, hidden, in, out, n);
}

/* ---- CBC with stolen ciphertext, CS3: the last two blocks are always swapped */

static bool cts_encipher(void *cbc, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n)
{
	const size_t rest = (n - 1) % CIPHER_BLOCK + 1, whole = n - rest;
	uint8_t last[CIPHER_BLOCK] = { 0 }, before[CIPHER_BLOCK];

	memcpy(last, in + whole, rest);
	if (!engine_run(cbc, iv, in, out, whole))
		return false;
	memcpy(before, out + whole - CIPHER_BLOCK, CIPHER_BLOCK);
	if (!engine_run(cbc, before, last, out + whole - CIPHER_BLOCK, CIPHER_BLOCK))
		return false;
	memcpy(out + whole, before, rest);
	return true;
}

static bool cts_decipher(void *cbc, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n)
{
	static const uint8_t zero[CIPHER_BLOCK];
	const size_t rest = (n - 1) % CIPHER_BLOCK + 1, whole = n - rest;
	uint8_t before[CIPHER_BLOCK], last[CIPHER_BLOCK], prior[CIPHER_BLOCK];

	if (!engine_run(cbc, zero, in + whole - CIPHER_BLOCK, before, CIPHER_BLOCK))
		return false;
	for (size_t i = 0; i < rest; i++) {
		last[i] = before[i] ^ in[whole + i];
		before[i] = in[whole + i];
	}
	memcpy(prior, whole > CIPHER_BLOCK ? in + whole - 2 * (size_t)CIPHER_BLOCK : iv, CIPHER_BLOCK);
	if (!engine_run(cbc, iv, in, out, whole - CIPHER_BLOCK) ||
	    !engine_run(cbc, prior, before, out + whole - CIPHER_BLOCK, CIPHER_BLOCK))
		return false;
	memcpy(out + whole, last, rest);
	return true;
}

static bool cts_run(struct cipher *c, bool encipher, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n)
{
	void *cbc = cipher_engine(c, encipher);

	if (!cbc)
		return false;
	if (n == CIPHER_BLOCK)
		return engine_run(cbc, iv, in, out, n);
	return encipher ? cts_encipher(cbc, iv, in, out, n) : cts_decipher(cbc, iv, in, out, n);
}

/* ---- XTS of a cipher that libcrypto has no XTS of */

static enum cipher_result sm4_prepare(struct cipher *c)
{
	enum cipher_result result = CIPHER_FAILED;

	c->second = engine_new("SM4-ECB", c->key + SM4_KEY, true, &result);
	return result;
}

/* Times x in GF(2^128), least significant byte first. */
static void times_x(uint8_t tweak[CIPHER_BLOCK])
{
	uint8_t carry = 0;

	for (int i = 0; i < CIPHER_BLOCK; i++) {
		const uint8_t next = tweak[i] >> 7;

		tweak[i] = (uint8_t)(tweak[i] << 1 | carry);
		carry = next;
	}
	tweak[0] ^= carry ? 0x87 : 0;
}

static bool xts_run(struct cipher *c, bool encipher, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n)
{
	void *ecb = cipher_engine(c, encipher);
	uint8_t tweak[CIPHER_BLOCK], block[CIPHER_BLOCK];

	if (!ecb || n % CIPHER_BLOCK != 0 || !engine_run(c->second, NULL, iv, tweak, sizeof(tweak)))
		return false;
	for (size_t at = 0; at < n; at += CIPHER_BLOCK) {
		for (size_t i = 0; i < CIPHER_BLOCK; i++)
			block[i] = in[at + i] ^ tweak[i];
		if (!engine_run(ecb, NULL, block, block, CIPHER_BLOCK))
			return false;
		for (size_t i = 0; i < CIPHER_BLOCK; i++)
			out[at + i] = block[i] ^ tweak[i];
		times_x(tweak);
	}
	return true;
}

/* ---- the table */

static const struct cipher_row rows[] = {
	{ CIPHER_AES_256_XTS, 64, 16, "AES-256-XTS", NULL, NULL, NULL, run_whole },
	{ CIPHER_AES_256_CTS, 32, 16, "AES-256-CBC", NULL, NULL, NULL, cts_run },
	{ CIPHER_AES_128_CBC, 16, 16, "AES-128-CBC", "AES-256-ECB", essiv_prepare, NULL, essiv_run },
	{ CIPHER_AES_128_CTS, 16, 16, "AES-128-CBC", NULL, NULL, NULL, cts_run },
	{ CIPHER_SM4_XTS, 32, 16, "SM4-ECB", "SM4-ECB", sm4_prepare, NULL, xts_run },
	{ CIPHER_SM4_CTS, 16, 16, "SM4-CBC", NULL, NULL, NULL, cts_run },
	{ CIPHER_ADIANTUM, 32, 32, NULL, "AES-256-ECB", adiantum_prepare, adiantum_drop, adiantum_run },
	{ CIPHER_AES_256_HCTR2, 32, 32, "AES-256-ECB", NULL, hctr2_prepare, hctr2_drop, hctr2_run },
};

static const struct cipher_row *find_row(unsigned int mode)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].mode == mode)
			return &rows[i];
	return NULL;
}

size_t cipher_key_size(unsigned int mode)
{
	const struct cipher_row *row = find_row(mode);

	return row ? row->key_size : 0;
}

enum cipher_result cipher_init(struct f2fs_context *ctx, struct cipher *cipher, unsigned int mode, const uint8_t *key)
{
	const struct cipher_row *row = find_row(mode);
	enum cipher_result result = CIPHER_OK;

	memset(cipher, 0, sizeof(*cipher));
	if (!row)
		return CIPHER_UNAVAILABLE;
	cipher->ctx = ctx;
	cipher->row = row;
	memcpy(cipher->key, key, row->key_size);
	if (row->engine) /* most are there to decipher */
		cipher->engine[0] = engine_new(row->engine, key, false, &result);
	if (result == CIPHER_OK && row->prepare)
		result = row->prepare(cipher);
	if (result != CIPHER_OK)
		cipher_fini(cipher);
	return result;
}

enum cipher_result cipher_copy(struct f2fs_context *ctx, const struct cipher *from, struct cipher *to)
{
	return cipher_init(ctx, to, from->row->mode, from->key);
}

void cipher_fini(struct cipher *cipher)
{
	if (cipher->row && cipher->row->drop)
		cipher->row->drop(cipher);
	engine_free(cipher->engine[0]);
	engine_free(cipher->engine[1]);
	engine_free(cipher->second);
	cipher_wipe(cipher, sizeof(*cipher));
}

bool cipher_run(struct cipher *cipher, bool encipher, const uint8_t iv[CIPHER_IV_SIZE], const uint8_t *in, uint8_t *out,
		size_t n)
{
	return n >= CIPHER_BLOCK && cipher->row->run(cipher, encipher, iv, in, out, n);
}
