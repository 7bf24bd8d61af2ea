/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copying one item into its directory: type, owner, times, contents with their holes, attributes, further names.
 */
#include <string.h>

#include "task/populate/populate.h"

/* One of an item's times; without it the time of modification, then that of the run. */
static struct f2fs_time time_of(const struct populate *p, const struct populate_item *item, unsigned given,
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

void populate_fill_new(const struct populate *p, const struct populate_item *item, struct f2fs_new *spec)
{
	const unsigned given = item->forced | (p->opt.keep & F2FS_KEEP_MODE ? item->given & GIVEN_MODE : 0u) |
			       (p->opt.keep & F2FS_KEEP_OWNER ? item->given & GIVEN_OWNER : 0u);
	const uint32_t type = item->mode & MODE_TYPE;
	const uint32_t plain = type == MODE_LNK ? 0777 : type == MODE_DIR ? 0755 : 0644;

	memset(spec, 0, sizeof(*spec));
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

/* Flags and project ids go to the inode when it is complete: they may forbid further changes. */
static int set_flags(struct populate *p, struct f2fs_inode *inode, const struct populate_item *item)
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

/* Write what the source gives. */
static int copy_contents(struct populate *p, struct populate_item *item, struct f2fs_inode *to)
{
	struct populate_chunk chunk = { .length = 0 };
	uint64_t end = 0, bytes = 0;
	int err;

	p->what = "contents";
	for (;;) {
		err = p->ops->read(p, item, &chunk);
		p->is_of_source = err != 0;
		if (err || chunk.length == 0)
			break;
		err = f2fs_inode_write(to, chunk.offset, p->zeros ? p->zeros : chunk.data, chunk.length);
		if (err)
			break;
		end = chunk.offset + chunk.length;
		bytes += chunk.length;
		err = populate_progress(p, chunk.length);
		if (err)
			break;
	}
	if (!err && end < item->size)
		err = f2fs_inode_truncate(to, item->size);
	if (err)
		return err;
	p->what = "";
	p->result->files++;
	p->result->bytes += bytes;
	return 0;
}

/* An item failed for the reason in the context: remove what was made of it, and return err, or what went wrong then. */
static int undo(struct populate *p, struct f2fs_inode *dir, const char *name, int err)
{
	const struct f2fs_error_detail detail = p->ctx->error;
	int failed;

	if (p->is_broken || populate_is_fatal(p, err)) /* the transaction will be dropped as a whole */
		return err;
	failed = f2fs_remove(dir, name, strlen(name));
	if (failed) {
		p->is_of_source = false;
		return failed;
	}
	p->ctx->error = detail;
	return err;
}

static int note_made(struct populate *p, f2fs_nid_t ino)
{
	return p->may_repeat ? map32_set(&p->made, ino, 1) : 0;
}

/* A further name of an inode of the volume. */
static int make_link(struct populate *p, struct f2fs_inode *dir, const char *name, struct f2fs_inode *first)
{
	struct f2fs_dirent entry;
	int err = f2fs_link(dir, name, strlen(name), first);

	if (err == F2FS_ERR_EXISTS && f2fs_dir_lookup(dir, name, strlen(name), &entry) == 0 &&
	    entry.ino == f2fs_inode_number(first))
		return 0; /* it is one already */
	p->result->links += !err;
	return err;
}

static int link_to_path(struct populate *p, struct f2fs_inode *dir, const char *name, const char *path)
{
	struct f2fs_inode *first;
	int err = populate_place_lookup(p, path, &first);

	if (err == F2FS_ERR_NOT_FOUND || err == F2FS_ERR_NOT_DIR)
		return error_set(p->ctx, F2FS_ERR_NOT_FOUND, "it is a link to an entry that was not copied");
	if (err)
		return err;
	err = make_link(p, dir, name, first);
	f2fs_inode_close(first);
	return err;
}

static int link_to_inode(struct populate *p, struct f2fs_inode *dir, const char *name, f2fs_nid_t ino)
{
	struct f2fs_inode *first;
	int err = f2fs_inode_open(p->vol, ino, &first);

	if (err)
		return err;
	err = make_link(p, dir, name, first);
	f2fs_inode_close(first);
	return err;
}

/* Give a new inode all that belongs to it. */
static int fill_new(struct populate *p, struct populate_item *item, struct f2fs_inode *inode)
{
	const uint32_t type = item->mode & MODE_TYPE;
	int err = note_made(p, f2fs_inode_number(inode));

	if (!err && type == MODE_REG) {
		err = copy_contents(p, item, inode);
		if (!err)
			err = populate_compress_file(p, inode);
	}
	if (!err)
		err = populate_attributes_set(p, &p->attributes, inode);
	if (!err)
		err = set_flags(p, inode, item);
	if (!err)
		err = populate_link_add(p, item, f2fs_inode_number(inode));
	if (err)
		return err;
	if (type == MODE_LNK)
		p->result->symlinks++;
	else if (type != MODE_REG)
		p->result->specials++;
	return 0;
}

/* Make a new inode and all that is in it, or nothing. */
static int make_new(struct populate *p, struct f2fs_inode *dir, const char *name, struct populate_item *item)
{
	struct f2fs_inode *inode;
	struct f2fs_new spec;
	int err;

	populate_fill_new(p, item, &spec);
	err = f2fs_create(dir, name, strlen(name), &spec, &inode);
	if (err)
		return err;
	err = fill_new(p, item, inode);
	f2fs_inode_close(inode);
	return err ? undo(p, dir, name, err) : 0;
}

static int make_entry(struct populate *p, struct f2fs_inode *dir, const char *name, struct populate_item *item)
{
	const f2fs_nid_t first = populate_link_find(p, item);

	if (item->link)
		return link_to_path(p, dir, name, item->link);
	if (first != F2FS_NO_NID)
		return link_to_inode(p, dir, name, first);
	return make_new(p, dir, name, item);
}

int populate_entry(struct populate *p, struct f2fs_inode *dir, const char *name, struct populate_item *item)
{
	struct populate_aside aside;
	bool done;
	int err = make_entry(p, dir, name, item);

	if (err != F2FS_ERR_EXISTS)
		return err;
	err = populate_meet(p, dir, name, item, &done, &aside);
	if (err || done)
		return err;
	err = make_entry(p, dir, name, item);
	return populate_settle(p, dir, name, &aside, err);
}

int populate_make_dir(struct populate *p, struct f2fs_inode *parent, const char *name, size_t length,
		      const struct populate_item *item, const struct vec *attributes, struct f2fs_inode **out)
{
	struct f2fs_inode *dir;
	struct f2fs_new spec;
	int err;

	populate_fill_new(p, item, &spec);
	err = f2fs_create(parent, name, length, &spec, &dir);
	if (err)
		return err;
	p->result->directories++;
	err = note_made(p, f2fs_inode_number(dir));
	if (!err)
		err = populate_attributes_set(p, attributes, dir);
	if (!err)
		err = set_flags(p, dir, item);
	if (err)
		f2fs_inode_close(dir);
	else
		*out = dir;
	return err;
}

int populate_update(struct populate *p, struct f2fs_inode *inode, const struct populate_item *item,
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
	if (!err)
		err = populate_attributes_prune(p, attributes, inode);
	if (!err)
		err = populate_attributes_set(p, attributes, inode);
	return err ? err : set_flags(p, inode, item);
}

/* The name of a directory exists: enter what has it, or replace it. */
static int enter_existing(struct populate *p, struct f2fs_inode *parent, const char *name, struct populate_item *item,
			  struct f2fs_inode **out)
{
	struct populate_aside aside;
	struct f2fs_inode *dir;
	struct f2fs_dirent entry;
	bool done, is_made;
	int err = f2fs_dir_lookup(parent, name, strlen(name), &entry);

	if (!err && entry.type != F2FS_TYPE_DIRECTORY) {
		err = populate_meet(p, parent, name, item, &done, &aside);
		if (!err && done)
			err = error_set(p->ctx, F2FS_ERR_NOT_DIR, "the name exists already and is no directory");
		if (err)
			return err;
		err = populate_make_dir(p, parent, name, strlen(name), item, &p->attributes, &dir);
		is_made = !err;
		err = populate_settle(p, parent, name, &aside, err);
		if (err && is_made)
			f2fs_inode_close(dir);
		else if (!err)
			*out = dir;
		return err;
	}
	if (!err)
		err = f2fs_inode_open(p->vol, entry.ino, out);
	if (err)
		return err;
	if (p->opt.existing != F2FS_EXISTING_SKIP)
		err = populate_update(p, *out, item, &p->attributes);
	if (err)
		f2fs_inode_close(*out);
	return err;
}

int populate_directory(struct populate *p, struct f2fs_inode *parent, const char *name, struct populate_item *item)
{
	struct f2fs_inode *dir;
	int err = populate_make_dir(p, parent, name, strlen(name), item, &p->attributes, &dir);
	if (err == F2FS_ERR_EXISTS)
		err = enter_existing(p, parent, name, item, &dir);
	return err ? err : populate_place_enter(p, dir);
}
