/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Digests by OpenSSL; without it SHA-256 by the portable code.
 */
#include "base/digest.h"

#include <string.h>

#include "base/crc.h"
#include "f2fskit_config.h"

const uint8_t digest_sizes[DIGEST_KINDS] = { 16, 20, 32, 64 };

#ifdef HAVE_CRYPTO

#include <openssl/evp.h>

static int begin_one(struct digest *d, unsigned kind)
{
	static const char *const names[DIGEST_KINDS] = { "MD5", "SHA1", "SHA256", "SHA512" };
	EVP_MD *method = EVP_MD_fetch(NULL, names[kind], NULL);
	EVP_MD_CTX *engine = EVP_MD_CTX_new();
	const int is_ready = method && engine && EVP_DigestInit_ex2(engine, method, NULL) == 1;

	EVP_MD_free(method); /* the engine keeps a reference of its own */
	d->engine[kind] = engine;
	return is_ready ? 0 : -1;
}

static int add_one(struct digest *d, unsigned kind, const void *data, size_t n)
{
	return EVP_DigestUpdate(d->engine[kind], data, n) == 1 ? 0 : -1;
}

static int get_one(struct digest *d, unsigned kind, uint8_t *out)
{
	return EVP_DigestFinal_ex(d->engine[kind], out, NULL) == 1 ? 0 : -1;
}

void digest_end(struct digest *d)
{
	for (unsigned kind = 0; kind < DIGEST_KINDS; kind++)
		EVP_MD_CTX_free(d->engine[kind]);
	memset(d->engine, 0, sizeof(d->engine));
}

#else

static int begin_one(struct digest *d, unsigned kind)
{
	if (kind != DIGEST_SHA256)
		return -1;
	sha256_soft_start(&d->soft);
	d->engine[kind] = &d->soft;
	return 0;
}

static int add_one(struct digest *d, unsigned kind, const void *data, size_t n)
{
	(void)kind;
	sha256_soft_update(&d->soft, data, n);
	return 0;
}

static int get_one(struct digest *d, unsigned kind, uint8_t *out)
{
	(void)kind;
	sha256_soft_finish(&d->soft, out);
	return 0;
}

void digest_end(struct digest *d)
{
	memset(d, 0, sizeof(*d));
}

#endif

int digest_begin(struct digest *d, unsigned wanted)
{
	int rc = 0;

	memset(d, 0, sizeof(*d));
	d->crc = UINT32_MAX;
	for (unsigned kind = 0; kind < DIGEST_KINDS && !rc; kind++)
		if (wanted & 1u << kind)
			rc = begin_one(d, kind);
	return rc;
}

int digest_add(struct digest *d, const void *data, size_t n)
{
	int rc = 0;

	d->crc = crc_f2fs(d->crc, data, n);
	for (unsigned kind = 0; kind < DIGEST_KINDS && !rc; kind++)
		if (d->engine[kind])
			rc = add_one(d, kind, data, n);
	return rc;
}

int digest_get(struct digest *d, enum digest_kind kind, uint8_t *out)
{
	return d->engine[kind] ? get_one(d, kind, out) : -1;
}
