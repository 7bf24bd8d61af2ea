/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names and link targets of encrypted directories: in clear with the key, in the form that fscrypt presents without
 * it, and enciphered for the way in (FORMAT files 5.8, 9.1).
 */
#include <string.h>

#include "base/utf8.h"

#include "base/error.h"
#include "base/namehash.h"
#include "base/nokey.h"
#include "base/part.h"
#include "base/unicode.h"
#include "file/crypto.h"
#include "file/crypto_name.h"
#include "format/dentry.h"
#include "volume/key_use.h"

int crypto_present_name(struct f2fs_volume *vol, uint32_t hash, const uint8_t *raw, size_t raw_len, char *text,
			size_t room, size_t *length)
{
	char name[NOKEY_TEXT_MAX];
	size_t n = nokey_encode(hash, 0, raw, raw_len, name);

	if (n == 0)
		return error_nomem(vol->ctx);
	if (n >= room)
		return error_set(vol->ctx, F2FS_ERR_RANGE, "the name has %u bytes", (unsigned)n);
	memcpy(text, name, n);
	text[n] = '\0';
	*length = n;
	return 0;
}

bool crypto_open_name(struct f2fs_volume *vol, struct file_key *key, const uint8_t *raw, size_t raw_len, uint8_t *text,
		      size_t *length)
{
	const uint8_t *end;

	if (raw_len < CIPHER_BLOCK || file_key_name(vol, key, false, raw, text, raw_len) != 0)
		return false;
	end = memchr(text, 0, raw_len);
	*length = end ? (size_t)(end - text) : raw_len;
	for (size_t i = *length; i < raw_len; i++) /* padded with zeros */
		if (text[i] != 0)
			return false;
	return *length > 0;
}

int crypto_judge_name(struct f2fs_volume *vol, struct file_key *key, const uint8_t *raw, size_t raw_len)
{
	uint8_t text[NAME_MAX_BYTES];
	size_t length;

	if (raw_len > sizeof(text) || !crypto_open_name(vol, key, raw, raw_len, text, &length) ||
	    memchr(text, '/', length))
		return -1;
	if (length + 2 <= raw_len)
		return 1;
	for (size_t i = 0; i < length; i++)
		if (text[i] < ' ')
			return -1;
	return utf8_is_valid(text, length) ? 1 : -1;
}

/* Bytes that a name of @length takes when it is enciphered, of at most @most. */
static size_t padded_length(const struct file_key *key, size_t length, size_t most)
{
	const size_t unit = fscrypt_padding(&key->of.context);
	size_t n = length < CIPHER_BLOCK ? CIPHER_BLOCK : length;

	n = (n + unit - 1) / unit * unit;
	return n < most ? n : most;
}

int crypto_hide(struct f2fs_volume *vol, struct file_key *key, const uint8_t *name, size_t length, uint8_t *out,
		size_t most, size_t *hidden)
{
	*hidden = padded_length(key, length, most);
	memcpy(out, name, length);
	memset(out + length, 0, *hidden - length);
	return file_key_name(vol, key, true, out, out, *hidden);
}

int crypto_hash_folded(struct f2fs_volume *vol, const struct file_key *key, const uint8_t *name, size_t length,
		       uint32_t *hash)
{
	uint8_t fold[UNICODE_WHOLE_MAX];
	size_t fold_len;
	enum unicode_result result;

	if (!key->has_dirhash)
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED, "casefolded directories need a policy of version 2");
	result = unicode_casefold(name, length, fold, &fold_len);
	if (result == UNICODE_UNAVAILABLE)
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED, "cannot fold the name's case: %s",
				 part_why_not(PART_CASEFOLD));
	*hash = (uint32_t)(result == UNICODE_OK ? siphash24(key->dirhash, fold, fold_len) :
						  siphash24(key->dirhash, name, length));
	return 0;
}
