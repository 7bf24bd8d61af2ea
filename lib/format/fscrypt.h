/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The encryption context of an inode (FORMAT files 9.1): which key and which ciphers. No cryptography here.
 */
#ifndef F2FSKIT_FORMAT_FSCRYPT_H
#define F2FSKIT_FORMAT_FSCRYPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "format/rules.h"

#define FSCRYPT_NONCE_SIZE 16
#define FSCRYPT_KEY_ID_MAX 16
#define FSCRYPT_CONTEXT_MAX 40 /* bytes of the longest context */

enum {
	FSCRYPT_FLAG_PADDING = 0x03,
	FSCRYPT_FLAG_DIRECT_KEY = 0x04,
	FSCRYPT_FLAG_IV_INO_LBLK_64 = 0x08,
	FSCRYPT_FLAG_IV_INO_LBLK_32 = 0x10,
};

struct fscrypt_context {
	uint8_t version; /* 1 or 2 */
	uint8_t contents_mode;
	uint8_t filenames_mode;
	uint8_t flags;
	uint8_t log_data_unit; /* 0: data units are blocks; version 2 only */
	uint8_t key_id_size;   /* 8 (version 1: descriptor) or 16 (version 2: identifier) */
	uint8_t key_id[FSCRYPT_KEY_ID_MAX];
	uint8_t nonce[FSCRYPT_NONCE_SIZE];
};

/* Decode the value of the attribute; RULE_FSCRYPT_CONTEXT if version and size are not known together. */
enum rule fscrypt_decode(const uint8_t *value, size_t size, struct fscrypt_context *out);

/* The way back; @value takes FSCRYPT_CONTEXT_MAX bytes. Returns the size. */
size_t fscrypt_encode(const struct fscrypt_context *context, uint8_t *value);

/*
 * Would a kernel take this context on a volume with blocks of 2^@log_block bytes? Returns NULL, or an error phrase.
 */
const char *fscrypt_check(const struct fscrypt_context *ctx, unsigned int log_block);

/* Names are padded to a multiple of this many bytes before they are encrypted: 4, 8, 16 or 32. */
unsigned int fscrypt_padding(const struct fscrypt_context *ctx);

/* "AES-256-XTS" and the like; NULL for an unknown mode. */
const char *fscrypt_mode_name(unsigned int mode);

/* Add "policy v2, key a525b310.., contents AES-256-XTS, names AES-256-CBC-CTS, padding 32". */
void fscrypt_print(const struct fscrypt_context *ctx, struct text *out);

#endif
