/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes of an inode: the inline area and the xattr node as one string, taken apart once and kept
 * (FORMAT files 7).
 */
#include "format/xattr.h"

#include <stdio.h>
#include <string.h>

#include "base/acl.h"
#include "base/error.h"
#include "file/inode_caches.h"
#include "file/inode_past.h"
#include "file/inode_sync.h"
#include "file/xattr_read.h"

/* Build the one string that the attributes are in. */
static int load_string(struct f2fs_inode *inode, struct xattr_set *set)
{
	struct f2fs_volume *vol = inode->vol;
	const uint32_t inline_size = inode->layout.xattr_size, node_size = node_bytes(&vol->geo);
	f2fs_nid_t nid = inode_i_xattr_nid(inode->block);
	uint8_t *node;
	int err = 0;

	set->size = inline_size + (nid ? node_size : 0);
	if (set->size == 0)
		return 0;
	set->string = mem_alloc(vol->ctx, set->size);
	if (!set->string)
		return F2FS_ERR_NOMEM;
	memcpy(set->string, inode->block + inode->layout.xattr_offset, inline_size);
	if (!nid)
		return 0;
	node = mem_alloc(vol->ctx, vol->geo.block_size);
	if (!node)
		return F2FS_ERR_NOMEM;
	err = inode_load_node(inode, nid, XATTR_NODE_OFFSET, node, NULL);
	if (!err)
		memcpy(set->string + inline_size, node, node_size);
	else
		set->size = inline_size;
	mem_free(vol->ctx, node);
	return err;
}

/* "user.color"; an index that nobody knows becomes "f2fs.42." and the stored name. */
static char *full_name(struct f2fs_context *ctx, const struct xattr_ref *ref)
{
	const char *prefix = xattr_prefix(ref->index);
	bool has_name = !prefix || xattr_has_name(ref->index);
	size_t n, name_len = has_name ? ref->name_len : 0;
	char unknown[16], *name;

	if (!prefix) {
		snprintf(unknown, sizeof(unknown), "f2fs.%u.", (unsigned)ref->index);
		prefix = unknown;
	}
	n = strlen(prefix);
	name = mem_alloc(ctx, n + name_len + 1);
	if (!name)
		return NULL;
	memcpy(name, prefix, n);
	memcpy(name + n, ref->name, name_len);
	name[n + name_len] = '\0';
	return name;
}

/* An ACL that is not well formed is given as stored, and the set remembers that. */
static int convert_acl(struct f2fs_inode *inode, struct xattr_set *set, struct xattr_item *item)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	size_t room = ACL_COUNT_MAX(item->stored_size), count;
	struct acl_entry *entries = mem_calloc(ctx, room, sizeof(*entries));
	enum acl_result result;

	if (!entries)
		return F2FS_ERR_NOMEM;
	result = acl_decode_disk(item->stored, item->stored_size, entries, room, &count);
	if (result == ACL_OK) {
		item->converted = mem_alloc(ctx, ACL_SIZE_MAX(count));
		if (item->converted)
			item->size = acl_encode_xattr(entries, count, item->converted);
	} else {
		set->error = inode_corrupt(inode, RULE_ACL_SHAPE, "%s: %s", item->name, acl_result_text(result));
	}
	mem_free(ctx, entries);
	return result == ACL_OK && !item->converted ? F2FS_ERR_NOMEM : 0;
}

static int add_item(struct f2fs_inode *inode, struct xattr_set *set, const struct xattr_ref *ref)
{
	struct xattr_item *item = vec_push(&set->items, 1);

	if (!item)
		return F2FS_ERR_NOMEM;
	item->index = ref->index;
	item->stored_name = ref->name;
	item->stored_len = ref->name_len;
	item->stored = ref->value;
	item->stored_size = ref->value_size;
	item->size = ref->value_size;
	item->internal = xattr_is_internal(ref->index) || !xattr_prefix(ref->index);
	item->name = full_name(inode->vol->ctx, ref);
	if (!item->name)
		return F2FS_ERR_NOMEM;
	if (ref->index == XATTR_ACL_ACCESS || ref->index == XATTR_ACL_DEFAULT)
		return convert_acl(inode, set, item);
	return 0;
}

/* system.advise is not stored: it shows i_advise (FORMAT files 2.3). */
static int add_advise(struct f2fs_inode *inode, struct xattr_set *set)
{
	struct xattr_ref ref = { .index = XATTR_ADVISE, .name = &set->advise, .value = &set->advise, .value_size = 1 };

	set->advise = inode_i_advise(inode->block);
	return add_item(inode, set, &ref);
}

