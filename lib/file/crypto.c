/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encrypted inodes: find the key. With it contents and names are in clear, without it refused or encoded. New inodes
 * take the policy of their directory, and names do not cross from one policy to another (FORMAT files 9.1).
 */
#include "file/crypto.h"

#include <string.h>

#include "base/bytes.h"
#include "base/cipher_engine.h"
#include "base/error.h"
#include "file/crypto_name.h"
#include "file/inode_sync.h"
#include "file/winode.h"
#include "file/xattr_read.h"
#include "file/xattr_write.h"
#include "format/xattr.h"
#include "log/nodes.h"
#include "volume/block_read.h"
#include "volume/key_team.h"
#include "volume/key_use.h"

#define TARGET_LENGTH 2 /* bytes of the length before an enciphered target */

/* ---- contexts */

static int no_context(struct f2fs_volume *vol, f2fs_nid_t ino, int err)
{
	if (err != F2FS_ERR_NO_ATTR && err != F2FS_ERR_CORRUPT)
		return err;
	return volume_corrupt(vol, RULE_FSCRYPT_CONTEXT, F2FS_NO_BLOCK, ino,
			      "inode %u is encrypted but has no encryption context", (unsigned)ino);
}

static int decode(struct f2fs_volume *vol, const uint8_t *block, f2fs_nid_t ino, const uint8_t *value, size_t size,
		  struct context_of *out)
{
	memset(out, 0, sizeof(*out));
	out->ino = ino;
	out->is_contents = crypto_has_contents(block);
	if (fscrypt_decode(value, size, &out->context) == RULE_NONE)
		return 0;
	return volume_corrupt(vol, RULE_FSCRYPT_CONTEXT, F2FS_NO_BLOCK, ino, "%u bytes", (unsigned)size);
}

/* Get the encryption context of an inode; CORRUPT when it has none that can be read. */
static int get_context(struct f2fs_inode *inode, struct context_of *out)
{
	const uint8_t *value;
	size_t size;
	int err = xattr_find_stored(inode, XATTR_ENCRYPTION, "c", &value, &size);

	if (err)
		return no_context(inode->vol, inode->ino, err);
	return decode(inode->vol, inode->block, inode->ino, value, size, out);
}

/* The same of an inode that is being changed. */
static int get_changed_context(struct winode *w, struct context_of *out)
{
	uint8_t value[FSCRYPT_CONTEXT_MAX];
	size_t size;
	int err = xattr_get_of(w, XATTR_ENCRYPTION, "c", value, sizeof(value), &size);

	if (err)
		return no_context(w->txn->vol, w->node->nid, err);
	return decode(w->txn->vol, winode_block(w), w->node->nid, value, size, out);
}

/* ---- keys */

/* Record that something cannot be deciphered; returns ENCRYPTED. */
static int refuse(struct f2fs_volume *vol, const struct context_of *of, const char *what)
{
	struct error_where where = { .structure = "inode", .nid = of->ino };
	const unsigned keys = keyring_count(vol);
	char policy[200];
	struct text text;

	text_init(&text, policy, sizeof(policy));
	fscrypt_print(&of->context, &text);
	if (keyring_fit(vol, &of->context) == KEY_WRONG)
		return error_at(vol->ctx, F2FS_ERR_ENCRYPTED, &where,
				"%s of inode %u are encrypted and the key given for them is wrong: it decrypts "
				"none of the names (%s)",
				what, (unsigned)of->ino, policy);
	if (keys == 0)
		return error_at(vol->ctx, F2FS_ERR_ENCRYPTED, &where,
				"%s of inode %u are encrypted and no key is at hand (%s)", what, (unsigned)of->ino,
				policy);
	return error_at(vol->ctx, F2FS_ERR_ENCRYPTED, &where,
			"%s of inode %u are encrypted and none of the keys at hand (%u) is the one (%s)", what,
			(unsigned)of->ino, keys, policy);
}

int crypto_refuse(struct f2fs_inode *inode, const char *what)
{
	struct context_of of;
	struct file_key *key;
	int err = get_context(inode, &of);

	if (!err) /* there may be a key that cannot be used */
		err = keyring_find(inode->vol, &of, &key);
	return err ? err : refuse(inode->vol, &of, what);
}

