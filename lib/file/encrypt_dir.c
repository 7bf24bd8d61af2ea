/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encrypting an empty directory: the policy is checked as the kernel checks it, and stored with a fresh nonce (FORMAT
 * files 9.1).
 */
#include <f2fskit/key.h>
#include <f2fskit/write.h>
#include <string.h>

#include "base/error.h"
#include "file/change.h"
#include "file/crypto.h"
#include "file/dir_read.h"
#include "file/name.h"
#include "file/winode.h"
#include "log/space.h"

static int check_dir(struct f2fs_inode *dir, struct winode *w, const struct f2fs_policy *policy)
{
	struct f2fs_context *ctx = dir->vol->ctx;

	if (!geometry_has(&dir->vol->geo, F2FS_FEAT_ENCRYPT))
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
		err = crypto_fresh_nonce(dir->vol, &context);
	if (!err)
		err = crypto_store(&w, &context);
	if (!err) /* does the key fit the policy? */
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
