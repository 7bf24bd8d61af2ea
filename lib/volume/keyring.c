/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys that were added to a volume: adding, naming, removing; and from them the keys of files, of which the last few
 * are kept (FORMAT files 9.1).
 */
#include "volume/keyring.h"

#include <string.h>

#include "base/bytes.h"
#include "base/cipher_engine.h"
#include "base/cipher_row.h"
#include "base/error.h"
#include "base/part.h"
#include "base/sha.h"
#include "volume/key_team.h"

#define CACHED 32u /* keys of files */

/* Context bytes of the key derivation. */
enum {
	DERIVE_IDENTIFIER = 1,
	DERIVE_FILE = 2,
	DERIVE_DIRECT = 3,
	DERIVE_LBLK_64 = 4,
	DERIVE_DIRHASH = 5,
	DERIVE_LBLK_32 = 6,
	DERIVE_INO_HASH = 7,
};

#define DERIVE_EXTRA_MAX 17 /* a mode and a UUID */

struct keyring {
	struct vec masters;	  /* struct master_key */
	struct file_key *cached[CACHED];
	struct key_team *team;
	bool has_asked; /* for a team */
};

static void forget_key(struct f2fs_volume *vol, struct file_key *key)
{
	for (unsigned i = 0; i < key->beside_count; i++)
		cipher_fini(&key->beside[i]);
	mem_free(vol->ctx, key->beside);
	cipher_fini(&key->cipher);
	cipher_wipe(key, sizeof(*key));
}

static void forget_files(struct f2fs_volume *vol)
{
	for (unsigned i = 0; i < CACHED; i++) {
		struct file_key *key = vol->keyring->cached[i];

		vol->keyring->cached[i] = NULL;
		if (!key)
			continue;
		forget_key(vol, key);
		mem_free(vol->ctx, key);
	}
}

void keyring_drop(struct f2fs_volume *vol)
{
	struct keyring *ring = vol->keyring;

	if (!ring)
		return;
	key_team_free(vol, ring->team);
	forget_files(vol);
	if (ring->masters.count)
		cipher_wipe(vec_at(&ring->masters, 0), ring->masters.count * sizeof(struct master_key));
	vec_fini(&ring->masters);
	mem_free(vol->ctx, ring);
	vol->keyring = NULL;
}

unsigned keyring_count(const struct f2fs_volume *vol)
{
	return vol->keyring ? (unsigned)vol->keyring->masters.count : 0;
}

struct key_team *keyring_team(struct f2fs_volume *vol)
{
	struct keyring *ring = vol->keyring;

	if (!ring->has_asked && key_team_new(vol, &ring->team) != 0)
		error_clear(vol->ctx); /* it goes without */
	ring->has_asked = true;
	return ring->team;
}

static struct master_key *master_at(const struct f2fs_volume *vol, unsigned i)
{
	return vec_at(&vol->keyring->masters, i);
}

static bool has_name(const struct master_key *key, const uint8_t *name, size_t length)
{
	if (length == F2FS_KEY_DESCRIPTOR)
		return memcmp(key->about.descriptor, name, length) == 0;
	return length == F2FS_KEY_IDENTIFIER && memcmp(key->about.identifier, name, length) == 0;
}

static struct master_key *find_master(const struct f2fs_volume *vol, const uint8_t *name, size_t length)
{
	for (unsigned i = 0; i < keyring_count(vol); i++)
		if (has_name(master_at(vol, i), name, length))
			return master_at(vol, i);
	return NULL;
}

bool keyring_has(const struct f2fs_volume *vol, const struct fscrypt_context *context)
{
	return find_master(vol, context->key_id, context->key_id_size) != NULL;
}

enum key_fit keyring_fit(const struct f2fs_volume *vol, const struct fscrypt_context *context)
{
	const struct master_key *key = find_master(vol, context->key_id, context->key_id_size);

	if (!key)
		return KEY_UNTRIED;
	if (context->version != 1 || key->readable)
		return KEY_FITS;
	return key->unreadable < 2 ? KEY_UNTRIED : KEY_WRONG; /* one may be damaged */
}

