/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * XChaCha with 12 rounds, the stream cipher of Adiantum (FORMAT files 9.1). libcrypto has ChaCha with 20 rounds only.
 */
#ifndef F2FSKIT_BASE_CHACHA12_H
#define F2FSKIT_BASE_CHACHA12_H

#include <stddef.h>
#include <stdint.h>

#define CHACHA_KEY_SIZE 32
#define XCHACHA_NONCE_SIZE 24

/* Xor the key stream onto @n bytes; @in may be @out, or NULL for zeros. */
void xchacha12_xor(const uint8_t key[CHACHA_KEY_SIZE], const uint8_t nonce[XCHACHA_NONCE_SIZE], const uint8_t *in,
		   uint8_t *out, size_t n);

#endif
