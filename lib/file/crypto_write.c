/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policies of encryption on the way in: new inodes take that of their directory, with a nonce of their own; names do
 * not cross from one policy to another (FORMAT files 9.1).
 */
#include <f2fskit/key.h>
#include <f2fskit/write.h>
#include <string.h>

#include "base/bytes.h"
#include "file/crypto.h"
#include "file/name.h"
#include "format/xattr.h"

#define TARGET_LENGTH 2 /* bytes of the length before an enciphered target */

/* Store a context; the inode is encrypted from now on. */
static int store(struct winode *w, const struct fscrypt_context *context)
{
	uint8_t *block = winode_block(w), raw[FSCRYPT_CONTEXT_MAX];
	const size_t size = fscrypt_encode(context, raw);

	inode_set_i_advise(block, inode_i_advise(block) | (uint8_t)FLAG_i_advise_encrypt);
	if ((inode_i_mode(block) & MODE_TYPE) == MODE_REG) { /* contents of encrypted files are blocks */
		inode_set_i_inline(block, inode_i_inline(block) & (uint8_t)~FLAG_i_inline_inline_data);
		winode_touch(w);
	}
	node_dirty(w->txn, w->node);
	return xattr_put(w, XATTR_ENCRYPTION, "c", raw, size);
}

static int fresh_nonce(struct f2fs_volume *vol, struct fscrypt_context *context)
{
	if (cipher_random(context->nonce, sizeof(context->nonce)))
		return 0;
	return error_set(vol->ctx, F2FS_ERR_IO, "there are no random numbers to be had");
}

int crypto_inherit(struct winode *parent, struct winode *w)
{
	const uint32_t type = inode_i_mode(winode_block(w)) & MODE_TYPE;
	struct context_of of;
	int err;

	if (!winode_is_encrypted(parent) || (type != MODE_REG && type != MODE_DIR && type != MODE_LNK))
		return 0;
	err = crypto_context_of(parent, &of);
	if (!err)
		err = fresh_nonce(w->txn->vol, &of.context);
	return err ? err : store(w, &of.context);
}

int crypto_hide_target(struct winode *w, const char *target, size_t length, uint8_t **out, size_t *size)
{
	struct f2fs_volume *vol = w->txn->vol;
	const size_t most = vol->geo.block_size - TARGET_LENGTH - 1;
	struct file_key *key;
	int err = crypto_need_for(w, "the target of a symbolic link", &key);

	if (err)
		return err;
	*out = mem_alloc(vol->ctx, vol->geo.block_size);
	if (!*out)
		return F2FS_ERR_NOMEM;
	err = crypto_hide(vol, key, (const uint8_t *)target, length, *out + TARGET_LENGTH, most, size);
	if (err) {
		mem_free(vol->ctx, *out);
		return err;
	}
	put_le16(*out, (uint16_t)*size);
	*size += TARGET_LENGTH;
	return 0;
}

/* Everything but the nonce. */
static bool is_same_policy(const struct fscrypt_context *a, const struct fscrypt_context *b)
{
	struct fscrypt_context other = *b;

	memcpy(other.nonce, a->nonce, sizeof(other.nonce));
	return memcmp(a, &other, sizeof(other)) == 0;
}

int crypto_need_same(struct winode *dir, struct winode *w)
{
	const uint32_t type = inode_i_mode(winode_block(w)) & MODE_TYPE;
	struct context_of above, of;
	int err;

	if (!winode_is_encrypted(dir) || (type != MODE_REG && type != MODE_DIR && type != MODE_LNK))
		return 0;
	if (!winode_is_encrypted(w))
		return error_set(w->txn->vol->ctx, F2FS_ERR_XDEV, "inode %u is not encrypted, the directory is",
				 (unsigned)w->node->nid);
	err = crypto_context_of(dir, &above);
	if (!err)
		err = crypto_context_of(w, &of);
	if (err || is_same_policy(&above.context, &of.context))
		return err;
	return error_set(w->txn->vol->ctx, F2FS_ERR_XDEV, "inode %u and the directory are encrypted by other policies",
			 (unsigned)w->node->nid);
}

/* ---- encrypting a directory */

static int check_dir(struct f2fs_inode *dir, struct winode *w, const struct f2fs_policy *policy)
{
	struct f2fs_context *ctx = dir->vol->ctx;

	if (!geometry_has(&dir->vol->geo, F2FS_FEATURE_ENCRYPT))
		return error_set(ctx, F2FS_ERR_UNSUPPORTED, "the volume does not have the feature encrypt");
	if (!winode_is_dir(w))
		return error_set(ctx, F2FS_ERR_NOT_DIR, "inode %u is not a directory", (unsigned)dir->ino);
	if (dir->ino == dir->vol->geo.root_ino)
		return error_set(ctx, F2FS_ERR_INVALID, "the root directory cannot be encrypted");
	if (winode_is_encrypted(w))
		return error_set(ctx, F2FS_ERR_EXISTS, "directory inode %u is encrypted already", (unsigned)dir->ino);
	if (policy->version == 1 && (inode_i_flags(winode_block(w)) & FLAG_i_flags_casefold))
		return error_set(ctx, F2FS_ERR_INVALID, "casefolded directories need a policy of version 2");
	return dir_need_empty(dir->vol, dir->ino);
}

static int policy_to_context(struct f2fs_volume *vol, const struct f2fs_policy *policy, struct fscrypt_context *out)
{
	const char *why;

	memset(out, 0, sizeof(*out));
	if (policy->version != 1 && policy->version != 2)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "policies have version 1 or 2, not %u",
				 (unsigned)policy->version);
	out->version = policy->version;
	out->contents_mode = policy->contents_mode;
	out->filenames_mode = policy->filenames_mode;
	out->flags = policy->flags;
	out->log_data_unit = policy->log_data_unit;
	out->key_id_size = policy->version == 1 ? F2FS_KEY_DESCRIPTOR : F2FS_KEY_IDENTIFIER;
	memcpy(out->key_id, policy->version == 1 ? policy->key.descriptor : policy->key.identifier, out->key_id_size);
	why = policy->version == 1 && policy->log_data_unit ? "version 1 has no data unit size" :
							      fscrypt_check(out, vol->geo.block_bits);
	return why ? error_set(vol->ctx, F2FS_ERR_INVALID, "no kernel takes this encryption policy: %s", why) : 0;
}

static int encrypt_dir(struct f2fs_inode *dir, const struct f2fs_policy *policy)
{
	struct fscrypt_context context;
	struct file_key *key;
	struct winode w;
	int err = policy_to_context(dir->vol, policy, &context);

	if (!err)
		err = winode_get(dir->vol, dir->ino, &w);
	if (!err)
		err = check_dir(dir, &w, policy);
	if (!err && !keyring_has(dir->vol, &context))
		err = error_set(dir->vol->ctx, F2FS_ERR_ENCRYPTED, "the policy names a key that was not added");
	if (!err)
		err = space_need(w.txn, NAME_BLOCKS);
	if (!err)
		err = fresh_nonce(dir->vol, &context);
	if (!err)
		err = store(&w, &context);
	if (!err) /* can the key do what the policy asks? */
		err = crypto_need_for(&w, "names", &key);
	if (!err)
		winode_stamp(&w, STAMP_CTIME);
	return err;
}

int f2fs_inode_encrypt(struct f2fs_inode *dir, const struct f2fs_policy *policy)
{
	struct change change;
	int err = change_begin_on(&change, dir);

	if (!err)
		err = encrypt_dir(dir, policy);
	return change_end(&change, err);
}
