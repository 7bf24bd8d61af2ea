/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys from passphrases, as f2fscrypt derives them: a chain of SHA-512 digests, whose exclusive or is the key. The
 * first digest is that of the salt, padded with zeros, and the passphrase. Each further one is that of the digest
 * before and the passphrase.
 */
#include <string.h>

#include "base/cipher.h"
#include "base/error.h"
#include "base/part.h"
#include "base/sha.h"
#include "volume/keyring.h"

enum { ROUNDS = 65535 };

/* What a key is made from. */
struct passphrase {
	const char *text;
	size_t length;
	const uint8_t *salt;
	size_t salt_length;
};

static bool hash_round(struct sha *sha, const void *head, size_t head_length, const struct passphrase *phrase,
		       uint8_t digest[SHA_MAX_SIZE])
{
	return sha_start(sha) == 0 && sha_update(sha, head, head_length) == 0 &&
	       sha_update(sha, phrase->text, phrase->length) == 0 && sha_finish(sha, digest) == 0;
}

static bool stretch(struct sha *sha, const struct passphrase *phrase, uint8_t key[F2FS_KEY_MAX])
{
	uint8_t padded[F2FS_SALT_MAX] = { 0 }, digest[SHA_MAX_SIZE];
	bool done;

	if (phrase->salt_length)
		memcpy(padded, phrase->salt, phrase->salt_length);
	memset(key, 0, F2FS_KEY_MAX);
	done = hash_round(sha, padded, sizeof(padded), phrase, digest);
	for (unsigned i = 0; done && i < ROUNDS; i++) {
		for (unsigned j = 0; j < F2FS_KEY_MAX; j++)
			key[j] ^= digest[j];
		if (i + 1 < ROUNDS)
			done = hash_round(sha, digest, sizeof(digest), phrase, digest);
	}
	cipher_wipe(digest, sizeof(digest));
	return done;
}

static int derive_key(struct f2fs_context *ctx, const struct passphrase *phrase, uint8_t key[F2FS_KEY_MAX],
		      uint8_t descriptor[F2FS_KEY_DESCRIPTOR])
{
	struct sha sha;
	bool done;

	if (!sha_is_available(SHA_512))
		return error_set(ctx, F2FS_ERR_UNSUPPORTED, "passphrases need SHA-512: %s", part_why_not(PART_CRYPTO));
	if (phrase->length > F2FS_PASSPHRASE_MAX)
		return error_set(ctx, F2FS_ERR_RANGE, "a passphrase has at most %u bytes", F2FS_PASSPHRASE_MAX);
	if (phrase->salt_length > F2FS_SALT_MAX)
		return error_set(ctx, F2FS_ERR_RANGE, "a salt has at most %u bytes", F2FS_SALT_MAX);
	if (sha_init(&sha, SHA_512) != 0)
		return error_nomem(ctx);
	done = stretch(&sha, phrase, key) && key_descriptor(key, F2FS_KEY_MAX, descriptor);
	sha_fini(&sha);
	if (done)
		return 0;
	cipher_wipe(key, F2FS_KEY_MAX);
	return error_nomem(ctx);
}

int f2fs_key_from_passphrase(struct f2fs_context *ctx, const char *passphrase, size_t length, const uint8_t *salt,
			     size_t salt_length, uint8_t key[F2FS_KEY_MAX], uint8_t descriptor[F2FS_KEY_DESCRIPTOR])
{
	const struct passphrase phrase = { passphrase, length, salt, salt_length };

	error_clear(ctx);
	return derive_key(ctx, &phrase, key, descriptor);
}

int f2fs_volume_add_passphrase(struct f2fs_volume *vol, const char *passphrase, size_t length, const uint8_t *salt,
			       size_t salt_length, struct f2fs_key *out)
{
	static const uint8_t none[16] = { 0 };
	struct passphrase phrase = { passphrase, length, salt, salt_length };
	uint8_t key[F2FS_KEY_MAX], descriptor[F2FS_KEY_DESCRIPTOR];
	int err;

	error_clear(vol->ctx);
	if (!salt) {
		phrase.salt = sb_encrypt_pw_salt(vol->sb);
		phrase.salt_length = sizeof(none);
		if (!memcmp(phrase.salt, none, sizeof(none)))
			return error_set(vol->ctx, F2FS_ERR_NOT_FOUND,
					 "the volume has no salt: f2fscrypt never asked the kernel for it");
	}
	err = derive_key(vol->ctx, &phrase, key, descriptor);
	if (err)
		return err;
	err = keyring_add(vol, key, sizeof(key), NULL, 0, out);
	cipher_wipe(key, sizeof(key));
	return err;
}
