/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Guard inodes against entries that name the wrong one. An inode remembers a name and its directory. If they are those
 * of the entry, both agree. Otherwise the inode may have been linked or moved, or the number in the entry is wrong. It
 * is wrong if the types differ, or if an inode with a single link has the name that it remembers.
 */
#include <string.h>

#include "base/error.h"
#include "file/dir_find.h"
#include "file/dir_write.h"
#include "file/inode_read.h"
#include "file/name_own.h"
#include "format/dentry.h"
#include "volume/block_read.h"

static bool is_remembered(const struct f2fs_inode *dir, const struct f2fs_dirent *entry, const uint8_t *inode)
{
	return inode_i_pino(inode) == dir->ino && inode_i_namelen(inode) == entry->raw_len &&
	       memcmp(inode_i_name(inode), entry->raw_name, entry->raw_len) == 0;
}

/* Look up the name that an inode remembers; NOT_FOUND, not recorded, if it does not have it. */
static int find_home(struct winode *w, struct f2fs_dirent *out)
{
	struct f2fs_volume *vol = w->txn->vol;
	const uint8_t *inode = winode_block(w), *name = inode_i_name(inode);
	const uint32_t len = inode_i_namelen(inode);
	struct f2fs_inode *dir = NULL;
	struct winode home;
	uint32_t hash;
	int err;

	if (len == 0 || len > NAME_MAX_BYTES || !geometry_is_nid(&vol->geo, inode_i_pino(inode)))
		return F2FS_ERR_NOT_FOUND;
	err = inode_open(vol, inode_i_pino(inode), &dir);
	if (!err)
		err = winode_get(vol, dir->ino, &home);
	if (!err && !winode_is_dir(&home))
		err = F2FS_ERR_NOT_FOUND;
	if (!err)
		err = dir_hash_stored(&home, name, len, name + len, &hash);
	if (!err)
		err = dir_find_stored(dir, name, len, hash, out);
	f2fs_inode_close(dir);
	return err;
}

/* Does an inode with one link have another name than the entry's? */
static int has_other_name(const struct f2fs_inode *dir, const struct f2fs_dirent *entry, struct winode *w, bool *out)
{
	struct f2fs_context *ctx = w->txn->vol->ctx;
	struct f2fs_dirent *home;
	int err;

	*out = false;
	if (!winode_is_dir(w) && inode_i_links(winode_block(w)) > 1)
		return 0;
	home = mem_alloc(ctx, sizeof(*home));
	if (!home)
		return F2FS_ERR_NOMEM;
	err = find_home(w, home);
	*out = !err && home->ino == w->node->nid &&
	       (inode_i_pino(winode_block(w)) != dir->ino || home->position != entry->position);
	mem_free(ctx, home);
	if (!err || err == F2FS_ERR_NOMEM)
		return err;
	error_clear(ctx); /* it does not have the name that it remembers, as far as can be seen */
	return 0;
}

int name_need_own(const struct f2fs_inode *dir, const struct f2fs_dirent *entry, struct winode *w)
{
	const uint8_t *inode = winode_block(w);
	bool is_other;
	int err;

	if (is_remembered(dir, entry, inode))
		return 0;
	is_other = entry->type != f2fs_type_of_mode(inode_i_mode(inode));
	err = is_other ? 0 : has_other_name(dir, entry, w, &is_other);
	if (err || !is_other)
		return err;
	return volume_corrupt(w->txn->vol, RULE_DENTRY_OWNER, F2FS_NO_BLOCK, entry->ino,
			      "an entry of directory inode %u names it; fsck.f2fs -y repairs it", (unsigned)dir->ino);
}