void keyring_learn(struct f2fs_volume *vol, const struct fscrypt_context *context, uint32_t readable,
		   uint32_t unreadable)
{
	struct master_key *key = find_master(vol, context->key_id, context->key_id_size);

	if (!key)
		return;
	key->readable += readable;
	key->unreadable += unreadable;
}

/* Expand a key of version 2. */
static bool expand(const struct master_key *master, uint8_t purpose, const uint8_t *extra, size_t extra_size,
		   uint8_t *out, size_t size)
{
	uint8_t info[9 + DERIVE_EXTRA_MAX] = "fscrypt";

	info[8] = purpose;
	if (extra_size)
		memcpy(info + 9, extra, extra_size);
	return hkdf_expand(master->prk, info, 9 + extra_size, out, size);
}

/* ---- adding and removing */

bool key_descriptor(const uint8_t *key, size_t length, uint8_t descriptor[F2FS_KEY_DESCRIPTOR])
{
	uint8_t once[SHA_MAX_SIZE], twice[SHA_MAX_SIZE];
	const bool done = sha_digest(SHA_512, key, length, once) == 0 &&
			  sha_digest(SHA_512, once, sizeof(once), twice) == 0;

	cipher_wipe(once, sizeof(once));
	if (done)
		memcpy(descriptor, twice, F2FS_KEY_DESCRIPTOR);
	return done;
}

static int fill_master(struct f2fs_volume *vol, struct master_key *key, const uint8_t *name, size_t name_length)
{
	if (!hkdf_extract(key->raw, key->about.size, key->prk) ||
	    !expand(key, DERIVE_IDENTIFIER, NULL, 0, key->about.identifier, F2FS_KEY_IDENTIFIER) ||
	    !key_descriptor(key->raw, key->about.size, key->about.descriptor))
		return error_nomem(vol->ctx);
	if (name_length == F2FS_KEY_DESCRIPTOR)
		memcpy(key->about.descriptor, name, name_length);
	else if (name_length && memcmp(key->about.identifier, name, name_length) != 0)
		return error_set(vol->ctx, F2FS_ERR_INVALID,
				 "the key is not the one of this identifier: each key has its own");
	return 0;
}

static int need_ring(struct f2fs_volume *vol)
{
	if (vol->keyring)
		return 0;
	vol->keyring = mem_zalloc(vol->ctx, sizeof(*vol->keyring));
	if (!vol->keyring)
		return F2FS_ERR_NOMEM;
	vec_init(&vol->keyring->masters, vol->ctx, sizeof(struct master_key));
	return 0;
}

static bool is_there(const struct f2fs_volume *vol, const struct master_key *key)
{
	for (unsigned i = 0; i < keyring_count(vol); i++)
		if (memcmp(&master_at(vol, i)->about, &key->about, sizeof(key->about)) == 0)
			return true;
	return false;
}

/* Growing moves the keys, so the old array is wiped. */
static int push_master(struct f2fs_volume *vol, const struct master_key *key)
{
	struct vec *old = &vol->keyring->masters, more;
	struct master_key *slots;

	if (is_there(vol, key))
		return 0;
	vec_init(&more, vol->ctx, sizeof(*key));
	slots = vec_push(&more, old->count + 1);
	if (!slots)
		return F2FS_ERR_NOMEM;
	if (old->count) {
		memcpy(slots, vec_at(old, 0), old->count * sizeof(*key));
		cipher_wipe(vec_at(old, 0), old->count * sizeof(*key));
	}
	slots[old->count] = *key;
	vec_fini(old);
	*old = more;
	return 0;
}

int keyring_copy(struct f2fs_volume *vol, const struct f2fs_volume *from)
{
	int err = keyring_count(from) ? need_ring(vol) : 0;

	for (unsigned i = 0; i < keyring_count(from) && !err; i++)
		err = push_master(vol, master_at(from, i));
	return err;
}

int keyring_add(struct f2fs_volume *vol, const void *key, size_t length, const uint8_t *name, size_t name_length,
		struct f2fs_key *out)
{
	struct master_key master = { .about.size = (uint32_t)length };
	int err;

