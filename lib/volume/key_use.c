/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Enciphering and deciphering with the key of a file: the ways to number IVs (FORMAT files 9.1).
 */
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "volume/key_use.h"
#include "volume/keyring.h"

static void make_iv(const struct file_key *key, uint64_t index, uint8_t iv[CIPHER_IV_SIZE])
{
	const struct fscrypt_context *context = &key->of.context;

	memset(iv, 0, CIPHER_IV_SIZE);
	if (context->flags & FSCRYPT_FLAG_IV_INO_LBLK_64)
		index |= (uint64_t)key->of.ino << 32;
	else if (context->flags & FSCRYPT_FLAG_IV_INO_LBLK_32)
		index = (uint32_t)(key->ino_hash + index);
	else if (context->flags & FSCRYPT_FLAG_DIRECT_KEY)
		memcpy(iv + 8, context->nonce, FSCRYPT_NONCE_SIZE);
	put_le64(iv, index);
}

bool file_key_run(const struct file_key *key, struct cipher *cipher, const struct key_run *run)
{
	const unsigned data_unit = key->of.context.log_data_unit;
	const unsigned unit_bits = data_unit ? data_unit : run->block_bits, more = run->block_bits - unit_bits;
	const size_t unit = (size_t)1 << unit_bits;
	uint64_t index = run->file_block << more;
	const uint8_t *in = run->in;
	uint8_t *out = run->out, iv[CIPHER_IV_SIZE];

	for (uint64_t n = run->count << more; n > 0; n--) {
		make_iv(key, index++, iv);
		if (!cipher_run(cipher, run->encipher, iv, in, out, unit))
			return false;
		in += unit;
		out += unit;
	}
	return true;
}

int file_key_blocks(struct f2fs_volume *vol, struct file_key *key, bool encipher, uint64_t file_block,
		    const uint8_t *in, uint8_t *out, uint64_t count)
{
	const struct key_run run = { encipher, vol->geo.block_bits, file_block, count, in, out };

	return file_key_run(key, &key->cipher, &run) ? 0 : error_nomem(vol->ctx);
}

int file_key_name(struct f2fs_volume *vol, struct file_key *key, bool encipher, const uint8_t *in, uint8_t *out,
		  size_t n)
{
	uint8_t iv[CIPHER_IV_SIZE];

	make_iv(key, 0, iv);
	return cipher_run(&key->cipher, encipher, iv, in, out, n) ? 0 : error_nomem(vol->ctx);
}
