/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair extended attributes. One wrong bit is turned back. Otherwise the list is kept up to the first bad entry,
 * malformed ACLs and names are left out, and a lost header is written again when attributes follow it.
 */
#include "format/xattr.h"

#include <string.h>

#include "base/acl.h"
#include "facts/xattr_bits.h"
#include "format/fscrypt.h"
#include "log/nodes.h"
#include "repair/repair.h"
#include "repair/repair_left.h"
#include "repair/repair_xattrs.h"

/* Both parts of an inode's attributes: room inside the inode, and the node. */
struct xattr_room {
	struct node *inode, *node; /* node: NULL without one */
	uint8_t *inside;
	uint32_t inside_size, node_size;
	uint8_t *string; /* both as one, and a second one of the same size */
	uint32_t size;
};

static int open_room(struct repair *r, f2fs_nid_t ino, struct xattr_room *x)
{
	struct inode_layout layout;
	f2fs_nid_t nid;
	int err;

	memset(x, 0, sizeof(*x));
	err = node_get(r->txn, ino, &x->inode);
	if (err)
		return err;
	inode_layout(r->geo, x->inode->block, &layout);
	nid = inode_i_xattr_nid(x->inode->block);
	if (nid)
		err = node_get(r->txn, nid, &x->node);
	if (err)
		return err;
	x->inside = x->inode->block + layout.xattr_offset;
	x->inside_size = layout.xattr_size;
	x->node_size = x->node ? node_bytes(r->geo) : 0;
	x->size = x->inside_size + x->node_size;
	x->string = mem_zalloc(r->ctx, (size_t)x->size * 2 + 1);
	if (!x->string)
		return F2FS_ERR_NOMEM;
	memcpy(x->string, x->inside, x->inside_size);
	if (x->node)
		memcpy(x->string + x->inside_size, x->node->block, x->node_size);
	return 0;
}

static bool is_sound(struct repair *r, f2fs_nid_t ino, const struct xattr_ref *ref, unsigned drop)
{
	const size_t room = ACL_COUNT_MAX(ref->value_size);
	struct acl_entry *entries;
	enum acl_result result;
	size_t count;

	if (ref->index == drop || (repair_wanted(r, P_XATTR_FORM, ino) && !xattr_name_is_legal(ref)))
		return false;
	if ((ref->index != XATTR_ACL_ACCESS && ref->index != XATTR_ACL_DEFAULT) || !repair_wanted(r, P_ACL_SHAPE, ino))
		return true;
	entries = mem_calloc(r->ctx, room ? room : 1, sizeof(*entries));
	if (!entries)
		return true; /* is found again */
	result = acl_decode_disk(ref->value, ref->value_size, entries, room, &count);
	mem_free(r->ctx, entries);
	return result == ACL_OK;
}

/* Copy the readable entries into the second string. Returns their number. */
static unsigned copy_entries(struct repair *r, f2fs_nid_t ino, struct xattr_room *x, unsigned drop)
{
	uint8_t *out = x->string + x->size;
	uint32_t offset = 0, end = xhead_SIZE;
	struct xattr_ref ref;
	unsigned n = 0;

	if (x->size < xhead_SIZE)
		return 0;
	put_le32(x->string, XATTR_MAGIC);
	memcpy(out, x->string, xhead_SIZE);
	while (xattr_next(x->string, x->size, &offset, &ref) == XATTR_FOUND) {
		const uint32_t length = (uint32_t)xentry_SIZE + ref.name_len + ref.value_size;

		if (!is_sound(r, ino, &ref, drop) || end + length > x->size)
			continue;
		memcpy(out + end, x->string + ref.offset, length);
		end += (length + 3) & ~3u;
		if (end > x->size)
			end = x->size;
		n++;
	}
	if (n == 0)
		memset(out, 0, x->size);
	return n;
}

/* Write a string back to where it is from, and forget the room. */
static int close_room(struct repair *r, struct xattr_room *x, const uint8_t *string)
{
	memcpy(x->inside, string, x->inside_size);
	node_dirty(r->txn, x->inode);
	if (x->node) {
		memcpy(x->node->block, string + x->inside_size, x->node_size);
		node_dirty(r->txn, x->node);
	}
	mem_free(r->ctx, x->string);
	r->is_changed = true;
	return nodes_trim(r->txn);
}

/* Keep the readable attributes, except those of one index (0: none). */
static int mend(struct repair *r, f2fs_nid_t ino, unsigned drop)
{
	struct xattr_room x;
	int err = open_room(r, ino, &x);

	if (err)
		return err;
	copy_entries(r, ino, &x, drop);
	return close_room(r, &x, x.string + x.size);
}

