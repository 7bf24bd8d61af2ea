/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The keys that were added to a volume, and the keys of single files that come from them. Secrets are here only, and
 * are wiped when they are dropped.
 */
#ifndef F2FSKIT_VOLUME_KEYRING_H
#define F2FSKIT_VOLUME_KEYRING_H

#include <f2fskit/key.h>

#include "base/cipher.h"
#include "base/cipher_engine.h"
#include "base/siphash.h"
#include "format/fscrypt.h"
#include "volume/volume.h"

/* A key that was added. */
struct master_key {
	struct f2fs_key about;
	uint8_t raw[F2FS_KEY_MAX];
	uint8_t prk[HKDF_PRK_SIZE]; /* keys of version 2 are expanded from it */
	uint32_t readable, unreadable; /* names that it was tried on; of version 1, whose keys nothing else proves */
};

/* An encryption context as an inode has it, and whose. */
struct context_of {
	struct fscrypt_context context;
	f2fs_nid_t ino;
	bool is_contents; /* a file's contents; else names and link targets */
};

/* The key of one inode, ready for use. */
struct file_key {
	struct context_of of;
	struct cipher cipher;
	struct cipher *beside; /* the same for workers (key_team.h) */
	unsigned beside_count;
	uint32_t ino_hash;		      /* added to the index, with IV_INO_LBLK_32 */
	bool has_dirhash;		      /* version 2: */
	uint8_t dirhash[SIPHASH_KEY_SIZE]; /* of casefolded names */
};

/*
 * Find the key of an inode; *out is NULL when none was added that its policy names. It is valid until the next call.
 * Fails with UNSUPPORTED (modes or flags that no kernel takes, or a cipher that this libcrypto lacks), INVALID (the key
 * is shorter than the policy needs), NOMEM.
 */
int keyring_find(struct f2fs_volume *vol, const struct context_of *of, struct file_key **out);
/* Is a policy's key there? */
bool keyring_has(const struct f2fs_volume *vol, const struct fscrypt_context *context);
/* Does the key of a policy of version 1 make sense of names? Those of version 2 always fit. */
enum key_fit { KEY_UNTRIED, KEY_FITS, KEY_WRONG };
enum key_fit keyring_fit(const struct f2fs_volume *vol, const struct fscrypt_context *context);
/* Note that it was tried on this many names. */
void keyring_learn(struct f2fs_volume *vol, const struct fscrypt_context *context, uint32_t readable,
		   uint32_t unreadable);
/* Add all keys of another volume of the context to one that has none. */
int keyring_copy(struct f2fs_volume *vol, const struct f2fs_volume *from);
/* Add a key: f2fs_volume_add_key() without forgetting the last error. */
int keyring_add(struct f2fs_volume *vol, const void *key, size_t length, const uint8_t *name, size_t name_length,
		struct f2fs_key *out);
/* Compute the usual descriptor of a key. False: memory is short, or SHA-512 is not available. */
bool key_descriptor(const uint8_t *key, size_t length, uint8_t descriptor[F2FS_KEY_DESCRIPTOR]);
/* How many keys there are. */
unsigned keyring_count(const struct f2fs_volume *vol);
/* Wipe all keys: the volume is closed. */
void keyring_drop(struct f2fs_volume *vol);

/* Return the workers that read contents in clear, made on first use; NULL: memory is short. */
struct key_team *keyring_team(struct f2fs_volume *vol);

#endif
