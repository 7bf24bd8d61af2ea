/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one place where libcrypto enciphers, derives keys and gives random bytes; without it nothing of that is there.
 */
#include <limits.h>
#include <string.h>

#include "base/cipher_engine.h"
#include "base/cipher_row.h"
#include "base/part.h"
#include "f2fskit_config.h"

#if HAVE_CRYPTO
#include <openssl/core_names.h>

#include "base/late_crypto.h"

void *engine_new(const char *name, const uint8_t *key, bool encipher, enum cipher_result *result)
{
	EVP_CIPHER *method = late_crypto() ? sym_EVP_CIPHER_fetch(NULL, name, NULL) : NULL;
	EVP_CIPHER_CTX *engine;

	*result = method ? CIPHER_FAILED : CIPHER_UNAVAILABLE;
	if (!method)
		return NULL;
	engine = sym_EVP_CIPHER_CTX_new();
	if (engine && sym_EVP_CipherInit_ex2(engine, method, key, NULL, encipher, NULL) == 1 &&
	    sym_EVP_CIPHER_CTX_set_padding(engine, 0) == 1) {
		*result = CIPHER_OK;
	} else {
		sym_EVP_CIPHER_CTX_free(engine);
		engine = NULL;
	}
	sym_EVP_CIPHER_free(method);
	return engine;
}

void engine_free(void *engine)
{
	if (engine)
		sym_EVP_CIPHER_CTX_free(engine); /* wipes its key */
}

bool engine_run(void *engine, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n)
{
	int done = 0;

	if (n == 0)
		return true;
	if (n > INT_MAX || (iv && sym_EVP_CipherInit_ex2(engine, NULL, NULL, iv, -1, NULL) != 1))
		return false;
	return sym_EVP_CipherUpdate(engine, out, &done, in, (int)n) == 1 && (size_t)done == n;
}

bool cipher_random(void *out, size_t n)
{
	return n <= INT_MAX && late_crypto() && sym_RAND_bytes(out, (int)n) == 1;
}

static bool derive(int mode, const uint8_t *key, size_t key_size, const uint8_t *info, size_t info_size, uint8_t *out,
		   size_t size)
{
	EVP_KDF *method = late_crypto() ? sym_EVP_KDF_fetch(NULL, "HKDF", NULL) : NULL;
	EVP_KDF_CTX *kdf = method ? sym_EVP_KDF_CTX_new(method) : NULL;
	char digest[] = "SHA512";
	OSSL_PARAM params[5], *p = params;
	bool done;

	if (!method)
		return false;
	*p++ = sym_OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode);
	*p++ = sym_OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0);
	*p++ = sym_OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)(uintptr_t)key, key_size);
	if (info_size)
		*p++ = sym_OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)(uintptr_t)info, info_size);
	*p = sym_OSSL_PARAM_construct_end();
	done = kdf && sym_EVP_KDF_derive(kdf, out, size, params) == 1;
	sym_EVP_KDF_CTX_free(kdf);
	sym_EVP_KDF_free(method);
	return done;
}

bool hkdf_extract(const uint8_t *key, size_t size, uint8_t prk[HKDF_PRK_SIZE])
{
	return derive(EVP_KDF_HKDF_MODE_EXTRACT_ONLY, key, size, NULL, 0, prk, HKDF_PRK_SIZE);
}

bool hkdf_expand(const uint8_t prk[HKDF_PRK_SIZE], const uint8_t *info, size_t info_size, uint8_t *out, size_t size)
{
	return derive(EVP_KDF_HKDF_MODE_EXPAND_ONLY, prk, HKDF_PRK_SIZE, info, info_size, out, size);
}

#else

void *engine_new(const char *name, const uint8_t *key, bool encipher, enum cipher_result *result)
{
	(void)name;
	(void)key;
	(void)encipher;
	*result = CIPHER_UNAVAILABLE;
	return NULL;
}

void engine_free(void *engine)
{
	(void)engine;
}

bool engine_run(void *engine, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n)
{
	(void)engine;
	(void)iv;
	(void)in;
	(void)out;
	(void)n;
	return false;
}

bool cipher_random(void *out, size_t n)
{
	(void)out;
	(void)n;
	return false;
}

bool hkdf_extract(const uint8_t *key, size_t size, uint8_t prk[HKDF_PRK_SIZE])
{
	(void)key;
	(void)size;
	(void)prk;
	return false;
}

bool hkdf_expand(const uint8_t prk[HKDF_PRK_SIZE], const uint8_t *info, size_t info_size, uint8_t *out, size_t size)
{
	(void)prk;
	(void)info;
	(void)info_size;
	(void)out;
	(void)size;
	return false;
}

#endif

/* The stores are volatile, so that the compiler keeps them. */
void cipher_wipe(void *secret, size_t n)
{
	volatile uint8_t *bytes = secret;

	while (n > 0)
		bytes[--n] = 0;
}

void *cipher_engine(struct cipher *c, bool encipher)
{
	enum cipher_result result;

	if (!c->engine[encipher])
		c->engine[encipher] = engine_new(c->row->engine, c->key, encipher, &result);
	return c->engine[encipher];
}

bool cipher_is_built(void)
{
	return part_is_usable(PART_CRYPTO);
}
