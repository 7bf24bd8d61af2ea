/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Put the names back that inodes remember. A name in an encrypted directory is ciphertext. It is put back as it is
 * stored, which needs no key: an inode remembers the ciphertext, and the hash, too, if it takes the key to compute it.
 */
#include <string.h>

#include "base/error.h"
#include "facts/dir_judge.h"
#include "file/dir_write.h"
#include "file/winode.h"
#include "repair/repair_dirs.h"
#include "repair/repair_left.h"
#include "repair/repair_names.h"
#include "volume/block_read.h"
#include "witness/witness_own.h"

/* Read the name that an inode remembers; of length 0 if there is none. bytes: inode_SIZE_i_name of them. */
static int read_own_name(struct repair *r, f2fs_nid_t ino, uint8_t *bytes, uint32_t *length, bool *is_cipher)
{
	struct winode w;
	const uint8_t *block;
	int err = winode_get(r->vol, ino, &w);

	*length = 0;
	*is_cipher = false;
	if (err)
		return err;
	block = winode_block(&w);
	*is_cipher = (inode_i_advise(block) & FLAG_i_advise_enc_name) != 0;
	if (inode_i_namelen(block) > NAME_MAX_BYTES)
		return 0;
	*length = inode_i_namelen(block);
	memcpy(bytes, inode_i_name(block), inode_SIZE_i_name);
	return 0;
}

int repair_plain_name(struct repair *r, f2fs_nid_t ino, uint8_t *bytes, uint32_t *length)
{
	bool is_cipher;
	int err = read_own_name(r, ino, bytes, length, &is_cipher);

	if (is_cipher)
		*length = 0;
	return err;
}

/* Put the name that an inode remembers into an encrypted directory. A folded one has its hash after the name. */
static int return_cipher(struct repair *r, const struct inode_fact *home, struct wanderer *entry, bool *is_done)
{
	const bool is_folded = (home->iflags & FLAG_i_flags_casefold) != 0;
	struct winode dir;
	int err;

	if (is_folded && entry->length + sizeof(entry->hash) > inode_SIZE_i_name)
		return 0;
	err = winode_get(r->vol, home->ino, &dir);
	if (!err)
		err = dir_hash_stored(&dir, entry->name, entry->length, entry->name + entry->length, &entry->hash);
	return err ? err : repair_insert_cipher(r, entry, is_done);
}

int repair_return_home(struct repair *r, const struct inode_fact *inode, bool *is_done)
{
	const struct inode_fact *home = witness_home(r->c, inode);
	struct wanderer entry = { .ino = inode->ino, .type = inode->type };
	uint32_t length;
	bool is_cipher;
	int err;

	*is_done = false;
	if (!home || !repair_may_write(r, home->ino))
		return 0;
	err = read_own_name(r, inode->ino, entry.name, &length, &is_cipher);
	if (err || length == 0 || is_cipher != ((home->advise & FLAG_i_advise_encrypt) != 0))
		return err;
	entry.dir = home->ino;
	entry.length = (uint8_t)length;
	if (is_cipher)
		return return_cipher(r, home, &entry, is_done);
	*is_done = true;
	return repair_insert(r, home->ino, entry.name, length, inode->ino, inode->type);
}
