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

/* Make libcrypto's cipher of this name with this key; NULL: it has none, or no memory (*result says which). */
void *engine_new(const char *name, const uint8_t *key, bool encipher, enum cipher_result *result);
void engine_free(void *engine);
/* Run whole blocks, with an IV of 16 bytes, or with none for ECB. */
bool engine_run(void *engine, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n);
/* The cipher's own engine for this direction; NULL when memory is short. */
void *cipher_engine(struct cipher *c, bool encipher);

/* adiantum.c */
enum cipher_result adiantum_prepare(struct cipher *c);
void adiantum_drop(struct cipher *c);
bool adiantum_run(struct cipher *c, bool encipher, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n);

/* hctr2.c */
enum cipher_result hctr2_prepare(struct cipher *c);
void hctr2_drop(struct cipher *c);
bool hctr2_run(struct cipher *c, bool encipher, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n);

#endif
