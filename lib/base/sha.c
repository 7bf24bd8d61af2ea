/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The streaming hash: OpenSSL's, or the portable SHA-256.
 */
#include "base/sha.h"

#include <assert.h>

#include "base/part.h"
#include "f2fskit_config.h"

static const struct row {
	unsigned int algorithm;
	const char *name; /* OpenSSL's */
	uint8_t size, input_block;
} rows[] = {
	{ SHA_256, "SHA256", 32, 64 },
	{ SHA_512, "SHA512", 64, 128 },
	{ SHA_1, "SHA1", 20, 64 },
	{ SHA_MD5, "MD5", 16, 64 },
};

static const struct row *find_row(unsigned int algorithm)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].algorithm == algorithm)
			return &rows[i];
	return NULL;
}

size_t sha_size(enum sha_algorithm algorithm)
{
	const struct row *row = find_row(algorithm);

	assert(row);
	return row->size;
}

size_t sha_input_block(enum sha_algorithm algorithm)
{
	const struct row *row = find_row(algorithm);

	assert(row);
	return row->input_block;
}

int sha_digest(enum sha_algorithm algorithm, const void *data, size_t n, uint8_t digest[SHA_MAX_SIZE])
{
	struct sha sha;
	int result = sha_init(&sha, algorithm);

	if (result != 0)
		return result;
	result = sha_start(&sha);
	if (result == 0)
		result = sha_update(&sha, data, n);
	if (result == 0)
		result = sha_finish(&sha, digest);
	sha_fini(&sha);
	return result;
}

bool sha_is_available(unsigned int algorithm)
{
	return find_row(algorithm) && (algorithm == SHA_256 || part_is_usable(PART_CRYPTO));
}

#if HAVE_CRYPTO
#include "base/late_crypto.h"

static bool engine_init(struct sha *sha, const char *name)
{
	/* looked up once: doing so for each message costs more than a short message */
	sha->method = sym_EVP_MD_fetch(NULL, name, NULL);
	sha->engine = sym_EVP_MD_CTX_new();
	return sha->method && sha->engine;
}

static void engine_fini(struct sha *sha)
{
	sym_EVP_MD_CTX_free(sha->engine);
	sym_EVP_MD_free(sha->method);
}

static bool engine_start(struct sha *sha)
{
	return sym_EVP_DigestInit_ex2(sha->engine, sha->method, NULL) == 1;
}

static bool engine_update(struct sha *sha, const void *data, size_t n)
{
	return sym_EVP_DigestUpdate(sha->engine, data, n) == 1;
}

static bool engine_finish(struct sha *sha, uint8_t digest[SHA_MAX_SIZE])
{
	return sym_EVP_DigestFinal_ex(sha->engine, digest, NULL) == 1;
}
#else
static bool engine_init(struct sha *sha, const char *name)
{
	(void)sha;
	(void)name;
	return false;
}

static void engine_fini(struct sha *sha)
{
	(void)sha;
}

#define engine_start(sha) false
#define engine_update(sha, data, n) false
#define engine_finish(sha, digest) false
#endif

int sha_init(struct sha *sha, enum sha_algorithm algorithm)
{
	const struct row *row = find_row(algorithm);

	assert(row);
	sha->algorithm = algorithm;
	sha->engine = NULL;
	sha->method = NULL;
	if (!part_is_usable(PART_CRYPTO))
		return algorithm == SHA_256 ? 0 : -1;
	if (engine_init(sha, row->name))
		return 0;
	sha_fini(sha);
	return -1;
}

void sha_fini(struct sha *sha)
{
	if (sha->engine || sha->method)
		engine_fini(sha);
	sha->engine = NULL;
	sha->method = NULL;
}

int sha_start(struct sha *sha)
{
	if (sha->engine)
		return engine_start(sha) ? 0 : -1;
	sha256_soft_start(&sha->soft);
	return 0;
}

int sha_update(struct sha *sha, const void *data, size_t n)
{
	if (sha->engine)
		return engine_update(sha, data, n) ? 0 : -1;
	sha256_soft_update(&sha->soft, data, n);
	return 0;
}

int sha_finish(struct sha *sha, uint8_t digest[SHA_MAX_SIZE])
{
	if (sha->engine)
		return engine_finish(sha, digest) ? 0 : -1;
	sha256_soft_finish(&sha->soft, digest);
	return 0;
}
