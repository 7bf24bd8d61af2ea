/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on encryption contexts that cannot be used. A context is a policy and a random number. The number stands nowhere
 * else, but all entries of an encrypted directory have the policy of the directory. So the policy of a relative finds
 * the context among the attributes, and replaces all of it but the number.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "format/fscrypt.h"
#include "format/xattr.h"
#include "volume/block_read.h"
#include "witness/witness.h"
#include "witness/witness_contexts.h"

#define NAME_BYTES 1u	/* the attribute is called "c" */
#define LIKE_BITS 8u	/* of a policy may be wrong where the head of the attribute is, too */
#define MOST_SOUGHT 256u

/* The attributes of an inode as one string, and where they are. */
struct string {
	uint8_t *bytes;
	uint32_t size, inside; /* bytes, and how many of them are in the inode */
	f2fs_blk_t inode, node;
	uint32_t offset; /* in the inode's block */
};

static int read_string(struct checker *c, f2fs_nid_t ino, struct string *out)
{
	const struct nid_fact *fact = facts_nid(&c->facts, ino), *node = NULL;
	struct nid_fact room;
	struct inode_layout layout;
	const uint8_t *block;
	int err = volume_peek(c->vol, fact->addr, &block);

	memset(out, 0, sizeof(*out));
	if (err)
		return err;
	inode_layout(c->geo, block, &layout);
	if (inode_i_xattr_nid(block))
		node = facts_find_nid(&c->facts, inode_i_xattr_nid(block), &room);
	if (node && (!(node->flags & FACT_KEPT) || node->parent != ino))
		node = NULL;
	*out = (struct string){ .inside = layout.xattr_size,
				.size = layout.xattr_size + (node ? node_bytes(c->geo) : 0),
				.inode = fact->addr,
				.node = node ? node->addr : 0,
				.offset = layout.xattr_offset };
	out->bytes = mem_zalloc(c->ctx, (size_t)out->size + 1);
	if (!out->bytes)
		return F2FS_ERR_NOMEM;
	memcpy(out->bytes, block + layout.xattr_offset, out->inside);
	if (node)
		err = volume_peek(c->vol, node->addr, &block);
	if (!err && node)
		memcpy(out->bytes + out->inside, block, out->size - out->inside);
	return err;
}

int witness_read_context(struct checker *c, f2fs_nid_t ino, uint8_t *value, uint32_t *size)
{
	struct xattr_ref ref;
	struct string string;
	uint32_t offset = 0;
	int err = read_string(c, ino, &string);

	*size = 0;
	while (!err && string.size > xhead_SIZE && *size == 0 &&
	       xattr_next(string.bytes, string.size, &offset, &ref) == XATTR_FOUND)
		if (ref.index == XATTR_ENCRYPTION && ref.value_size <= FSCRYPT_CONTEXT_MAX) {
			memcpy(value, ref.value, ref.value_size);
			*size = ref.value_size;
		}
	mem_free(c->ctx, string.bytes);
	return err;
}

static unsigned bits_apart(const uint8_t *a, const uint8_t *b, uint32_t size)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < size; i++)
		for (unsigned x = a[i] ^ b[i]; x; x &= x - 1)
			count++;
	return count;
}

/* Write the entry of a context at a place where one begins, with the number that is there. */
static void put_context(uint8_t *at, const uint8_t *context, uint32_t size)
{
	xentry_set_e_name_index(at, XATTR_ENCRYPTION);
	xentry_set_e_name_len(at, NAME_BYTES);
	xentry_set_e_value_size(at, (uint16_t)size);
	at[xentry_SIZE] = 'c';
	memcpy(at + xentry_SIZE + NAME_BYTES, context, size - FSCRYPT_NONCE_SIZE);
}

static bool has_right_head(const uint8_t *at, uint32_t size)
{
	return xentry_e_name_index(at) == XATTR_ENCRYPTION && xentry_e_name_len(at) == NAME_BYTES &&
	       xentry_e_value_size(at) == size;
}

