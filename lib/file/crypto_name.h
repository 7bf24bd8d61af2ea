/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encipher and decipher names.
 */
#ifndef F2FSKIT_FILE_CRYPTO_NAME_H
#define F2FSKIT_FILE_CRYPTO_NAME_H

#include "volume/keyring.h"

/* Decipher a name; false when what comes out is none. @text takes raw_len bytes. */
bool crypto_open_name(struct f2fs_volume *vol, struct file_key *key, const uint8_t *raw, size_t raw_len, uint8_t *text,
		      size_t *length);
/* Is a deciphered name plausible: followed by zeros, or UTF-8? Returns 1 or -1. */
int crypto_judge_name(struct f2fs_volume *vol, struct file_key *key, const uint8_t *raw, size_t raw_len);
/* Encipher a name of 1 to @most bytes; @out takes @most. */
int crypto_hide(struct f2fs_volume *vol, struct file_key *key, const uint8_t *name, size_t length, uint8_t *out,
		size_t most, size_t *hidden);
/* The hash under which a name is filed in a casefolded directory; in others it is that of the name enciphered. */
int crypto_hash_folded(struct f2fs_volume *vol, const struct file_key *key, const uint8_t *name, size_t length,
		       uint32_t *hash);
/* Present a stored name or link target without its key; text takes F2FS_NAME_ROOM bytes. */
int crypto_present_name(struct f2fs_volume *vol, uint32_t hash, const uint8_t *raw, size_t raw_len, char *text,
			size_t room, size_t *length);

#endif
