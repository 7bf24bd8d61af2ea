/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Several digests of the same bytes in one pass, for lists that other programs compare: MD5, SHA-1, SHA-256, SHA-512
 * and CRC-32. SHA-256 and CRC-32 are always there, the others when the library is built with OpenSSL ("crypto").
 */
#ifndef F2FSKIT_BASE_DIGEST_H
#define F2FSKIT_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/sha256_soft.h"

enum digest_kind { DIGEST_MD5, DIGEST_SHA1, DIGEST_SHA256, DIGEST_SHA512, DIGEST_KINDS };

#define DIGEST_MAX_SIZE 64 /* bytes of the longest */

/* Bytes of a digest of each kind. */
extern const uint8_t digest_sizes[DIGEST_KINDS];

struct digest {
	void *engine[DIGEST_KINDS]; /* of OpenSSL; NULL: not wanted */
	struct sha256_soft soft;    /* SHA-256 without OpenSSL */
	uint32_t crc;
};

/* Begin; wanted has a bit (1 << kind) for each kind. digest_end() in any case. Returns 0, or -1 when one of them cannot
 * be computed or memory is short. */
int digest_begin(struct digest *d, unsigned wanted);
int digest_add(struct digest *d, const void *data, size_t n);
/* Get a digest that is wanted, once; out takes digest_sizes[kind] bytes. */
int digest_get(struct digest *d, enum digest_kind kind, uint8_t *out);
/* The CRC-32 of zlib and NSRL lists. */
static inline uint32_t digest_crc(const struct digest *d)
{
	return ~d->crc;
}
void digest_end(struct digest *d);

#endif
