/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Add a further name of a file. Lists and rules may give it other attributes than the first name. A file has one owner,
 * mode, time and set of attributes, those of its first name. Differences are reported.
 */
#include "populate/further.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "populate/report.h"
#include "populate/run.h"

/* Has an inode the attributes of a list? */
static bool has_attributes(const struct vec *list, struct f2fs_inode *inode)
{
	const uint8_t *at = list->items;
	struct f2fs_xattr xattr;

	for (size_t left = list->count; left > 0;) {
		const uint32_t size = get_le32(at);
		const char *name = (const char *)at + 4;
		const size_t length = 4 + strlen(name) + 1;

		if (f2fs_xattr_get(inode, name, &xattr) != 0 || xattr.value_size != size ||
		    (size && memcmp(xattr.value, at + length, size) != 0))
			return false;
		at += length + size;
		left -= length + size;
	}
	return true;
}

int populate_note_capable(struct populate *p, const struct source_item *item, f2fs_nid_t ino)
{
	return item->is_capable ? map32_set(&p->capable, ino, 1) : 0;
}

int populate_check_further(struct populate *p, const struct source_item *item, struct f2fs_inode *first)
{
	const bool has_lists = p->src.fs_config || p->src.contexts;
	char owner[40] = "", mode[20] = "", path[512];
	bool other_time, other_attributes = false;
	struct f2fs_stat st;
	int err = f2fs_inode_stat(first, &st);

	if (err)
		return err;
	if ((item->forced & GIVEN_OWNER) && (item->uid != st.uid || item->gid != st.gid))
		snprintf(owner, sizeof(owner), " owner %lu:%lu", (unsigned long)item->uid, (unsigned long)item->gid);
	if ((item->forced & GIVEN_MODE) && (item->mode & 07777) != (st.mode & 07777))
		snprintf(mode, sizeof(mode), " mode %04o", (unsigned)(item->mode & 07777));
	other_time = (item->forced & GIVEN_MTIME) && (item->mtime.seconds != st.mtime.seconds ||
						      item->mtime.nanoseconds != st.mtime.nanoseconds);
	if (has_lists)
		other_attributes = !has_attributes(&p->src.attributes, first) ||
				   (item->is_listed && !item->is_capable &&
				    map32_find(&p->capable, f2fs_inode_number(first)) != NULL);
	if (!owner[0] && !mode[0] && !other_time && !other_attributes)
		return 0;
	if (f2fs_inode_path(first, path, sizeof(path)) != 0)
		snprintf(path, sizeof(path), "inode %lu", (unsigned long)f2fs_inode_number(first));
	error_set(p->ctx, F2FS_ERR_INVALID,
		  "it is a further name of %.200s and stays as that is, %lu:%lu %04o, though it is given%s%s%s%s", path,
		  (unsigned long)st.uid, (unsigned long)st.gid, (unsigned)(st.mode & 07777), owner, mode,
		  other_time ? " another time" : "", other_attributes ? " other capabilities or labels" : "");
	return populate_problem(p, "hard link");
}
