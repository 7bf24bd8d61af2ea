/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encipher with libcrypto, derive keys, and get random bytes.
 */
#ifndef F2FSKIT_BASE_CIPHER_ENGINE_H
#define F2FSKIT_BASE_CIPHER_ENGINE_H

#include "base/cipher.h"

/* Overwrite secrets so that the compiler does not leave it out. */
void cipher_wipe(void *secret, size_t n);
/* Fill @n bytes that nobody can foretell; false when there are none to be had. */
bool cipher_random(void *out, size_t n);

/* Make libcrypto's cipher of this name with this key; NULL: it has none, or no memory (*result says which). */
void *engine_new(const char *name, const uint8_t *key, bool encipher, enum cipher_result *result);
void engine_free(void *engine);
/* Run whole blocks, with an IV of 16 bytes, or with none for ECB. */
bool engine_run(void *engine, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n);
/* The cipher's own engine for this direction; NULL when memory is short. */
void *cipher_engine(struct cipher *c, bool encipher);

/* HKDF with HMAC-SHA-512 and a salt of zeros (RFC 5869): how keys of files come from a master key. */
#define HKDF_PRK_SIZE 64

/* Is there a libcrypto? Without it, the functions below fail. */
bool cipher_is_built(void);

/* Make the key from which all others are expanded; false when memory is short. */
bool hkdf_extract(const uint8_t *key, size_t size, uint8_t prk[HKDF_PRK_SIZE]);
/* Expand @size bytes (at most 255 times 64) for @info; false when memory is short. */
bool hkdf_expand(const uint8_t prk[HKDF_PRK_SIZE], const uint8_t *info, size_t info_size, uint8_t *out, size_t size);

#endif
