/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * HKDF with HMAC-SHA-512 and a salt of zeros (RFC 5869), from libcrypto: how keys of files come from a master key.
 */
#ifndef F2FSKIT_BASE_HKDF_H
#define F2FSKIT_BASE_HKDF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HKDF_PRK_SIZE 64

/* Is there a libcrypto? Without it both functions fail. */
bool cipher_is_built(void);

/* Make the key from which all others are expanded; false when memory is short. */
bool hkdf_extract(const uint8_t *key, size_t size, uint8_t prk[HKDF_PRK_SIZE]);
/* Expand @size bytes (at most 255 times 64) for @info; false when memory is short. */
bool hkdf_expand(const uint8_t prk[HKDF_PRK_SIZE], const uint8_t *info, size_t info_size, uint8_t *out, size_t size);

#endif