int crypto_find(struct f2fs_inode *inode, struct file_key **out)
{
	struct context_of of;
	int err;

	*out = NULL;
	if (keyring_count(inode->vol) == 0)
		return 0;
	err = get_context(inode, &of);
	if (err == F2FS_ERR_CORRUPT || err == F2FS_ERR_IO) {
		error_clear(inode->vol->ctx);
		return 0;
	}
	if (err)
		return err;
	err = keyring_find(inode->vol, &of, out);
	if (!err && *out && keyring_fit(inode->vol, &of.context) == KEY_WRONG)
		*out = NULL;
	if (err == F2FS_ERR_UNSUPPORTED || err == F2FS_ERR_INVALID) {
		error_clear(inode->vol->ctx);
		return 0;
	}
	return err;
}

int crypto_need(struct f2fs_inode *inode, const char *what, struct file_key **out)
{
	struct context_of of;
	int err = get_context(inode, &of);

	if (!err)
		err = keyring_find(inode->vol, &of, out);
	if (!err && *out && keyring_fit(inode->vol, &of.context) == KEY_WRONG)
		*out = NULL;
	return err || *out ? err : refuse(inode->vol, &of, what);
}

int crypto_need_for(struct winode *w, const char *what, struct file_key **out)
{
	struct context_of of;
	int err = get_changed_context(w, &of);

	if (!err)
		err = keyring_find(w->txn->vol, &of, out);
	if (!err && *out && keyring_fit(w->txn->vol, &of.context) == KEY_WRONG)
		*out = NULL;
	return err || *out ? err : refuse(w->txn->vol, &of, what);
}

int crypto_check_contents(struct f2fs_inode *inode)
{
	struct file_key *key;

	return inode_is_encrypted(inode) ? crypto_need(inode, "contents", &key) : 0;
}

/* ---- contents */

int crypto_open_blocks(struct f2fs_inode *inode, uint64_t file_block, uint8_t *data, uint64_t count)
{
	struct file_key *key;
	int err;

	if (!crypto_has_contents(inode->block))
		return 0;
	err = crypto_need(inode, "contents", &key);
	return err ? err : file_key_blocks(inode->vol, key, false, file_block, data, data, count);
}

int crypto_open_blocks_of(struct winode *w, uint64_t file_block, uint8_t *data, uint64_t count)
{
	struct file_key *key;
	int err;

	if (!crypto_has_contents(winode_block(w)))
		return 0;
	err = crypto_need_for(w, "contents", &key);
	return err ? err : file_key_blocks(w->txn->vol, key, false, file_block, data, data, count);
}

/* A part of one block. */
static int read_part(struct f2fs_inode *inode, struct file_key *key, uint64_t file_block, f2fs_blk_t addr,
		     uint64_t within, uint8_t *buffer, size_t length)
{
	struct f2fs_volume *vol = inode->vol;
	uint8_t *block = mem_alloc(vol->ctx, vol->geo.block_size);
	int err = block ? volume_read(vol, addr, 0, block, vol->geo.block_size) : F2FS_ERR_NOMEM;

	if (!err)
		err = file_key_blocks(vol, key, false, file_block, block, block, 1);
	if (!err)
		memcpy(buffer, block + within, length);
	mem_free(vol->ctx, block);
	return err;
}

int crypto_read(struct f2fs_inode *inode, uint64_t file_block, f2fs_blk_t addr, uint64_t within, uint8_t *buffer,
		size_t length)
{
	const uint32_t bs = inode->vol->geo.block_size;
	struct file_key *key;
	int err = crypto_need(inode, "contents", &key);

	while (!err && length > 0) {
		size_t n = length - length % bs;

		if (within > 0 || n == 0) {
			n = length < bs - within ? length : (size_t)(bs - within);
			err = read_part(inode, key, file_block, addr, within, buffer, n);
		} else {
			err = key_team_read(inode->vol, keyring_team(inode->vol), key,
					    &(struct key_reading){ file_block, addr, buffer, n });
		}
		file_block += (within + n) / bs;
		addr += (f2fs_blk_t)((within + n) / bs);
		within = 0;
		buffer += n;
		length -= n;
	}
	return err;
}

