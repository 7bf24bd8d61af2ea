/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * No-key names: base64url of hash, minor hash, up to 149 bytes of ciphertext,
 * and, if it is longer, the SHA-256 of the rest.
 */
#include "base/nokey.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sha.h"

#define HEAD 8 /* the two hashes */
#define RAW_MAX (HEAD + NOKEY_BYTES_MAX + NOKEY_DIGEST_SIZE)

size_t nokey_encode(uint32_t hash, uint32_t minor_hash, const uint8_t *cipher, size_t len, char text[NOKEY_TEXT_MAX])
{
	uint8_t raw[RAW_MAX], digest[SHA_MAX_SIZE];
	size_t part = len < NOKEY_BYTES_MAX ? len : NOKEY_BYTES_MAX;
	size_t size = HEAD + part;

	assert(len > 0);
	put_le32(raw, hash);
	put_le32(raw + 4, minor_hash);
	memcpy(raw + HEAD, cipher, part);
	if (len > part) {
		if (sha_digest(SHA_256, cipher + part, len - part, digest) != 0)
			return 0;
		memcpy(raw + size, digest, NOKEY_DIGEST_SIZE);
		size += NOKEY_DIGEST_SIZE;
	}
	return base64_encode(raw, size, text);
}

int nokey_decode(const char *text, size_t len, struct nokey_name *name)
{
	uint8_t raw[RAW_MAX];
	size_t size;

	if (base64_decode(text, len, raw, sizeof(raw), &size) != 0 || size <= HEAD)
		return -1;
	if (size > HEAD + NOKEY_BYTES_MAX && size != RAW_MAX)
		return -1;
	name->hash = get_le32(raw);
	name->minor_hash = get_le32(raw + 4);
	name->has_digest = size == RAW_MAX;
	name->len = name->has_digest ? NOKEY_BYTES_MAX : size - HEAD;
	memcpy(name->bytes, raw + HEAD, name->len);
	if (name->has_digest)
		memcpy(name->digest, raw + HEAD + NOKEY_BYTES_MAX, NOKEY_DIGEST_SIZE);
	return 0;
}

int nokey_matches(const struct nokey_name *name, const uint8_t *cipher, size_t len)
{
	uint8_t digest[SHA_MAX_SIZE];

	if (len < name->len || memcmp(cipher, name->bytes, name->len) != 0)
		return 0;
	if (!name->has_digest || len == name->len)
		return !name->has_digest && len == name->len;
	if (sha_digest(SHA_256, cipher + name->len, len - name->len, digest) != 0)
		return -1;
	return memcmp(digest, name->digest, NOKEY_DIGEST_SIZE) == 0;
}