	if (!cipher_is_built())
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED, "keys are of no use: %s", part_why_not(PART_CRYPTO));
	if (length < F2FS_KEY_MIN || length > F2FS_KEY_MAX)
		return error_set(vol->ctx, F2FS_ERR_RANGE, "a key has %u to %u bytes, not %llu", F2FS_KEY_MIN,
				 F2FS_KEY_MAX, (unsigned long long)length);
	if (name_length && name_length != F2FS_KEY_DESCRIPTOR && name_length != F2FS_KEY_IDENTIFIER)
		return error_set(vol->ctx, F2FS_ERR_RANGE, "keys are named by %u or %u bytes, not %llu",
				 F2FS_KEY_DESCRIPTOR, F2FS_KEY_IDENTIFIER, (unsigned long long)name_length);
	memcpy(master.raw, key, length);
	err = fill_master(vol, &master, name, name_length);
	if (!err)
		err = need_ring(vol);
	if (!err)
		err = push_master(vol, &master);
	if (!err && out)
		*out = master.about;
	cipher_wipe(&master, sizeof(master));
	return err;
}

int f2fs_volume_add_key(struct f2fs_volume *vol, const void *key, size_t length, const uint8_t *name,
			size_t name_length, struct f2fs_key *out)
{
	error_clear(vol->ctx);
	return keyring_add(vol, key, length, name, name_length, out);
}

int f2fs_volume_remove_key(struct f2fs_volume *vol, const uint8_t *name, size_t name_length)
{
	unsigned kept = 0;
	const unsigned count = keyring_count(vol);

	error_clear(vol->ctx);
	if (!find_master(vol, name, name_length))
		return error_set(vol->ctx, F2FS_ERR_NOT_FOUND, "no key of this name was added");
	if (vol->txn)
		return error_set(vol->ctx, F2FS_ERR_STATE, "a transaction runs, and its changes may need the key");
	forget_files(vol);
	for (unsigned i = 0; i < count; i++)
		if (!has_name(master_at(vol, i), name, name_length))
			*master_at(vol, kept++) = *master_at(vol, i);
	cipher_wipe(master_at(vol, kept), (count - kept) * sizeof(struct master_key));
	vol->keyring->masters.count = kept;
	vol->generation++; /* decompressed contents are forgotten */
	return 0;
}

int f2fs_volume_key_at(struct f2fs_volume *vol, unsigned index, struct f2fs_key *out)
{
	error_clear(vol->ctx);
	if (index >= keyring_count(vol))
		return error_set(vol->ctx, F2FS_ERR_NOT_FOUND, "there is no key number %u", index);
	*out = master_at(vol, index)->about;
	return 0;
}

/* ---- keys of files */

/* Version 1: the master key, enciphered with the nonce as the key. */
static bool encipher_master(const struct master_key *master, const struct fscrypt_context *context, uint8_t *out,
			    size_t size)
{
	enum cipher_result result;
	void *engine = engine_new("AES-128-ECB", context->nonce, true, &result);
	const bool done = engine && engine_run(engine, NULL, master->raw, out, size);

	engine_free(engine);
	return done;
}

/* The key for a mode that all files of a policy share. */
static bool derive_shared(const struct f2fs_volume *vol, const struct master_key *master, uint8_t purpose,
			  unsigned mode, uint8_t *out, size_t size)
{
	uint8_t extra[DERIVE_EXTRA_MAX] = { (uint8_t)mode };

	memcpy(extra + 1, sb_uuid(vol->sb), 16);
	return expand(master, purpose, extra, purpose == DERIVE_DIRECT ? 1 : sizeof(extra), out, size);
}

static bool derive(const struct f2fs_volume *vol, const struct master_key *master, const struct context_of *of,
		   unsigned mode, uint8_t *out)
{
	const struct fscrypt_context *context = &of->context;
	const size_t size = cipher_key_size(mode);

	if (context->version == 1 && (context->flags & FSCRYPT_FLAG_DIRECT_KEY)) {
		memcpy(out, master->raw, size);
		return true;
	}
	if (context->version == 1)
		return encipher_master(master, context, out, size);
	if (context->flags & FSCRYPT_FLAG_DIRECT_KEY)
		return derive_shared(vol, master, DERIVE_DIRECT, mode, out, size);
	if (context->flags & FSCRYPT_FLAG_IV_INO_LBLK_64)
		return derive_shared(vol, master, DERIVE_LBLK_64, mode, out, size);
	if (context->flags & FSCRYPT_FLAG_IV_INO_LBLK_32)
		return derive_shared(vol, master, DERIVE_LBLK_32, mode, out, size);
	return expand(master, DERIVE_FILE, context->nonce, FSCRYPT_NONCE_SIZE, out, size);
}

