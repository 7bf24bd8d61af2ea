/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Default ACLs: a new inode inherits from its directory as in the kernel (FORMAT files 7.3). The entries of the owner,
 * of others and of the mask (or of the group, if there is no mask) are limited to the requested permissions; the result
 * becomes the access ACL and the permissions. A new directory also gets the default ACL unchanged. Symbolic links get
 * nothing.
 */
#include "base/acl.h"
#include "base/error.h"
#include "file/acl_inherit.h"
#include "file/inode_new.h"
#include "file/inode_sync.h"
#include "file/winode.h"
#include "file/xattr_read.h"
#include "file/xattr_write.h"
#include "format/xattr.h"
#include "log/nodes.h"

/* Has an inode no attributes at all? That is so for most directories, and saves a search. */
static bool has_none(const struct winode *w)
{
	const struct inode_layout *layout = &w->layout;

	return inode_i_xattr_nid(winode_block(w)) == 0 &&
	       (layout->xattr_size < xhead_SIZE ||
		xhead_h_magic(winode_block(w) + layout->xattr_offset) != XATTR_MAGIC);
}

static int decode(struct f2fs_inode *dir, const uint8_t *value, size_t size, struct acl_heritage *out)
{
	struct f2fs_context *ctx = dir->vol->ctx;
	const size_t room = ACL_COUNT_MAX(size);
	enum acl_result result;

	out->entries = mem_calloc(ctx, room + 1, sizeof(*out->entries));
	if (!out->entries)
		return F2FS_ERR_NOMEM;
	result = acl_decode_disk(value, size, out->entries, room, &out->count);
	if (result == ACL_OK && out->count > 0)
		result = acl_check(out->entries, out->count);
	if (result == ACL_OK)
		return 0;
	acl_heritage_drop(dir->vol, out);
	return inode_corrupt(dir, RULE_ACL_SHAPE, "the default ACL of directory %u: %s", (unsigned)dir->ino,
			     acl_result_text(result));
}

int acl_heritage_load(struct f2fs_inode *dir, const struct winode *parent, uint16_t mode, struct acl_heritage *out)
{
	const uint8_t *value;
	size_t size;
	int err;

	out->entries = NULL;
	out->count = 0;
	if ((mode & MODE_TYPE) == MODE_LNK || has_none(parent))
		return 0;
	err = xattr_find_stored(dir, XATTR_ACL_DEFAULT, "", &value, &size);
	if (err == F2FS_ERR_NO_ATTR) {
		error_clear(dir->vol->ctx);
		return 0;
	}
	return err ? err : decode(dir, value, size, out);
}

/* Limit the entries to the permissions and the permissions to the entries. Returns true if the ACL says more than
 * permissions can. */
static bool mask_by_mode(struct acl_entry *entries, size_t count, uint16_t *mode)
{
	struct acl_entry *group = NULL;
	uint16_t left = 0;
	bool more = false;

	for (size_t i = 0; i < count; i++) {
		struct acl_entry *e = &entries[i];

		if (e->tag == ACL_USER_OBJ)
			left |= (uint16_t)((e->perm &= *mode >> 6 & 7) << 6);
		else if (e->tag == ACL_OTHER)
			left |= e->perm &= *mode & 7;
		else if (e->tag == ACL_MASK || e->tag == ACL_GROUP_OBJ)
			group = e; /* the mask follows the group */
		more = more || (e->tag != ACL_USER_OBJ && e->tag != ACL_GROUP_OBJ && e->tag != ACL_OTHER);
	}
	if (group)
		left |= (uint16_t)((group->perm &= *mode >> 3 & 7) << 3);
	*mode = (uint16_t)((*mode & ~0777u) | left);
	return more;
}

static int store(struct winode *w, unsigned index, const struct acl_heritage *h, uint8_t *disk)
{
	return xattr_put(w, index, "", disk, acl_encode_disk(h->entries, h->count, disk));
}

int acl_heritage_give(struct acl_heritage *h, struct winode *w)
{
	struct f2fs_context *ctx = w->txn->vol->ctx;
	uint16_t mode = inode_i_mode(winode_block(w));
	uint8_t *disk;
	bool more;
	int err = 0;

	if (h->count == 0)
		return 0;
	disk = mem_alloc(ctx, ACL_SIZE_MAX(h->count));
	if (!disk)
		return F2FS_ERR_NOMEM;
	if ((mode & MODE_TYPE) == MODE_DIR)
		err = store(w, XATTR_ACL_DEFAULT, h, disk);
	more = mask_by_mode(h->entries, h->count, &mode);
	inode_set_i_mode(winode_block(w), mode);
	node_dirty(w->txn, w->node);
	if (!err && more)
		err = store(w, XATTR_ACL_ACCESS, h, disk);
	mem_free(ctx, disk);
	return err;
}

void acl_heritage_drop(const struct f2fs_volume *vol, struct acl_heritage *h)
{
	mem_free(vol->ctx, h->entries);
	h->entries = NULL;
	h->count = 0;
}
