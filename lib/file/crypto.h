/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encrypted inodes: their contexts, their keys as far as they were added, names and contents in clear (FORMAT files
 * 9.1).
 */
#ifndef F2FSKIT_FILE_CRYPTO_H
#define F2FSKIT_FILE_CRYPTO_H

#include "file/write.h"
#include "volume/keyring.h"

struct winode;

/* ---- crypto.c: keys and contents */

/*
 * Find the key of names that are to be shown: NULL when it was not added or cannot be used, or the context is damaged,
 * since names are shown without a key, too. Valid until keys are looked for again. Fails with NOMEM.
 */
int crypto_find(struct f2fs_inode *inode, struct file_key **out);
/*
 * Find an inode's key. Fails with ENCRYPTED when there is none: then @what is unreadable. Else fails as
 * keyring_find().
 */
int crypto_need(struct f2fs_inode *inode, const char *what, struct file_key **out);
/* The same for an inode that is being changed. */
int crypto_need_for(struct winode *w, const char *what, struct file_key **out);
/* May contents of an encrypted file be changed? ENCRYPTED without its key; nothing to ask of other files. */
int crypto_check_contents(struct f2fs_inode *inode);

/* Read bytes of blocks that follow each other on the device, in clear. */
int crypto_read(struct f2fs_inode *inode, uint64_t file_block, f2fs_blk_t addr, uint64_t within, uint8_t *buffer,
		size_t length);
/* Give a part of a block that waits in memory as it is going to be stored. */
int crypto_seal_part(struct f2fs_inode *inode, uint64_t file_block, const uint8_t *page, uint64_t within,
		     uint8_t *buffer, size_t length);
/* Decipher blocks of an inode's contents where they are; other inodes' are clear. */
int crypto_open_blocks(struct f2fs_inode *inode, uint64_t file_block, uint8_t *data, uint64_t count);
/* The same of an inode that is being changed. */
int crypto_open_blocks_of(struct winode *w, uint64_t file_block, uint8_t *data, uint64_t count);
/*
 * Encipher blocks that go to the device: *out is @data itself for contents that are not encrypted, else memory that the
 * caller frees with crypto_sealed_free().
 */
int crypto_seal(struct winode *w, uint64_t file_block, const uint8_t *data, uint64_t count, const uint8_t **out);
void crypto_sealed_free(const struct winode *w, const uint8_t *sealed, const uint8_t *data);

static inline bool winode_is_encrypted(const struct winode *w)
{
	return (inode_i_advise(winode_block(w)) & FLAG_i_advise_encrypt) != 0;
}

/* Are an inode's blocks enciphered as contents? Those of directories are not, link targets are as names. */
static inline bool crypto_has_contents(const uint8_t *block)
{
	return (inode_i_advise(block) & FLAG_i_advise_encrypt) != 0 && (inode_i_mode(block) & MODE_TYPE) == MODE_REG;
}

/* Show a stored name of a directory, or a link target (hash 0): in clear with the key, else as fscrypt presents it. */
int crypto_show(struct f2fs_inode *inode, uint32_t hash, const uint8_t *raw, size_t raw_len, char *text, size_t room,
		size_t *length);
/* ---- crypto_name.c: names and link targets, given the key */

/* ---- crypto.c: policies of new and moved files */

/* Store a context: the inode, which has no contents yet, is encrypted from now on. */
int crypto_store(struct winode *w, const struct fscrypt_context *context);
/* Give a context a nonce of its own; IO when there are no random numbers. */
int crypto_fresh_nonce(struct f2fs_volume *vol, struct fscrypt_context *context);
/* Give a new inode the policy of its directory, if that has one. */
int crypto_inherit(struct winode *parent, struct winode *w);
/* Encipher a link target for storing; *out is the caller's to free. */
int crypto_hide_target(struct winode *w, const char *target, size_t length, uint8_t **out, size_t *size);
/* Fail with XDEV when an inode may not have a name in a directory, by their policies. */
int crypto_need_same(struct winode *dir, struct winode *w);

/* Record that contents cannot be decrypted, with the policy; returns F2FS_ERR_ENCRYPTED. */
int crypto_refuse(struct f2fs_inode *inode, const char *what);

#endif