/* Find the context among the attributes, and put all but its number right; false: it is not there. */
static bool restore(struct string *string, const uint8_t *context, uint32_t size)
{
	const uint32_t before = (uint32_t)xentry_SIZE + NAME_BYTES;
	enum xattr_scan scan = XATTR_FOUND;
	uint32_t offset = 0;
	struct xattr_ref ref;

	while (scan == XATTR_FOUND) {
		const uint32_t start = offset ? offset : (uint32_t)xhead_SIZE;
		uint8_t *at = string->bytes + start;

		if (start + before + size > string->size)
			return false;
		if (has_right_head(at, size) ||
		    bits_apart(at + before, context, size - FSCRYPT_NONCE_SIZE) <= LIKE_BITS) {
			put_le32(string->bytes, XATTR_MAGIC);
			put_context(at, context, size);
			return true;
		}
		scan = xattr_next(string->bytes, string->size, &offset, &ref);
	}
	return false;
}

/* Amend the bytes of a string that differ from what is stored. */
static int amend_string(struct checker *c, const struct string *old, const struct string *right,
			const struct finding *why)
{
	bool is_noted = false;
	int err = 0;

	for (uint32_t i = 0; i < old->size && !err; i++) {
		const bool is_inside = i < old->inside;
		const f2fs_blk_t addr = is_inside ? old->inode : old->node;
		const uint32_t at = is_inside ? old->offset + i : i - old->inside;

		if (old->bytes[i] == right->bytes[i])
			continue;
		err = is_noted ? witness_amend_more(c, addr, at, 1, right->bytes[i])
			       : witness_amend_bytes(c, addr, at, 1, right->bytes[i], why);
		is_noted = true;
	}
	return err;
}

static int vote(struct checker *c, f2fs_nid_t ino, f2fs_nid_t relative)
{
	const struct finding why = {
		.problem = P_ENCRYPT_RESTORED, .nid = ino, .ino = ino, .has_values = 1, .expected = relative
	};
	uint8_t context[FSCRYPT_CONTEXT_MAX];
	struct string old = { 0 }, right;
	uint32_t size;
	int err = witness_read_context(c, relative, context, &size);

	if (!err && size > FSCRYPT_NONCE_SIZE)
		err = read_string(c, ino, &old);
	right = old;
	if (!err && old.bytes) {
		right.bytes = mem_alloc(c->ctx, (size_t)old.size + 1);
		err = right.bytes ? 0 : F2FS_ERR_NOMEM;
	}
	if (!err && old.bytes) {
		memcpy(right.bytes, old.bytes, old.size);
		if (restore(&right, context, size))
			err = amend_string(c, &old, &right, &why);
		mem_free(c->ctx, right.bytes);
	}
	mem_free(c->ctx, old.bytes);
	if (err == F2FS_ERR_IO) {
		error_clear(c->ctx);
		return 0;
	}
	return err;
}

/* The directory of an inode, if its policy is known; else an entry of the inode with a known policy. 0: neither. */
static f2fs_nid_t relative_of(const struct checker *c, const struct map32 *entries, const struct inode_fact *inode)
{
	const struct inode_fact *dir = inode->parent ? facts_dir(&c->facts, inode->parent) : NULL;
	const uint64_t *entry = map32_find(entries, inode->ino);

	if (dir && dir != inode && dir->policy)
		return dir->ino;
	return entry ? (f2fs_nid_t)*entry : 0;
}

/* List an entry with a policy for each encrypted directory without one. */
static int list_entries(const struct checker *c, struct map32 *entries)
{
	int err = 0;

	for (uint32_t i = 0; i < facts_inode_count(&c->facts) && !err; i++) {
		const struct inode_fact *inode = facts_inode_nth(&c->facts, i);
		const struct inode_fact *dir = inode->policy ? facts_dir(&c->facts, inode->parent) : NULL;

		if (dir && !dir->policy && (dir->advise & FLAG_i_advise_encrypt))
			err = map32_set(entries, dir->ino, inode->ino);
	}
	return err;
}

int witness_contexts(struct checker *c)
{
	const size_t count = c->findings.count;
	struct map32 entries;
	unsigned sought = 0;
	int err = 0;

	map32_init(&entries, c->ctx);
	for (size_t i = 0; i < count && !err && sought < MOST_SOUGHT && witness_may_vote(c); i++) {
		const struct finding *f = vec_at(&c->findings, i);
		const struct inode_fact *inode;
		f2fs_nid_t relative;

		if (f->problem != P_ENCRYPT_CONTEXT)
			continue;
		inode = facts_inode(&c->facts, f->ino);
		if (sought++ == 0)
			err = list_entries(c, &entries);
		relative = err || !inode ? 0 : relative_of(c, &entries, inode);
		if (relative)
			err = vote(c, f->ino, relative);
	}
	map32_fini(&entries);
	c->book->votes += c->must_restart;
	return err;
}