static int turn_bit(struct repair *r, f2fs_nid_t ino)
{
	struct xattr_room x;
	uint32_t byte;
	int err = open_room(r, ino, &x);

	if (err)
		return err;
	xattr_correct(r->ctx, r->geo, x.string, x.size, inode_i_advise(x.inode->block), &byte);
	return close_room(r, &x, x.string);
}

static int set_advise(struct repair *r, f2fs_nid_t ino, unsigned mark, bool is_set)
{
	const unsigned advise = is_set ? 0u : mark;
	struct inode_fact *dir = facts_dir(&r->c->facts, ino);
	struct node *node;
	int err = node_get(r->txn, ino, &node);

	if (err)
		return err;
	inode_set_i_advise(node->block, (uint8_t)((inode_i_advise(node->block) & ~advise) | (is_set ? mark : 0u)));
	if (dir) /* later steps put no names into a directory that is encrypted */
		dir->advise = inode_i_advise(node->block);
	node_dirty(r->txn, node);
	r->is_changed = true;
	return 0;
}

/*
 * Remove a useless attribute that the kernel keeps about a file. Without it and the mark the file's contents are
 * readable.
 */
static int give_up(struct repair *r, f2fs_nid_t ino, unsigned index, unsigned mark)
{
	int err = mend(r, ino, index);

	return err ? err : set_advise(r, ino, mark, false);
}

/* The context of an inode; *value NULL: it has none. The room has to be closed or dropped. */
static int open_context(struct repair *r, f2fs_nid_t ino, struct xattr_room *x, struct xattr_ref *ref)
{
	uint32_t offset = 0;
	int err = open_room(r, ino, x);

	if (err)
		return err;
	while (x->size > xhead_SIZE && xattr_next(x->string, x->size, &offset, ref) == XATTR_FOUND)
		if (ref->index == XATTR_ENCRYPTION)
			return 0;
	ref->value_size = 0;
	return 0;
}

/* Give an inode the policy of another one; the number that its key depends on stays. */
static int take_policy(struct repair *r, f2fs_nid_t ino, f2fs_nid_t from)
{
	uint8_t policy[FSCRYPT_CONTEXT_MAX];
	struct xattr_room x;
	struct xattr_ref ref;
	uint32_t size;
	int err = open_context(r, from, &x, &ref);

	if (err)
		return err;
	size = ref.value_size <= sizeof(policy) ? ref.value_size : 0;
	memcpy(policy, ref.value, size);
	mem_free(r->ctx, x.string);
	err = open_context(r, ino, &x, &ref);
	if (err)
		return err;
	if (size > FSCRYPT_NONCE_SIZE && ref.value_size == size)
		memcpy(x.string + (ref.value - x.string), policy, size - FSCRYPT_NONCE_SIZE);
	return close_room(r, &x, x.string);
}

/* Is the list open for changes? A list that stays damaged is not rewritten: entries after the damage would be lost. */
static bool is_open(const struct repair *r, f2fs_nid_t ino)
{
	return repair_may_write(r, ino) && repair_wanted(r, P_XATTR_ENTRY, ino) &&
	       repair_wanted(r, P_XATTR_MAGIC, ino) && repair_wanted(r, P_XATTR_BIT, ino);
}

int repair_xattrs(struct repair *r)
{
	int err = 0;

	for (size_t i = 0; i < r->c->findings.count && !err; i++) {
		const struct finding *f = vec_at(&r->c->findings, i);

		if (f->is_left || !is_open(r, f->ino))
			continue;
		if (f->problem == P_XATTR_ENTRY || f->problem == P_XATTR_MAGIC || f->problem == P_ACL_SHAPE ||
		    f->problem == P_XATTR_FORM)
			err = mend(r, f->ino, 0);
		else if (f->problem == P_XATTR_BIT)
			err = turn_bit(r, f->ino);
		else if (f->problem == P_ENCRYPT_MARK)
			err = set_advise(r, f->ino, FLAG_i_advise_encrypt, true);
		else if (f->problem == P_ENCRYPT_CONTEXT)
			err = give_up(r, f->ino, XATTR_ENCRYPTION, FLAG_i_advise_encrypt);
		else if (f->problem == P_ENCRYPT_POLICY)
			err = take_policy(r, f->ino, (f2fs_nid_t)f->expected);
		else if (f->problem == P_VERITY)
			err = give_up(r, f->ino, XATTR_VERITY, FLAG_i_advise_verity);
	}
	return err;
}
