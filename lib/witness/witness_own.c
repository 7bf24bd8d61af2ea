/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the names that inodes remember, and find the directories where these names were.
 */
#include <string.h>

#include "base/error.h"
#include "volume/block_read.h"
#include "witness/witness.h"
#include "witness/witness_own.h"

bool witness_own_name(struct checker *c, const struct inode_fact *dir, f2fs_nid_t ino, struct own_name *out)
{
	const struct nid_fact *fact = facts_nid(&c->facts, ino);
	const struct inode_fact *inode = facts_inode(&c->facts, ino);
	const bool is_cipher = (dir->advise & FLAG_i_advise_encrypt) != 0;
	const uint8_t *block;

	if (!inode || !fact || inode->pino != dir->ino)
		return false;
	if (volume_peek(c->vol, fact->addr, &block) != 0) {
		error_clear(c->ctx);
		return false;
	}
	out->length = inode_i_namelen(block);
	if (out->length == 0 || out->length > NAME_MAX_BYTES ||
	    ((inode_i_advise(block) & FLAG_i_advise_enc_name) != 0) != is_cipher)
		return false;
	memcpy(out->bytes, inode_i_name(block), out->length);
	return true;
}

bool witness_is_own_name(struct checker *c, const struct inode_fact *dir, f2fs_nid_t ino, const struct dentry_ref *ref)
{
	struct own_name name;

	return witness_own_name(c, dir, ino, &name) && name.length == ref->name_len &&
	       memcmp(name.bytes, ref->name, ref->name_len) == 0;
}

const struct inode_fact *witness_home(const struct checker *c, const struct inode_fact *inode)
{
	const struct inode_fact *home = facts_dir(&c->facts, inode->pino);

	if (!home || home == inode || !(home->state & INODE_REACHED) || (home->state & INODE_ORPHAN))
		return NULL;
	return witness_may_contain(home, inode) ? home : NULL;
}

bool witness_may_contain(const struct inode_fact *dir, const struct inode_fact *inode)
{
	return !(dir->advise & FLAG_i_advise_encrypt) || !inode_fact_has_contents(inode) ||
	       ((inode->advise & FLAG_i_advise_encrypt) && inode->policy == dir->policy);
}
