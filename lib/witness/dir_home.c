/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the directory whose entries a block holds.
 */
#include "witness/dir_home.h"

#include "facts/dir_judge.h"

/* The directory that the inode of an entry remembers, 0: that says nothing. */
static f2fs_nid_t remembered(const struct checker *c, f2fs_nid_t ino)
{
	const struct inode_fact *inode = geometry_is_nid(c->geo, ino) ? facts_inode(&c->facts, ino) : NULL;

	if (!inode || (inode->advise & FLAG_i_advise_lost_pino) ||
	    (inode->type != F2FS_TYPE_DIRECTORY && inode->links != 1))
		return 0;
	return inode->pino;
}

bool dir_home(const struct checker *c, const uint8_t *block, f2fs_nid_t *out)
{
	f2fs_nid_t home = 0;
	struct dentry_area area;
	struct dentry_ref ref;
	enum dentry_scan found;
	uint32_t slot = 0;
	bool has_entries = false;

	dentry_area_of_block(c->geo, block, &area);
	while ((found = dentry_next(&area, &slot, &ref)) != DENTRY_END) {
		f2fs_nid_t said;

		if (found != DENTRY_FOUND)
			return false;
		has_entries = true;
		if (name_is_dots(&ref) && ref.name_len == 2)
			continue;
		said = name_is_dots(&ref) ? ref.ino : remembered(c, ref.ino);
		if (said && home && said != home)
			return false;
		home = said ? said : home;
	}
	*out = home;
	return has_entries;
}

bool dir_home_fits(const struct checker *c, const struct inode_fact *dir, uint32_t number, const uint8_t *block)
{
	struct dentry_area area;
	struct dentry_ref ref;
	uint32_t slot = 0;

	dentry_area_of_block(c->geo, block, &area);
	if (dentry_has_own_dot(&area, dir->ino) != (number == 0))
		return false;
	while (dentry_next(&area, &slot, &ref) == DENTRY_FOUND)
		if (!dir_entry_is_right(dir, number, &ref))
			return false;
	return true;
}
