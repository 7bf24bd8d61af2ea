/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SHA-256 (FIPS 180-4) in portable C, for builds without OpenSSL. Callers use
 * base/sha.h, which chooses.
 */
#ifndef F2FSKIT_BASE_SHA256_SOFT_H
#define F2FSKIT_BASE_SHA256_SOFT_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_SOFT_SIZE 32

struct sha256_soft {
	uint32_t state[8];
	uint64_t length;   /* bytes so far */
	uint8_t block[64]; /* the last length % 64 of them */
};

void sha256_soft_start(struct sha256_soft *s);
void sha256_soft_update(struct sha256_soft *s, const void *data, size_t n);
void sha256_soft_finish(struct sha256_soft *s, uint8_t digest[SHA256_SOFT_SIZE]);

#endif
