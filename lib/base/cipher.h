/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ciphers that an encryption policy can name, by their numbers there (FORMAT files 9.1). libcrypto enciphers
 * blocks. The modes that it lacks (Adiantum, HCTR2, ciphertext stealing, SM4-XTS) are built on top of it here.
 */
#ifndef F2FSKIT_BASE_CIPHER_H
#define F2FSKIT_BASE_CIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cipher_mode {
	CIPHER_AES_256_XTS = 1,
	CIPHER_AES_256_CTS = 4,
	CIPHER_AES_128_CBC = 5,
	CIPHER_AES_128_CTS = 6,
	CIPHER_SM4_XTS = 7,
	CIPHER_SM4_CTS = 8,
	CIPHER_ADIANTUM = 9,
	CIPHER_AES_256_HCTR2 = 10,
};

#define CIPHER_KEY_MAX 64
#define CIPHER_IV_SIZE 32 /* given to all; a cipher takes the first 16 or all bytes of it */
#define CIPHER_BLOCK 16	  /* also the shortest message */

struct cipher_row;
struct f2fs_context;

/* A cipher with its key. The members are for the files cipher*.c only. */
struct cipher {
	struct f2fs_context *ctx;
	const struct cipher_row *row;
	void *engine[2];	     /* of libcrypto: [0] deciphers, [1] enciphers; made when first asked for */
	void *second;		     /* the tweak or the IV is enciphered with it */
	void *tables;		     /* of Adiantum and HCTR2 */
	uint8_t key[CIPHER_KEY_MAX]; /* wiped by cipher_fini() */
};

enum cipher_result { CIPHER_OK = 0, CIPHER_FAILED = -1, CIPHER_UNAVAILABLE = -2 };

/* Bytes of a mode's key; 0 for an unknown mode. */
size_t cipher_key_size(unsigned int mode);

/*
 * Get ready with cipher_key_size() bytes of @key. UNAVAILABLE: this libcrypto lacks a part, or there is none; FAILED:
 * memory is short. After a failure there is nothing to fini.
 */
enum cipher_result cipher_init(struct f2fs_context *ctx, struct cipher *cipher, unsigned int mode, const uint8_t *key);
/* Prepare a cipher with the key of another one, which another thread may use on. */
enum cipher_result cipher_copy(struct f2fs_context *ctx, const struct cipher *from, struct cipher *to);
/* Wipe the key and give everything back. */
void cipher_fini(struct cipher *cipher);

/*
 * Encipher or decipher one message of @n bytes, at least CIPHER_BLOCK. @in and @out may be the same, else they do not
 * overlap. XTS and CBC take whole blocks only. False when libcrypto failed.
 */
bool cipher_run(struct cipher *cipher, bool encipher, const uint8_t iv[CIPHER_IV_SIZE], const uint8_t *in, uint8_t *out,
		size_t n);

#endif
