/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Store extended attributes: rebuild the whole string, and put it inline as far as it fits, the rest into the
 * xattr node (FORMAT files 7.1).
 */
#include <f2fskit/write.h>
#include <string.h>

#include "base/error.h"
#include "file/winode.h"
#include "file/write.h"
#include "file/xattr_write.h"
#include "format/xattr.h"
#include "log/chain.h"
#include "log/nodes.h"

/* A string being rebuilt. */
struct rebuild {
	struct f2fs_context *ctx;
	uint8_t *bytes;
	uint32_t size, room;
};

static int add_entry(struct rebuild *r, unsigned index, const uint8_t *name, size_t name_len, const uint8_t *value,
		     size_t size)
{
	uint32_t length = (uint32_t)(xentry_SIZE + name_len + size + 3) & ~3u;
	uint8_t *entry = r->bytes + r->size;

	if (size > UINT16_MAX || length > r->room - r->size)
		return error_set(r->ctx, F2FS_ERR_NOSPC, "the attributes of one inode take at most %u bytes",
				 (unsigned)r->room);
	memset(entry, 0, length);
	xentry_set_e_name_index(entry, (uint8_t)index);
	xentry_set_e_name_len(entry, (uint8_t)name_len);
	xentry_set_e_value_size(entry, (uint16_t)size);
	memcpy(entry + xentry_SIZE, name, name_len);
	if (size)
		memcpy(entry + xentry_SIZE + name_len, value, size);
	r->size += length;
	return 0;
}

/* Copy the other attributes from the stored ones. */
static int copy_others(struct rebuild *r, const uint8_t *old, uint32_t old_size, unsigned index, const char *name,
		       bool *found)
{
	const size_t len = strlen(name);
	struct xattr_ref ref;
	uint32_t offset = 0;
	int err = 0;

	*found = false;
	while (!err && old_size && xattr_next(old, old_size, &offset, &ref) == XATTR_FOUND) {
		if (ref.index == index && ref.name_len == len && memcmp(ref.name, name, len) == 0)
			*found = true;
		else
			err = add_entry(r, ref.index, ref.name, ref.name_len, ref.value, ref.value_size);
	}
	return err;
}

/* The xattr node, made or freed as needed. */
static int need_node(struct winode *w, bool needed, struct node **out)
{
	f2fs_nid_t nid = inode_i_xattr_nid(winode_block(w));
	bool is_dir = (inode_i_mode(winode_block(w)) & MODE_TYPE) == MODE_DIR;
	int err = 0;

	*out = NULL;
	if (needed && nid)
		return winode_node(w, nid, XATTR_NODE_OFFSET, out);
	if (needed) {
		err = node_new(w->txn, w->node->nid, XATTR_NODE_OFFSET, is_dir, out);
		if (err)
			return err;
		inode_set_i_xattr_nid(winode_block(w), (*out)->nid);
		err = winode_count(w, 1);
	} else if (nid) {
		err = winode_free_node(w, nid, XATTR_NODE_OFFSET);
		inode_set_i_xattr_nid(winode_block(w), 0);
	}
	return err;
}

/* Put a rebuilt string back; its size is 0 when there are no attributes. */
static int store_string(struct winode *w, const struct rebuild *r)
{
	const struct inode_layout *layout = &w->layout;
	const uint32_t inside = layout->xattr_size, node_size = node_bytes(&w->txn->vol->geo);
	uint32_t first = r->size < inside ? r->size : inside;
	struct node *node;
	int err = need_node(w, r->size > inside, &node);

	if (err)
		return err;
	if (inside) {
		memset(winode_block(w) + layout->xattr_offset, 0, inside);
		memcpy(winode_block(w) + layout->xattr_offset, r->bytes, first);
	}
	if (node) {
		memset(node->block, 0, node_size);
		memcpy(node->block, r->bytes + first, r->size - first);
		node_dirty(w->txn, node);
	}
	winode_touch(w);
	if ((inode_i_mode(winode_block(w)) & MODE_TYPE) == MODE_DIR)
		return chain_note(w->txn, w->node->nid, CHAIN_DIR_XATTR);
	return 0;
}

static int load_old(struct winode *w, uint8_t **old, uint32_t *size)
{
	const uint32_t inside = w->layout.xattr_size, node_size = node_bytes(&w->txn->vol->geo);
	f2fs_nid_t nid = inode_i_xattr_nid(winode_block(w));
	struct node *node;
	int err;

	*size = inside + (nid ? node_size : 0);
	*old = mem_alloc(w->txn->vol->ctx, (size_t)*size + 1);
	if (!*old)
		return F2FS_ERR_NOMEM;
	memcpy(*old, winode_block(w) + w->layout.xattr_offset, inside);
	if (!nid)
		return 0;
	err = winode_node(w, nid, XATTR_NODE_OFFSET, &node);
	if (!err)
		memcpy(*old + inside, node->block, node_size);
	return err;
}

int xattr_get_of(struct winode *w, unsigned index, const char *name, uint8_t *value, size_t room, size_t *size)
{
	const size_t len = strlen(name);
	struct xattr_ref ref;
	uint32_t old_size = 0, offset = 0;
	uint8_t *old = NULL;
	int err = load_old(w, &old, &old_size), found = F2FS_ERR_NO_ATTR;

	while (!err && found && old_size && xattr_next(old, old_size, &offset, &ref) == XATTR_FOUND) {
		if (ref.index != index || ref.name_len != len || memcmp(ref.name, name, len) != 0 ||
		    ref.value_size > room)
			continue;
		memcpy(value, ref.value, ref.value_size);
		*size = ref.value_size;
		found = 0;
	}
	mem_free(w->txn->vol->ctx, old);
	return err ? err : found;
}

int xattr_put(struct winode *w, unsigned index, const char *name, const void *value, size_t size)
{
	struct f2fs_context *ctx = w->txn->vol->ctx;
	struct rebuild r = { .ctx = ctx };
	uint8_t *old = NULL;
	uint32_t old_size = 0;
	bool found = false;
	int err;

	r.room = w->layout.xattr_size + node_bytes(&w->txn->vol->geo);
	r.bytes = mem_zalloc(ctx, r.room);
	err = r.bytes ? load_old(w, &old, &old_size) : F2FS_ERR_NOMEM;
	if (!err) {
		xhead_set_h_magic(r.bytes, XATTR_MAGIC);
		xhead_set_h_refcount(r.bytes, 1);
		r.size = xhead_SIZE;
		err = copy_others(&r, old, old_size, index, name, &found);
	}
	if (!err && value)
		err = add_entry(&r, index, (const uint8_t *)name, strlen(name), value, size);
	else if (!err && !found)
		err = error_set(ctx, F2FS_ERR_NO_ATTR, "inode %u has no such attribute", (unsigned)w->node->nid);
	if (!err && r.size == xhead_SIZE && !value)
		r.size = 0;
	if (!err)
		err = store_string(w, &r);
	mem_free(ctx, r.bytes);
	mem_free(ctx, old);
	return err;
}

int xattr_store(struct winode *w, unsigned index, const char *name, const void *value, size_t size)
{
	int err = xattr_put(w, index, name, value, size);

	if (!err)
		winode_stamp(w, STAMP_CTIME);
	return err;
}
