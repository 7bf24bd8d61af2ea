/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take over the attributes of an inode whose first bytes are lost: they are in other sectors of its block.
 */
#include "witness/inode_rest.h"

#include "format/fscrypt.h"
#include "format/xattr.h"
#include "witness/witness.h"

static bool has_context(const uint8_t *string, uint32_t size)
{
	struct fscrypt_context context;
	struct xattr_ref ref;
	uint32_t offset = 0;

	while (xattr_next(string, size, &offset, &ref) == XATTR_FOUND)
		if (ref.index == XATTR_ENCRYPTION && fscrypt_decode(ref.value, ref.value_size, &context) == RULE_NONE)
			return true;
	return false;
}

int inode_keep_rest(struct builder *b, const struct lost_inode *lost, bool *has_key)
{
	struct checker *c = b->c;
	const struct nid_fact *fact = facts_nid(&c->facts, lost->nid);
	struct inode_layout layout;
	const uint8_t *block;
	int err;

	*has_key = false;
	inode_layout(c->geo, b->block, &layout);
	if (!(fact->flags & FACT_HEADLESS) || layout.xattr_size < xhead_SIZE)
		return 0;
	err = witness_peek(c, fact->addr, &block);
	if (err || !block || get_le32(block + layout.xattr_offset) != XATTR_MAGIC)
		return err;
	memcpy(b->block + layout.xattr_offset, block + layout.xattr_offset, layout.xattr_size);
	*has_key = geometry_has(c->geo, F2FS_FEAT_ENCRYPT) &&
		   has_context(block + layout.xattr_offset, layout.xattr_size);
	if (*has_key)
		inode_set_i_advise(b->block, inode_i_advise(b->block) | FLAG_i_advise_encrypt);
	return 0;
}
