/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared declarations of the ciphers: the table's rows, and single blocks of libcrypto's.
 */
#ifndef F2FSKIT_BASE_CIPHER_ROW_H
#define F2FSKIT_BASE_CIPHER_ROW_H

#include "base/cipher.h"

struct cipher_row {
	uint8_t mode;
	uint8_t key_size, iv_size;
	const char *engine; /* libcrypto's name of what enciphers */
	const char *second; /* of what enciphers the tweak or IV; NULL: none */
	/* Make @tables or @second out of the key; NULL: nothing to make. */
	enum cipher_result (*prepare)(struct cipher *c);
	void (*drop)(struct cipher *c);
	bool (*run)(struct cipher *c, bool encipher, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n);
};

#endif
