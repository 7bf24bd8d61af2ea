/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys of encrypted files (fscrypt). With the key that an encryption policy names, names and contents are read and
 * written in clear; without it everything works as far as ciphertext allows. See FORMAT files 9.1 for the ciphers.
 */
#ifndef F2FSKIT_KEY_H
#define F2FSKIT_KEY_H

#include <f2fskit/volume.h>

#ifdef __cplusplus
extern "C" {
#endif

#define F2FS_KEY_MIN 16u	/* bytes of the shortest key */
#define F2FS_KEY_MAX 64u	/* of the longest */
#define F2FS_KEY_IDENTIFIER 16u /* bytes that name a key in policies of version 2 */
#define F2FS_KEY_DESCRIPTOR 8u	/* bytes that name a key in policies of version 1 */
#define F2FS_PASSPHRASE_MAX 1023u /* bytes of the longest passphrase */
#define F2FS_SALT_MAX 256u	  /* bytes of the longest salt */

/* Names and size of a key that was added. */
struct f2fs_key {
	uint8_t identifier[F2FS_KEY_IDENTIFIER]; /* derived from the key: policies of version 2 name it so */
	uint8_t descriptor[F2FS_KEY_DESCRIPTOR]; /* given, or the first bytes of the SHA-512 of the key's SHA-512 */
	uint32_t size;				 /* bytes of the key */
};

/*
 * Add a key: @length bytes, F2FS_KEY_MIN to F2FS_KEY_MAX, which are copied. @name is its name in policies: NULL
 * (@name_length 0) for the identifier that belongs to the key and, in policies of version 1, the usual descriptor (see
 * struct f2fs_key); F2FS_KEY_DESCRIPTOR bytes for another descriptor; F2FS_KEY_IDENTIFIER bytes to have the key checked
 * against them. Descriptors cannot be checked: a wrong key shows only when directories are read with it. A key that
 * fails to decrypt the first names it is tried on is ignored from then on, and a note says so. @out, which may be NULL,
 * gets the names and size of the key. Adding a key twice changes nothing; added with another descriptor it has both.
 * Fails with RANGE (a length that no key or name has), INVALID (the key is not the one of this identifier), NOMEM,
 * UNSUPPORTED (built without libcrypto).
 */
F2FS_API int f2fs_volume_add_key(struct f2fs_volume *vol, const void *key, size_t length, const uint8_t *name,
				 size_t name_length, struct f2fs_key *out);

/*
 * Derive the key of F2FS_KEY_MAX bytes that f2fscrypt derives from a passphrase of @length bytes, up to
 * F2FS_PASSPHRASE_MAX, and a salt of up to F2FS_SALT_MAX bytes, which is NULL only if @salt_length is 0. @descriptor
 * gets the name that f2fscrypt gives the key. The caller wipes @key. Its cost is 65,535 hashes. Fails with RANGE (a
 * passphrase or salt that is too long), UNSUPPORTED (built without libcrypto), NOMEM.
 */
F2FS_API int f2fs_key_from_passphrase(struct f2fs_context *ctx, const char *passphrase, size_t length,
				      const uint8_t *salt, size_t salt_length, uint8_t key[F2FS_KEY_MAX],
				      uint8_t descriptor[F2FS_KEY_DESCRIPTOR]);

/*
 * Add the key of a passphrase, as f2fs_volume_add_key() does with the usual descriptor. With @salt NULL the salt is
 * that of the volume, which the kernel makes when f2fscrypt first asks for it. @out, which may be NULL, gets the names
 * and size of the key. Fails as f2fs_key_from_passphrase() does, and with NOT_FOUND (the volume has no salt).
 */
F2FS_API int f2fs_volume_add_passphrase(struct f2fs_volume *vol, const char *passphrase, size_t length,
					const uint8_t *salt, size_t salt_length, struct f2fs_key *out);

/*
 * Remove the keys of this descriptor or identifier, and wipe them and all that was derived from them. Fails with STATE
 * while a transaction runs, as its changes may need the key (commit them or roll them back first), and NOT_FOUND when
 * there is none.
 */
F2FS_API int f2fs_volume_remove_key(struct f2fs_volume *vol, const uint8_t *name, size_t name_length);

/* Get key number @index, from 0, in the order of adding. Fails with NOT_FOUND past the last. */
F2FS_API int f2fs_volume_key_at(struct f2fs_volume *vol, unsigned index, struct f2fs_key *out);

struct f2fs_inode;

/* How a directory and everything created in it are encrypted. Numbers as in linux/fscrypt.h; zero the struct first. */
struct f2fs_policy {
	uint8_t version;	/* 1 or 2 */
	uint8_t contents_mode;	/* 1 AES-256-XTS, 5 AES-128-CBC-ESSIV, 7 SM4-XTS, 9 Adiantum */
	uint8_t filenames_mode; /* 4 AES-256-CBC-CTS, 6 AES-128-CBC-CTS, 8 SM4-CBC-CTS, 9 Adiantum, 10 AES-256-HCTR2 */
	uint8_t flags;		/* padding of names: 0..3 for 4, 8, 16, 32; 4 DIRECT_KEY, 8, 16 IV_INO_LBLK_64, _32 */
	uint8_t log_data_unit;	/* version 2: bytes that are encrypted at once, as a power of two; 0: a block */
	struct f2fs_key key;	/* one that was added: its identifier (version 2) or descriptor (version 1) counts */
};

/*
 * Encrypt an empty directory: everything created in it from now on is encrypted. Fails with NOT_DIR, NOT_EMPTY, EXISTS
 * (it is encrypted already), ENCRYPTED (the key was not added), INVALID (a policy that no kernel takes; the root),
 * UNSUPPORTED (the volume lacks the feature encrypt, or libcrypto a cipher), and as all changes do (write.h).
 */
F2FS_API int f2fs_inode_encrypt(struct f2fs_inode *dir, const struct f2fs_policy *policy);

#ifdef __cplusplus
}
#endif

#endif
