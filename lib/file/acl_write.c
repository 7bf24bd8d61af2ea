/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Access control lists and permissions belong together: setting an access ACL sets the permissions, one that says no
 * more than they do is not stored, and setting the permissions changes the ACL (FORMAT files 7.3).
 */
#include "base/acl.h"
#include "base/error.h"
#include "file/acl_write.h"
#include "file/change.h"
#include "file/winode.h"
#include "file/write.h"
#include "file/xattr_read.h"
#include "file/xattr_write.h"
#include "format/xattr.h"
#include "log/nodes.h"

/* The permissions that an access ACL stands for. *more: the ACL says more than permissions can. */
static uint16_t mode_of(const struct acl_entry *entries, size_t count, bool *more)
{
	uint16_t group = 0, mode = 0;
	bool masked = false;

	*more = false;
	for (size_t i = 0; i < count; i++) {
		const struct acl_entry *e = &entries[i];

		if (e->tag == ACL_USER_OBJ)
			mode |= (uint16_t)(e->perm << 6);
		else if (e->tag == ACL_OTHER)
			mode |= e->perm;
		else if (e->tag == ACL_MASK || (e->tag == ACL_GROUP_OBJ && !masked))
			group = e->perm;
		masked = masked || e->tag == ACL_MASK;
		*more = *more || (e->tag != ACL_USER_OBJ && e->tag != ACL_GROUP_OBJ && e->tag != ACL_OTHER);
	}
	return mode | (uint16_t)(group << 3);
}

static void set_mode_of(struct acl_entry *entries, size_t count, uint16_t mode)
{
	struct acl_entry *group = NULL;

	for (size_t i = 0; i < count; i++) {
		struct acl_entry *e = &entries[i];

		if (e->tag == ACL_USER_OBJ)
			e->perm = mode >> 6 & 7;
		else if (e->tag == ACL_OTHER)
			e->perm = mode & 7;
		else if (e->tag == ACL_MASK || (e->tag == ACL_GROUP_OBJ && !group))
			group = e; /* the mask stands for the group class when there is one */
	}
	if (group)
		group->perm = mode >> 3 & 7;
}

/* Can this kind of inode have it? */
static int check_type(const struct winode *w, unsigned index)
{
	unsigned type = inode_i_mode(winode_block(w)) & MODE_TYPE;

	if (type == MODE_LNK)
		return error_set(w->txn->vol->ctx, F2FS_ERR_UNSUPPORTED, "symbolic links have no ACLs");
	if (index == XATTR_ACL_DEFAULT && type != MODE_DIR)
		return error_set(w->txn->vol->ctx, F2FS_ERR_ACCESS, "only directories have a default ACL");
	return 0;
}

/* Store entries, or remove the existing ones. */
static int store(struct f2fs_inode *inode, struct winode *w, unsigned index, const struct acl_entry *entries,
		 size_t count, uint8_t *disk)
{
	const uint8_t *old;
	size_t old_size;
	int err;

	if (count > 0)
		return xattr_store(w, index, "", disk, acl_encode_disk(entries, count, disk));
	err = xattr_find_stored(inode, index, "", &old, &old_size);
	if (err == F2FS_ERR_NO_ATTR) {
		error_clear(inode->vol->ctx);
		return 0;
	}
	return err ? err : xattr_store(w, index, "", NULL, 0);
}

static void set_permissions(struct winode *w, uint16_t mode)
{
	inode_set_i_mode(winode_block(w), (uint16_t)((inode_i_mode(winode_block(w)) & ~0777u) | mode));
	winode_stamp(w, STAMP_CTIME);
	node_dirty(w->txn, w->node);
}

static int set_entries(struct f2fs_inode *inode, unsigned index, const struct acl_entry *entries, size_t count,
		       uint8_t *disk)
{
	struct change change;
	struct winode w;
	bool more = true;
	uint16_t mode = mode_of(entries, count, &more);
	int err = change_begin_on(&change, inode);

	if (!err)
		err = xattr_load(inode);
	if (!err)
		err = winode_get(inode->vol, inode->ino, &w);
	if (!err)
		err = check_type(&w, index);
	if (!err)
		err = store(inode, &w, index, entries, more || index == XATTR_ACL_DEFAULT ? count : 0, disk);
	if (!err && index == XATTR_ACL_ACCESS)
		set_permissions(&w, mode);
	return change_end(&change, err);
}

int acl_set(struct f2fs_inode *inode, unsigned index, const uint8_t *value, size_t size)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	size_t room = ACL_COUNT_MAX(size), count = 0;
	struct acl_entry *entries = mem_calloc(ctx, room + 1, sizeof(*entries));
	uint8_t *disk = mem_alloc(ctx, ACL_SIZE_MAX(room));
	enum acl_result result;
	int err = entries && disk ? 0 : F2FS_ERR_NOMEM;

	if (!err) {
		result = acl_decode_xattr(value, size, entries, room, &count);
		if (result == ACL_OK)
			result = acl_check(entries, count);
		if (result != ACL_OK)
			err = error_set(ctx, F2FS_ERR_INVALID, "not an ACL: %s", acl_result_text(result));
		else
			err = set_entries(inode, index, entries, count, disk);
	}
	mem_free(ctx, entries);
	mem_free(ctx, disk);
	return err;
}

int acl_follow_mode(struct f2fs_inode *inode, struct winode *w, uint16_t mode)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	struct acl_entry *entries;
	const uint8_t *value;
	uint8_t *disk;
	size_t size, count;
	int err = xattr_find_stored(inode, XATTR_ACL_ACCESS, "", &value, &size);

	if (err == F2FS_ERR_NO_ATTR) {
		error_clear(ctx);
		return 0;
	}
	if (err)
		return err;
	entries = mem_calloc(ctx, ACL_COUNT_MAX(size) + 1, sizeof(*entries));
	disk = mem_alloc(ctx, ACL_SIZE_MAX(ACL_COUNT_MAX(size)));
	err = entries && disk ? 0 : F2FS_ERR_NOMEM;
	/* an ACL that is not well formed is left alone */
	if (!err && acl_decode_disk(value, size, entries, ACL_COUNT_MAX(size), &count) == ACL_OK) {
		set_mode_of(entries, count, mode);
		err = store(inode, w, XATTR_ACL_ACCESS, entries, count, disk);
	}
	mem_free(ctx, entries);
	mem_free(ctx, disk);
	return err;
}