int crypto_seal_part(struct f2fs_inode *inode, uint64_t file_block, const uint8_t *page, uint64_t within,
		     uint8_t *buffer, size_t length)
{
	struct f2fs_volume *vol = inode->vol;
	struct file_key *key;
	uint8_t *block;
	int err = crypto_need(inode, "contents", &key);

	if (err)
		return err;
	block = mem_alloc(vol->ctx, vol->geo.block_size);
	if (!block)
		return F2FS_ERR_NOMEM;
	err = file_key_blocks(vol, key, true, file_block, page, block, 1);
	if (!err)
		memcpy(buffer, block + within, length);
	mem_free(vol->ctx, block);
	return err;
}

int crypto_seal(struct winode *w, uint64_t file_block, const uint8_t *data, uint64_t count, const uint8_t **out)
{
	struct f2fs_volume *vol = w->txn->vol;
	struct file_key *key;
	uint8_t *sealed;
	int err;

	*out = data;
	if (!crypto_has_contents(winode_block(w)))
		return 0;
	err = crypto_need_for(w, "contents", &key);
	if (err)
		return err;
	sealed = mem_alloc(vol->ctx, (size_t)(count << vol->geo.block_bits));
	if (!sealed)
		return F2FS_ERR_NOMEM;
	err = file_key_blocks(vol, key, true, file_block, data, sealed, count);
	if (err)
		mem_free(vol->ctx, sealed);
	else
		*out = sealed;
	return err;
}

void crypto_sealed_free(const struct winode *w, const uint8_t *sealed, const uint8_t *data)
{
	if (sealed != data)
		mem_free(w->txn->vol->ctx, (void *)(uintptr_t)sealed);
}

/* ---- names and link targets that are read */

/* The result of a version 1 key does not show whether it was the right one. */
static int no_name(struct f2fs_inode *inode, const struct file_key *key)
{
	const char *doubt = key->of.context.version == 1 ?
				    ": it is damaged, or the key is not the one that made it (descriptors of version "
				    "1 cannot be checked against keys)" :
				    "";

	return inode_corrupt(inode, RULE_FSCRYPT_NAME, "inode %u%s", (unsigned)inode->ino, doubt);
}

int crypto_show(struct f2fs_inode *inode, uint32_t hash, const uint8_t *raw, size_t raw_len, char *text, size_t room,
		size_t *length)
{
	const bool is_link = inode_type(inode) == MODE_LNK;
	struct file_key *key;
	uint8_t *clear;
	int err = crypto_find(inode, &key);

	if (err)
		return err;
	if (!key)
		return crypto_present_name(inode->vol, hash, raw, raw_len, text, room, length);
	clear = mem_alloc(inode->vol->ctx, raw_len + 1);
	if (!clear)
		return F2FS_ERR_NOMEM;
	if (!crypto_open_name(inode->vol, key, raw, raw_len, clear, length) ||
	    (!is_link && memchr(clear, '/', *length))) {
		err = no_name(inode, key);
	} else if (*length >= room) {
		err = error_set(inode->vol->ctx, F2FS_ERR_RANGE, "the name has %u bytes", (unsigned)*length);
	} else {
		memcpy(text, clear, *length);
		text[*length] = '\0';
	}
	mem_free(inode->vol->ctx, clear);
	return err;
}

/* ---- policies on the way in */

int crypto_store(struct winode *w, const struct fscrypt_context *context)
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

int crypto_fresh_nonce(struct f2fs_volume *vol, struct fscrypt_context *context)
{
	if (cipher_random(context->nonce, sizeof(context->nonce)))
		return 0;
	return error_set(vol->ctx, F2FS_ERR_IO, "the host gives no random numbers");
}

int crypto_inherit(struct winode *parent, struct winode *w)
{
	const uint32_t type = inode_i_mode(winode_block(w)) & MODE_TYPE;
	struct context_of of;
	int err;

	if (!winode_is_encrypted(parent) || (type != MODE_REG && type != MODE_DIR && type != MODE_LNK))
		return 0;
	err = get_changed_context(parent, &of);
	if (!err)
		err = crypto_fresh_nonce(w->txn->vol, &of.context);
	return err ? err : crypto_store(w, &of.context);
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
	err = get_changed_context(dir, &above);
	if (!err)
		err = get_changed_context(w, &of);
	if (err || is_same_policy(&above.context, &of.context))
		return err;
	return error_set(w->txn->vol->ctx, F2FS_ERR_XDEV, "inode %u and the directory are encrypted by other policies",
			 (unsigned)w->node->nid);
}
