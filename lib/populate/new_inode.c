/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make inodes as their items describe them: the fields of a new one, the changes to an old one.
 */
#include "populate/new_inode.h"

#include <string.h>

#include "populate/attributes.h"
#include "populate/report.h"
#include "populate/run.h"

/* One of an item's times; without it the time of modification, then that of the run. */
static struct f2fs_time time_of(const struct populate *p, const struct source_item *item, unsigned given,
				const struct f2fs_time *own)
{
	if (item->forced & GIVEN_MTIME)
		return item->mtime;
	if (p->opt.has_time || !(p->opt.keep & F2FS_KEEP_TIMES))
		return p->now;
	if (item->given & given)
		return *own;
	return item->given & GIVEN_MTIME ? item->mtime : p->now;
}

void populate_fill_new(const struct populate *p, const struct source_item *item, struct f2fs_new *spec)
{
	const unsigned given = item->forced | (p->opt.keep & F2FS_KEEP_MODE ? item->given & GIVEN_MODE : 0u) |
			       (p->opt.keep & F2FS_KEEP_OWNER ? item->given & GIVEN_OWNER : 0u);
	const uint32_t type = item->mode & MODE_TYPE;
	const uint32_t plain = type == MODE_LNK ? 0777 : type == MODE_DIR ? 0755 : 0644;

	*spec = (struct f2fs_new){ F2FS_SIZED(f2fs_new) };
	spec->mode = type | (given & GIVEN_MODE ? item->mode & 07777 : plain);
	spec->uid = given & GIVEN_OWNER ? item->uid : p->opt.uid;
	spec->gid = given & GIVEN_OWNER ? item->gid : p->opt.gid;
	spec->atime = time_of(p, item, GIVEN_ATIME, &item->atime);
	spec->mtime = time_of(p, item, GIVEN_MTIME, &item->mtime);
	spec->ctime = time_of(p, item, GIVEN_CTIME, &item->ctime);
	spec->crtime = time_of(p, item, GIVEN_CRTIME, &item->crtime);
	spec->rdev_major = item->rdev_major;
	spec->rdev_minor = item->rdev_minor;
	spec->target = item->target;
	spec->target_length = item->target_length;
	spec->flags = F2FS_NEW_EXACT; /* ACLs are the source's affair */
}

int populate_set_flags(struct populate *p, struct f2fs_inode *inode, const struct source_item *item)
{
	static const struct {
		unsigned given, keep, set;
		const char *what;
	} kinds[] = {
		{ GIVEN_PROJECT, F2FS_KEEP_PROJECT, F2FS_SET_PROJID, "project id" },
		{ GIVEN_FLAGS, F2FS_KEEP_FLAGS, F2FS_SET_FLAGS, "flags" },
	};
	const struct f2fs_stat values = { .flags = item->flags, .projid = item->projid };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int err;

		if (!(item->given & kinds[i].given) || !(p->opt.keep & kinds[i].keep))
			continue;
		err = f2fs_inode_set(inode, kinds[i].set, &values);
		if (err && !populate_is_fatal(p, err))
			err = populate_problem(p, kinds[i].what);
		if (err)
			return err;
	}
	return 0;
}

int populate_note_made(struct populate *p, f2fs_nid_t ino)
{
	return p->src.may_repeat ? map32_set(&p->made, ino, 1) : 0;
}

int populate_make_dir(struct populate *p, struct f2fs_inode *parent, const char *name, size_t length,
		      const struct source_item *item, const struct vec *attributes, struct f2fs_inode **out)
{
	struct f2fs_inode *dir;
	struct f2fs_new spec;
	int err;

	populate_fill_new(p, item, &spec);
	err = f2fs_create(parent, name, length, &spec, &dir);
	if (err)
		return err;
	p->result->directories++;
	err = populate_note_made(p, f2fs_inode_number(dir));
	if (!err)
		err = populate_attributes_set(p, attributes, dir);
	if (!err)
		err = populate_set_flags(p, dir, item);
	if (err)
		f2fs_inode_close(dir);
	else
		*out = dir;
	return err;
}

int populate_update(struct populate *p, struct f2fs_inode *inode, const struct source_item *item,
		    const struct vec *attributes)
{
	struct f2fs_stat values = { 0 };
	struct f2fs_new spec;
	int err;

	populate_fill_new(p, item, &spec);
	values.mode = spec.mode;
	values.uid = spec.uid;
	values.gid = spec.gid;
	values.atime = spec.atime;
	values.mtime = spec.mtime;
	values.ctime = spec.ctime;
	err = f2fs_inode_set(
		inode, F2FS_SET_MODE | F2FS_SET_UID | F2FS_SET_GID | F2FS_SET_ATIME | F2FS_SET_MTIME | F2FS_SET_CTIME,
		&values);
	if (!err && !item->lacks_attributes)
		err = populate_attributes_prune(p, attributes, inode);
	if (!err)
		err = populate_attributes_set(p, attributes, inode);
	return err ? err : populate_set_flags(p, inode, item);
}
