/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encryption contexts: which policy and nonce an inode is encrypted with (FORMAT files 9.1).
 */
#ifndef F2FSKIT_FORMAT_FSCRYPT_H
#define F2FSKIT_FORMAT_FSCRYPT_H

#include <stddef.h>
#include <stdint.h>

enum { FSCRYPT_NONCE_SIZE = 16, FSCRYPT_KEY_ID_MAX = 16 };

/* Flags of a policy. */
enum fscrypt_flag {
	FSCRYPT_PADDING_MASK = 0x03, /* names are padded to 4 << value bytes */
	FSCRYPT_DIRECT_KEY = 0x04,
	FSCRYPT_IV_INO_LBLK_64 = 0x08,
	FSCRYPT_IV_INO_LBLK_32 = 0x10,
};

struct fscrypt_context {
	uint8_t version; /* 1 or 2 */
	uint8_t contents_mode;
	uint8_t filenames_mode;
	uint8_t flags;		     /* enum fscrypt_flag */
	uint8_t log2_data_unit_size; /* 0: the block size */
	uint8_t key_id_size;	     /* 8 (descriptor) or 16 (identifier) */
	uint8_t key_id[FSCRYPT_KEY_ID_MAX];
	uint8_t nonce[FSCRYPT_NONCE_SIZE];
};

/* Take a context apart; -1 when size, version, modes or flags are not known. */
int fscrypt_decode(const uint8_t *raw, size_t size, struct fscrypt_context *out);
/* Return "AES-256-XTS" ..., "unknown" for other numbers. */
const char *fscrypt_mode_name(unsigned mode);
/* Write "policy v2, key 0011.., AES-256-XTS, AES-256-CTS-CBC, padding 32" into text. */
void fscrypt_describe(const struct fscrypt_context *context, char *text, size_t room);

#endif