static int parse(struct f2fs_inode *inode, struct xattr_set *set)
{
	struct xattr_ref ref;
	uint32_t offset = 0;
	int err = 0;

	while (!err && set->size) {
		enum xattr_scan found = xattr_next(set->string, set->size, &offset, &ref);

		if (found == XATTR_END)
			break;
		if (found == XATTR_BAD) {
			if (!set->error) /* otherwise the entry continues in the part that could not be read */
				set->error = inode_corrupt(inode, RULE_XATTR_ENTRY, "entry at byte %u of %u",
							   (unsigned)offset, (unsigned)set->size);
			break;
		}
		err = add_item(inode, set, &ref);
	}
	return err ? err : add_advise(inode, set);
}

int xattr_load(struct f2fs_inode *inode)
{
	struct xattr_set *set;
	int err = inode_sync(inode);

	if (err)
		return err;
	if (inode->xattrs) {
		if (inode->xattrs->error)
			inode->vol->ctx->error = inode->xattrs->detail;
		return inode->xattrs->error;
	}
	set = mem_zalloc(inode->vol->ctx, sizeof(*set));
	if (!set)
		return F2FS_ERR_NOMEM;
	vec_init(&set->items, inode->vol->ctx, sizeof(struct xattr_item));
	inode->xattrs = set;
	err = load_string(inode, set);
	if (err == F2FS_ERR_CORRUPT || err == F2FS_ERR_IO) { /* inline attributes can still be shown */
		set->error = err;
		err = 0;
	}
	if (!err)
		err = parse(inode, set);
	if (err) {
		xattr_unload(inode);
		return err;
	}
	set->detail = inode->vol->ctx->error;
	return set->error;
}

int xattr_find_stored(struct f2fs_inode *inode, unsigned index, const char *name, const uint8_t **value, size_t *size)
{
	size_t len = strlen(name);
	int err = xattr_load(inode);

	if (!inode->xattrs)
		return err;
	for (size_t i = 0; i < inode->xattrs->items.count; i++) {
		const struct xattr_item *item = vec_at(&inode->xattrs->items, i);

		if (item->index != index || item->stored_len != len || memcmp(item->stored_name, name, len) != 0)
			continue;
		*value = item->stored;
		*size = item->stored_size;
		return 0;
	}
	if (err)
		return err;
	return error_set(inode->vol->ctx, F2FS_ERR_NO_ATTR, "inode %u has no such attribute", (unsigned)inode->ino);
}

int xattr_count(struct f2fs_inode *inode)
{
	int err = xattr_load(inode);

	return err ? err : (int)inode->xattrs->items.count;
}

int f2fs_xattr_count(struct f2fs_inode *inode)
{
	error_clear(inode->vol->ctx);
	return xattr_count(inode);
}

static void fill(const struct xattr_item *item, struct f2fs_xattr *out)
{
	out->name = item->name;
	out->value = item->converted ? item->converted : item->stored;
	out->value_size = item->size;
	out->name_index = item->index;
	out->is_internal = item->internal;
}

int xattr_at(struct f2fs_inode *inode, unsigned index, struct f2fs_xattr *out)
{
	int err = xattr_load(inode);

	if (!inode->xattrs)
		return err;
	if (index >= inode->xattrs->items.count)
		return error_set(inode->vol->ctx, F2FS_ERR_NO_ATTR, "inode %u has no attribute number %u",
				 (unsigned)inode->ino, index);
	fill(vec_at(&inode->xattrs->items, index), out);
	error_clear(inode->vol->ctx);
	return 0;
}

int f2fs_xattr_at(struct f2fs_inode *inode, unsigned index, struct f2fs_xattr *out)
{
	error_clear(inode->vol->ctx);
	return xattr_at(inode, index, out);
}

int xattr_get(struct f2fs_inode *inode, const char *name, struct f2fs_xattr *out)
{
	int err = xattr_load(inode);

	if (!inode->xattrs)
		return err;
	for (size_t i = 0; i < inode->xattrs->items.count; i++) {
		const struct xattr_item *item = vec_at(&inode->xattrs->items, i);

		if (strcmp(item->name, name) == 0) {
			fill(item, out);
			error_clear(inode->vol->ctx);
			return 0;
		}
	}
	if (err)
		return err;
	return error_set(inode->vol->ctx, F2FS_ERR_NO_ATTR, "inode %u has no attribute %s", (unsigned)inode->ino, name);
}

int f2fs_xattr_get(struct f2fs_inode *inode, const char *name, struct f2fs_xattr *out)
{
	error_clear(inode->vol->ctx);
	return xattr_get(inode, name, out);
}
