/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encipher and decipher with the key of a file.
 */
#ifndef F2FSKIT_VOLUME_KEY_USE_H
#define F2FSKIT_VOLUME_KEY_USE_H

#include "volume/keyring.h"

/* Blocks of contents that follow each other; in may be out. */
struct key_run {
	bool encipher;
	unsigned block_bits;
	uint64_t file_block, count;
	const uint8_t *in;
	uint8_t *out;
};
/* Encipher or decipher them with a cipher of the key: its own, or a worker's. False when libcrypto fails. */
bool file_key_run(const struct file_key *key, struct cipher *cipher, const struct key_run *run);
/* Encipher or decipher @count blocks of contents from @file_block on; @in may be @out. NOMEM when libcrypto fails. */
int file_key_blocks(struct f2fs_volume *vol, struct file_key *key, bool encipher, uint64_t file_block,
		    const uint8_t *in, uint8_t *out, uint64_t count);
/* The same for a name or link target of @n bytes, CIPHER_BLOCK at least. */
int file_key_name(struct f2fs_volume *vol, struct file_key *key, bool encipher, const uint8_t *in, uint8_t *out,
		  size_t n);

#endif
