/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make lost inodes below encrypted directories. An encryption context is a policy, which everything below a directory
 * shares, and a random number of the inode's own. By most policies a file's key depends on that number, so that nobody
 * can decrypt the blocks of a lost inode: they are kept as the contents of an ordinary file. Policies for inline
 * encryption hardware (IV_INO_LBLK_64 and _32) take the inode's number instead. With them the policy of the directory
 * is enough, and any random number does.
 */
#include "witness/inode_cipher.h"

#include "format/fscrypt.h"
#include "witness/inode_attribute.h"
#include "witness/inode_packed.h"
#include "witness/witness_contexts.h"

#define BY_NUMBER (FSCRYPT_FLAG_IV_INO_LBLK_64 | FSCRYPT_FLAG_IV_INO_LBLK_32)

/* Fill in a number that no other inode of the volume has. */
static void make_nonce(const struct builder *b, f2fs_nid_t ino, uint8_t nonce[FSCRYPT_NONCE_SIZE])
{
	memcpy(nonce, sb_uuid(b->c->vol->sb), FSCRYPT_NONCE_SIZE);
	put_le32(nonce, get_le32(nonce) ^ ino);
}

static bool add_context(struct builder *b, f2fs_nid_t ino, struct fscrypt_context *context)
{
	uint8_t value[FSCRYPT_CONTEXT_MAX];
	struct inode_attribute attribute = { .index = XATTR_ENCRYPTION, .name = 'c', .value = value };

	make_nonce(b, ino, context->nonce);
	attribute.size = (uint32_t)fscrypt_encode(context, value);
	return inode_add_attribute(b->c->geo, b->block, &attribute);
}

int inode_cipher(struct builder *b, const struct lost_inode *lost)
{
	struct fscrypt_context context;
	uint8_t value[FSCRYPT_CONTEXT_MAX];
	bool is_packed = false;
	uint32_t size;
	int err = witness_read_context(b->c, lost->dir, value, &size);

	b->cipher = CIPHER_LOST_KEY;
	if (err || fscrypt_decode(value, size, &context) != RULE_NONE || !(context.flags & BY_NUMBER))
		return err;
	err = inode_looks_packed(b, true, &is_packed);
	if (err || is_packed || !add_context(b, lost->nid, &context))
		return err;
	inode_set_i_advise(b->block, inode_i_advise(b->block) | (uint8_t)FLAG_i_advise_encrypt);
	b->cipher = CIPHER_OF_DIRECTORY;
	return 0;
}
