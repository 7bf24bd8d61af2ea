/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The extended attributes of an inode as one string: the list, ACLs, and the two attributes that the kernel keeps for
 * itself, encryption context and place of the verity descriptor.
 */
#include "format/xattr.h"

#include <string.h>

#include "base/acl.h"
#include "facts/crypt_parents.h"
#include "facts/finding.h"
#include "facts/run.h"
#include "facts/xattr_bits.h"
#include "facts/xattr_judge.h"
#include "format/fscrypt.h"

#define MOST_SOUGHT 256u /* lists: to look for one wrong bit takes milliseconds */

static int raise_xattr(struct checker *c, enum problem problem, const struct inode_fact *inode, uint64_t found,
		       const char *text)
{
	return problem_raise(c, &(struct finding){ .problem = (uint16_t)problem,
						   .nid = inode->ino,
						   .ino = inode->ino,
						   .has_values = !text,
						   .found = found,
						   .text = text });
}

static int judge_context(struct checker *c, struct inode_fact *inode, const struct xattr_ref *ref)
{
	struct fscrypt_context context;
	const char *why;

	if (fscrypt_decode(ref->value, ref->value_size, &context) != RULE_NONE)
		return raise_xattr(c, P_ENCRYPT_CONTEXT, inode, 0, "of an unknown form");
	why = fscrypt_check(&context, c->geo->block_bits);
	if (!why)
		inode->policy = crypt_policy(ref->value, ref->value_size);
	if (!why && !(inode->advise & FLAG_i_advise_encrypt)) {
		inode->advise |= FLAG_i_advise_encrypt; /* nothing but encryption makes such a context */
		return raise_xattr(c, P_ENCRYPT_MARK, inode, 0, "");
	}
	return why ? raise_xattr(c, P_ENCRYPT_CONTEXT, inode, 0, why) : 0;
}

static int judge_acl(struct checker *c, const struct inode_fact *inode, const struct xattr_ref *ref)
{
	const size_t room = ACL_COUNT_MAX(ref->value_size);
	struct acl_entry *entries = mem_calloc(c->ctx, room, sizeof(*entries));
	enum acl_result result;
	size_t count;

	if (!entries)
		return F2FS_ERR_NOMEM;
	result = acl_decode_disk(ref->value, ref->value_size, entries, room, &count);
	mem_free(c->ctx, entries);
	return result == ACL_OK ? 0 : raise_xattr(c, P_ACL_SHAPE, inode, 0, acl_result_text(result));
}

static int judge_name(struct checker *c, const struct inode_fact *inode, const struct xattr_ref *ref)
{
	const char *prefix = xattr_prefix(ref->index);
	size_t length;

	if (!prefix)
		return raise_xattr(c, P_XATTR_INDEX, inode, ref->index, NULL);
	length = strlen(prefix) + ref->name_len;
	return xattr_has_name(ref->index) && length > XATTR_NAME_LENGTH ?
		       raise_xattr(c, P_XATTR_NAME, inode, length, NULL) :
		       0;
}

static int judge_one(struct checker *c, struct inode_fact *inode, const struct xattr_ref *ref, bool *has_context,
		     bool *has_verity)
{
	switch (ref->index) {
	case XATTR_ENCRYPTION:
		*has_context = true;
		return judge_context(c, inode, ref);
	case XATTR_VERITY:
		*has_verity = true;
		return 0;
	case XATTR_ACL_ACCESS:
	case XATTR_ACL_DEFAULT:
		return judge_acl(c, inode, ref);
	default:
		return judge_name(c, inode, ref);
	}
}

static int judge_list(struct checker *c, struct inode_fact *inode, const uint8_t *string, uint32_t size,
		      bool *has_context, bool *has_verity)
{
	struct xattr_ref ref;
	uint32_t offset = 0;
	enum xattr_scan found;
	int err = 0;

	if (size < xhead_SIZE || xhead_h_magic(string) != XATTR_MAGIC)
		return is_zero(string, size) ? 0 : raise_xattr(c, P_XATTR_MAGIC, inode, 0, "");
	while (!err && (found = xattr_next(string, size, &offset, &ref)) != XATTR_END) {
		if (found == XATTR_BAD)
			return raise_xattr(c, P_XATTR_ENTRY, inode, offset ? offset : xhead_SIZE, NULL);
		err = xattr_name_is_legal(&ref) ? judge_one(c, inode, &ref, has_context, has_verity)
						: raise_xattr(c, P_XATTR_FORM, inode, ref.offset, NULL);
	}
	if (offset == 0)
		offset = xhead_SIZE;
	if (!err && !is_zero(string + offset, size - offset))
		err = raise_xattr(c, P_XATTR_TAIL, inode, offset, NULL);
	return err;
}

static int judge_string(struct checker *c, struct inode_fact *inode, const uint8_t *string, uint32_t size)
{
	bool has_context = false, has_verity = false;
	int err = size ? judge_list(c, inode, string, size, &has_context, &has_verity) : 0;

	if (!err && (inode->advise & FLAG_i_advise_encrypt) && !has_context)
		err = raise_xattr(c, P_ENCRYPT_CONTEXT, inode, 0, "missing");
	if (!err && (inode->advise & FLAG_i_advise_verity) && !has_verity)
		err = raise_xattr(c, P_VERITY, inode, 0, "the attribute with the descriptor's place is missing");
	return err;
}

int xattrs_judge(struct checker *c, struct inode_fact *inode, const uint8_t *string, uint32_t size)
{
	uint8_t *copy;
	uint32_t byte;
	int err = 0;

	if (size < xhead_SIZE || xattrs_are_sound(c->ctx, c->geo, string, size, inode->advise) ||
	    c->bits_sought++ >= MOST_SOUGHT)
		return judge_string(c, inode, string, size);
	copy = mem_alloc(c->ctx, size);
	if (!copy)
		return F2FS_ERR_NOMEM;
	memcpy(copy, string, size);
	if (xattr_correct(c->ctx, c->geo, copy, size, inode->advise, &byte))
		err = raise_xattr(c, P_XATTR_BIT, inode, byte, NULL);
	if (!err)
		err = judge_string(c, inode, copy, size);
	mem_free(c->ctx, copy);
	return err;
}

bool xattrs_are_absent(const struct f2fs_geometry *geo, const uint8_t *block)
{
	struct inode_layout layout;

	if (inode_i_xattr_nid(block) != 0 ||
	    (inode_i_advise(block) & (FLAG_i_advise_encrypt | FLAG_i_advise_verity)))
		return false;
	inode_layout(geo, block, &layout);
	return is_zero(block + layout.xattr_offset, layout.xattr_size);
}
