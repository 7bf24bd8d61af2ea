/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find room for new entries of directories. A removed name stays in its slots until another one takes them. If a wrong
 * bit marks the slots of a name as free, these slots are what a repair brings the name back from. So a new entry leaves
 * them alone if the inode remembers the name and the directory does not have it, or if the inode is damaged.
 */
#include <string.h>

#include "base/error.h"
#include "file/dir_find.h"
#include "file/dir_room.h"
#include "file/inode_read.h"
#include "log/nodes.h"
#include "volume/nat_read.h"

/* Does a node remember a name of the directory? One whose checks fail may have a wrong directory or length. */
static bool has_in_mind(struct winode *dir, const struct node *node, const struct dentry_ref *ref)
{
	struct f2fs_volume *vol = dir->txn->vol;

	return footer_ino(node_footer(&vol->geo, node->block)) == node->nid &&
	       memcmp(inode_i_name(node->block), ref->name, ref->name_len) == 0 &&
	       ((inode_i_namelen(node->block) == ref->name_len && inode_i_pino(node->block) == dir->node->nid) ||
		(!node->is_dirty && inode_check(&vol->geo, node->block, node->nid, vol->checksum_seed) != RULE_NONE));
}

/* Does an inode remember a name of the directory? One that cannot be read may. */
static int remembers(struct winode *dir, const struct dentry_ref *ref, bool *out)
{
	struct f2fs_volume *vol = dir->txn->vol;
	struct f2fs_nat_info entry;
	struct node *node;
	int err = nat_get(vol, ref->ino, &entry);

	*out = false;
	if (!err && entry.block_addr == F2FS_NULL_ADDR)
		return 0;
	if (!err)
		err = node_get(dir->txn, ref->ino, &node);
	if (err == F2FS_ERR_CORRUPT || err == F2FS_ERR_IO) {
		error_clear(vol->ctx);
		*out = true;
		return 0;
	}
	if (!err)
		*out = has_in_mind(dir, node, ref);
	return err;
}

/* Does the directory have a name? One that cannot be searched does not. */
static int has_name(struct winode *dir, const struct dentry_ref *ref, bool *out)
{
	struct f2fs_context *ctx = dir->txn->vol->ctx;
	struct f2fs_inode *inode = NULL;
	struct f2fs_dirent *entry = mem_alloc(ctx, sizeof(*entry));
	int err = entry ? inode_open(dir->txn->vol, dir->node->nid, &inode) : F2FS_ERR_NOMEM;

	if (!err)
		err = dir_find_stored(inode, ref->name, ref->name_len, ref->hash, entry);
	*out = !err;
	f2fs_inode_close(inode);
	mem_free(ctx, entry);
	if (!err || err == F2FS_ERR_NOMEM)
		return err;
	error_clear(ctx);
	return 0;
}

/* Is a slot marked as free, but the first one of a name that the directory lacks? *end is then the slot after it. */
static int look_at(struct winode *dir, const struct dentry_area *area, const struct new_entry *e, uint32_t slot,
		   uint32_t *end)
{
	const uint8_t *raw = area->entries + (size_t)slot * dentry_SIZE;
	const struct dentry_ref ref = { .slot = slot,
					.hash = dentry_hash_code(raw),
					.ino = dentry_ino(raw),
					.name_len = dentry_name_len(raw),
					.name = area->names + (size_t)slot * DENTRY_SLOT_BYTES };
	bool is_marked, is_there = false;
	int err;

	if (ref.name_len == 0 || ref.name_len > NAME_MAX_BYTES || !geometry_is_nid(&dir->txn->vol->geo, ref.ino) ||
	    dentry_slots_of(ref.name_len) > area->slots - slot)
		return 0;
	if (ref.ino == e->ino && ref.name_len == e->len && memcmp(ref.name, e->name, e->len) == 0)
		return 0; /* it gets this name again */
	err = remembers(dir, &ref, &is_marked);
	if (!err && is_marked)
		err = has_name(dir, &ref, &is_there);
	if (!err && is_marked && !is_there)
		*end = slot + dentry_slots_of(ref.name_len);
	return err;
}

int dir_find_room(struct winode *dir, const struct dentry_area *area, const struct new_entry *e, uint32_t *slot)
{
	const uint32_t count = dentry_slots_of(e->len);
	uint32_t from, end = 0;
	int err = 0;

	do {
		from = end;
		*slot = dentry_find_room(area, from, count);
		for (uint32_t i = *slot; i < area->slots && i < *slot + count && !e->is_stored && !err; i++)
			if (dentry_ino(area->entries + (size_t)i * dentry_SIZE) != 0) /* most slots are new */
				err = look_at(dir, area, e, i, &end);
	} while (!err && end > from);
	return err;
}
