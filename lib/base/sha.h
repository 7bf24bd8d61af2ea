/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SHA-256 and SHA-512 as a stream, and for lists of other programs SHA-1 and
 * MD5: from OpenSSL when the library is built with it ("crypto"), which is
 * several times faster; SHA-256 also without, so that encrypted names can
 * always be shown.
 */
#ifndef F2FSKIT_BASE_SHA_H
#define F2FSKIT_BASE_SHA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256_soft.h"

/* The first two are numbered as hash_algorithm of fs-verity, which has none of the others. */
enum sha_algorithm {
	SHA_256 = 1,
	SHA_512 = 2,
	SHA_1 = 0x101,
	SHA_MD5 = 0x102,
};

#define SHA_MAX_SIZE 64		/* bytes of the longest digest */
#define SHA_MAX_INPUT_BLOCK 128 /* longest input block */

struct sha {
	enum sha_algorithm algorithm;
	void *engine; /* of OpenSSL: the running hash; NULL: use soft */
	void *method;
	struct sha256_soft soft;
};

/* Can @algorithm be computed? False for an unknown number, too. */
bool sha_is_available(unsigned int algorithm);

/* Bytes of a digest; bytes that one round takes (a salt is padded to them). @algorithm must be a known one. */
size_t sha_size(enum sha_algorithm algorithm);
size_t sha_input_block(enum sha_algorithm algorithm);

/*
 * Get ready to hash. Returns 0, or -1 if the algorithm is not available or memory
 * is short; there is nothing to fini then. OpenSSL allocates; nothing else here does.
 */
int sha_init(struct sha *sha, enum sha_algorithm algorithm);
void sha_fini(struct sha *sha);

/* Start a new message; valid after init and at any time later. */
int sha_start(struct sha *sha);
int sha_update(struct sha *sha, const void *data, size_t n);
/* End the message; @digest takes sha_size() bytes. The next call is sha_start() or sha_fini(). */
int sha_finish(struct sha *sha, uint8_t digest[SHA_MAX_SIZE]);

/* One message at once. */
int sha_digest(enum sha_algorithm algorithm, const void *data, size_t n, uint8_t digest[SHA_MAX_SIZE]);

#endif