/* What else of version 2 comes from the master key. */
static bool derive_hashes(const struct master_key *master, struct file_key *key)
{
	const struct fscrypt_context *context = &key->of.context;
	uint8_t hash_key[SIPHASH_KEY_SIZE], number[8];

	if (context->version < 2)
		return true;
	if (context->flags & FSCRYPT_FLAG_IV_INO_LBLK_32) {
		if (!expand(master, DERIVE_INO_HASH, NULL, 0, hash_key, sizeof(hash_key)))
			return false;
		put_le64(number, key->of.ino);
		key->ino_hash = (uint32_t)siphash24(hash_key, number, sizeof(number));
	}
	key->has_dirhash = !key->of.is_contents;
	return !key->has_dirhash ||
	       expand(master, DERIVE_DIRHASH, context->nonce, FSCRYPT_NONCE_SIZE, key->dirhash, sizeof(key->dirhash));
}

static int make_cipher(struct f2fs_volume *vol, const struct master_key *master, unsigned mode, struct file_key *key)
{
	uint8_t bytes[CIPHER_KEY_MAX];
	enum cipher_result result = CIPHER_FAILED;

	if (derive_hashes(master, key) && derive(vol, master, &key->of, mode, bytes))
		result = cipher_init(vol->ctx, &key->cipher, mode, bytes);
	cipher_wipe(bytes, sizeof(bytes));
	if (result == CIPHER_UNAVAILABLE)
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "inode %u is encrypted with %s, which libcrypto does not offer", (unsigned)key->of.ino,
				 fscrypt_mode_name(mode));
	return result == CIPHER_OK ? 0 : error_nomem(vol->ctx);
}

static int check_policy(struct f2fs_volume *vol, const struct context_of *of, const struct master_key *master,
			unsigned mode)
{
	const char *why = fscrypt_check(&of->context, vol->geo.block_bits);

	if (why)
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "no kernel takes the encryption policy of inode %u: %s", (unsigned)of->ino, why);
	if (of->context.version == 1 && master->about.size < cipher_key_size(mode))
		return error_set(vol->ctx, F2FS_ERR_INVALID,
				 "the key that inode %u names has %u bytes, its cipher needs %u: it is a wrong key",
				 (unsigned)of->ino, (unsigned)master->about.size, (unsigned)cipher_key_size(mode));
	return 0;
}

static bool is_same(const struct context_of *a, const struct context_of *b)
{
	return a->ino == b->ino && a->is_contents == b->is_contents &&
	       memcmp(&a->context, &b->context, sizeof(a->context)) == 0;
}

/* Make room for the key of an inode. */
static struct file_key *take_slot(struct f2fs_volume *vol, struct file_key **slot)
{
	if (*slot)
		forget_key(vol, *slot);
	else
		*slot = mem_zalloc(vol->ctx, sizeof(**slot));
	return *slot;
}

int keyring_find(struct f2fs_volume *vol, const struct context_of *of, struct file_key **out)
{
	const unsigned mode = of->is_contents ? of->context.contents_mode : of->context.filenames_mode;
	const struct master_key *master = find_master(vol, of->context.key_id, of->context.key_id_size);
	struct file_key **slot;
	int err;

	*out = NULL;
	if (!master)
		return 0;
	slot = &vol->keyring->cached[of->ino % CACHED];
	if (*slot && (*slot)->cipher.row && is_same(&(*slot)->of, of)) {
		*out = *slot;
		return 0;
	}
	err = check_policy(vol, of, master, mode);
	if (err)
		return err;
	if (!take_slot(vol, slot))
		return F2FS_ERR_NOMEM;
	(*slot)->of = *of;
	err = make_cipher(vol, master, mode, *slot);
	if (!err)
		*out = *slot;
	return err;
}
