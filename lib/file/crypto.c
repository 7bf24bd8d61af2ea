/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encrypted files without their key: names in the form that fscrypt presents, contents refused with the policy named
 * (FORMAT files 9.1).
 */
#include <string.h>

#include "base/nokey.h"
#include "file/object.h"
#include "format/fscrypt.h"
#include "format/xattr.h"

int crypto_present_name(struct f2fs_volume *vol, uint32_t hash, const uint8_t *raw, size_t raw_len, char *text,
			size_t room, size_t *length)
{
	char name[NOKEY_TEXT_MAX];
	size_t n = nokey_encode(hash, 0, raw, raw_len, name);

	if (n == 0)
		return error_nomem(vol->ctx);
	if (n >= room)
		return error_set(vol->ctx, F2FS_ERR_RANGE, "the name has %u bytes", (unsigned)n);
	memcpy(text, name, n);
	text[n] = '\0';
	*length = n;
	return 0;
}

int crypto_refuse(struct f2fs_inode *inode, const char *what)
{
	struct f2fs_volume *vol = inode->vol;
	struct error_where where = { .structure = "inode",
				     .block_plus1 = (uint64_t)inode->addr + 1,
				     .nid = inode->ino };
	struct fscrypt_context context;
	const uint8_t *value;
	char policy[200];
	struct text text;
	size_t size;
	int err = xattr_find_stored(inode, XATTR_ENCRYPTION, "c", &value, &size);

	if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_IO)
		return err;
	if (err)
		return inode_corrupt(inode, RULE_FSCRYPT_CONTEXT, "inode %u is encrypted but has no encryption context",
				     (unsigned)inode->ino);
	if (fscrypt_decode(value, size, &context) != RULE_NONE)
		return inode_corrupt(inode, RULE_FSCRYPT_CONTEXT, "%u bytes", (unsigned)size);
	text_init(&text, policy, sizeof(policy));
	fscrypt_print(&context, &text);
	return error_at(vol->ctx, F2FS_ERR_ENCRYPTED, &where, "%s of inode %u are encrypted and no key is at hand (%s)",
			what, (unsigned)inode->ino, policy);
}
