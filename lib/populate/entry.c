/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copy one item into its directory: type, owner, times, contents with their holes, attributes, further names.
 */
#include "populate/entry.h"

#include <string.h>

#include "base/error.h"
#include "populate/attributes.h"
#include "populate/compress.h"
#include "populate/further.h"
#include "populate/meet.h"
#include "populate/new_inode.h"
#include "populate/place.h"
#include "populate/report.h"
#include "populate/run.h"

/* Write the contents from the source. */
static int copy_contents(struct populate *p, struct source_item *item, struct f2fs_inode *to)
{
	struct source_chunk chunk = { .length = 0 };
	uint64_t end = 0, bytes = 0;
	int err;

	p->what = "contents";
	for (;;) {
		err = p->src.ops->read(&p->src, item, &chunk);
		p->is_of_source = err != 0;
		if (err || chunk.length == 0)
			break;
		err = f2fs_inode_write(to, chunk.offset, p->zeros ? p->zeros : chunk.data, chunk.length);
		if (err)
			break;
		end = chunk.offset + chunk.length;
		bytes += chunk.length;
		err = source_progress(&p->src, chunk.length);
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

/*
 * Remove the partial copy of an item that failed with err, which the context has. Returns err, or the error of
 * removing.
 */
static int undo(struct populate *p, struct f2fs_inode *dir, const char *name, int err)
{
	const struct f2fs_error_detail detail = p->ctx->error;
	int failed;

	if (p->src.is_broken || populate_is_fatal(p, err)) /* the transaction will be dropped as a whole */
		return err;
	failed = f2fs_remove(dir, name, strlen(name));
	if (failed) {
		p->is_of_source = false;
		return failed;
	}
	p->ctx->error = detail;
	return err;
}

/* A further name of an inode of the volume. */
static int make_link(struct populate *p, struct f2fs_inode *dir, const char *name, const struct source_item *item,
		     struct f2fs_inode *first)
{
	struct f2fs_dirent entry;
	int err = f2fs_link(dir, name, strlen(name), first);

	if (err == F2FS_ERR_EXISTS && f2fs_dir_lookup(dir, name, strlen(name), &entry) == 0 &&
	    entry.ino == f2fs_inode_number(first))
		return populate_check_further(p, item, first); /* it is one already */
	p->result->links += !err;
	return err ? err : populate_check_further(p, item, first);
}

static int link_to_path(struct populate *p, struct f2fs_inode *dir, const char *name, const struct source_item *item)
{
	struct f2fs_inode *first;
	int err = populate_place_lookup(p, item->link, &first);

	if (err == F2FS_ERR_NOT_FOUND || err == F2FS_ERR_NOT_DIR)
		return error_set(p->ctx, F2FS_ERR_NOT_FOUND, "it is a link to an entry that was not copied");
	if (err)
		return err;
	err = make_link(p, dir, name, item, first);
	f2fs_inode_close(first);
	return err;
}

static int link_to_inode(struct populate *p, struct f2fs_inode *dir, const char *name, const struct source_item *item,
			 f2fs_nid_t ino)
{
	struct f2fs_inode *first;
	int err = populate_open(p, ino, &first);

	if (err)
		return err;
	err = make_link(p, dir, name, item, first);
	f2fs_inode_close(first);
	return err;
}

/* Give a new inode all that belongs to it. */
static int fill_new(struct populate *p, struct source_item *item, struct f2fs_inode *inode)
{
	const uint32_t type = item->mode & MODE_TYPE;
	int err = populate_note_made(p, f2fs_inode_number(inode));

	if (!err)
		err = populate_note_capable(p, item, f2fs_inode_number(inode));
	if (!err && type == MODE_REG) {
		err = copy_contents(p, item, inode);
		if (!err)
			err = populate_compress_file(p, inode);
	}
	if (!err)
		err = populate_attributes_set(p, &p->src.attributes, inode);
	if (!err)
		err = populate_set_flags(p, inode, item);
	if (!err)
		err = source_link_add(&p->links, item, f2fs_inode_number(inode));
	if (err)
		return err;
	if (type == MODE_LNK)
		p->result->symlinks++;
	else if (type != MODE_REG)
		p->result->specials++;
	return 0;
}

/* Make a new inode and all that is in it, or nothing. */
static int make_new(struct populate *p, struct f2fs_inode *dir, const char *name, struct source_item *item)
{
	struct f2fs_inode *inode;
	struct f2fs_new spec;
	int err;

	populate_fill_new(p, item, &spec);
	err = populate_create(p, dir, name, item, &spec, &inode);
	if (err)
		return err;
	err = fill_new(p, item, inode);
	f2fs_inode_close(inode);
	return err ? undo(p, dir, name, err) : 0;
}

static int make_entry(struct populate *p, struct f2fs_inode *dir, const char *name, struct source_item *item)
{
	const f2fs_nid_t first = source_link_find(&p->links, item);

	if (item->link)
		return link_to_path(p, dir, name, item);
	if (first != F2FS_NO_NID)
		return link_to_inode(p, dir, name, item, first);
	return make_new(p, dir, name, item);
}

int populate_entry(struct populate *p, struct f2fs_inode *dir, const char *name, struct source_item *item)
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
	return populate_end_meet(p, dir, name, &aside, err);
}

/* Use an existing name for a directory: enter that entry, or replace it. */
static int enter_existing(struct populate *p, struct f2fs_inode *parent, const char *name, struct source_item *item,
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
		err = populate_make_dir(p, parent, name, strlen(name), item, &p->src.attributes, &dir);
		is_made = !err;
		err = populate_end_meet(p, parent, name, &aside, err);
		if (err && is_made)
			f2fs_inode_close(dir);
		else if (!err)
			*out = dir;
		return err;
	}
	if (!err)
		err = populate_open(p, entry.ino, out);
	if (err)
		return err;
	if (p->opt.existing != F2FS_EXISTING_SKIP || map32_find(&p->made, entry.ino))
		err = populate_update(p, *out, item, &p->src.attributes);
	if (err)
		f2fs_inode_close(*out);
	return err;
}

int populate_directory(struct populate *p, struct f2fs_inode *parent, const char *name, struct source_item *item)
{
	struct f2fs_inode *dir;
	int err = populate_make_dir(p, parent, name, strlen(name), item, &p->src.attributes, &dir);
	if (err == F2FS_ERR_EXISTS)
		err = enter_existing(p, parent, name, item, &dir);
	return err ? err : populate_place_enter(p, dir);
}
