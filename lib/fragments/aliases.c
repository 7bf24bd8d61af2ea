/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find device aliases. mkfs makes the file in the root directory, but it may have got another name and place since. So
 * all names are searched. Only volumes with the feature pay for that.
 */
#include "fragments/aliases.h"

#include <f2fskit/file.h>

#include "file/inode_read.h"
#include "file/object.h"

struct search {
	int (*each)(void *user, const struct alias *alias);
	void *user;
	int rc; /* of the last call */
};

static int visit(void *user, const struct f2fs_walk_entry *entry)
{
	struct search *s = user;
	struct alias alias = { .path = entry->path };

	if (!entry->inode || entry->error || !inode_is_alias(entry->inode))
		return F2FS_WALK_GO;
	alias.first = inode_i_ext_blk(entry->inode->block);
	alias.end = alias.first + inode_i_ext_len(entry->inode->block);
	s->rc = s->each(s->user, &alias);
	return s->rc ? F2FS_WALK_STOP : F2FS_WALK_GO;
}

int aliases_each(struct f2fs_volume *vol, int (*each)(void *user, const struct alias *alias), void *user)
{
	struct search s = { .each = each, .user = user };
	struct f2fs_inode *root;
	int err;

	if (!geometry_has(&vol->geo, F2FS_FEAT_DEVICE_ALIAS))
		return 0;
	err = inode_open(vol, vol->geo.root_ino, &root);
	if (err)
		return err;
	err = f2fs_walk(root, visit, &s);
	f2fs_inode_close(root);
	return err ? err : s.rc;
}
