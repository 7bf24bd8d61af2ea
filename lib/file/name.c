/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names: create, link, remove, rename, with the link counts and parents that go with them (FORMAT files 2.8, 5.6).
 */
#include <f2fskit/write.h>
#include <string.h>

#include "file/create.h"
#include "format/dentry.h"

static bool is_dir_block(const uint8_t *inode)
{
	return (inode_i_mode(inode) & MODE_TYPE) == MODE_DIR;
}

/* Start a change of a directory; what its handle shows may be stale afterwards. */
static int begin(struct f2fs_inode *dir, struct winode *w)
{
	struct f2fs_volume *vol = dir->vol;
	int err;

	error_clear(vol->ctx);
	err = txn_begin(vol);
	if (!err)
		err = nodes_trim(vol->txn);
	if (!err && vol->txn->page_count > 4096)
		err = pages_flush(vol->txn);
	if (!err)
		err = winode_get(vol, dir->ino, w);
	if (!err && !is_dir_block(winode_block(w)))
		err = error_set(vol->ctx, F2FS_ERR_NOT_DIR, "inode %u is not a directory", (unsigned)dir->ino);
	return err;
}

static int need_absent(struct f2fs_inode *dir, const char *name, size_t length)
{
	struct f2fs_dirent entry;
	int err = f2fs_dir_lookup(dir, name, length, &entry);

	if (err == F2FS_ERR_NOT_FOUND) {
		error_clear(dir->vol->ctx);
		return 0;
	}
	return err ? err : error_set(dir->vol->ctx, F2FS_ERR_EXISTS, "the name exists already");
}

static void add_links(struct winode *w, int change)
{
	inode_set_i_links(winode_block(w), inode_i_links(winode_block(w)) + (uint32_t)change);
	node_dirty(w->txn, w->node);
}

static void set_dir_times(struct winode *dir, const struct f2fs_time *t)
{
	uint8_t *block = winode_block(dir);

	inode_set_i_mtime(block, t->seconds);
	inode_set_i_mtime_nsec(block, t->nanoseconds);
	inode_set_i_ctime(block, t->seconds);
	inode_set_i_ctime_nsec(block, t->nanoseconds);
	node_dirty(dir->txn, dir->node);
}

/* A symlink's target: inside the inode, else in block 0. */
static int store_target(struct winode *w, const struct f2fs_new *spec)
{
	uint8_t *block = winode_block(w), *page;
	int err = 0;

	if (spec->target_length == 0 || spec->target_length >= w->txn->vol->geo.block_size ||
	    memchr(spec->target, 0, spec->target_length))
		return error_set(w->txn->vol->ctx, F2FS_ERR_INVALID,
				 "the target of a symbolic link has 1 to %u bytes and no NUL",
				 (unsigned)w->txn->vol->geo.block_size - 1);
	if (spec->target_length <= w->layout.inline_size) {
		memcpy(block + w->layout.inline_offset, spec->target, spec->target_length);
		inode_set_i_inline(block, inode_i_inline(block) | (uint8_t)FLAG_i_inline_data_exist);
	} else {
		inode_set_i_inline(block, inode_i_inline(block) & (uint8_t)~FLAG_i_inline_inline_data);
		winode_touch(w);
		err = page_get(w, 0, true, &page);
		if (!err)
			memcpy(page, spec->target, spec->target_length);
	}
	inode_set_i_size(block, spec->target_length);
	node_dirty(w->txn, w->node);
	return err;
}

int f2fs_create(struct f2fs_inode *dir, const char *name, size_t length, const struct f2fs_new *spec,
		struct f2fs_inode **out)
{
	const struct inode_spec inner = { .mode = (uint16_t)spec->mode,
					  .uid = spec->uid,
					  .gid = spec->gid,
					  .rdev_major = spec->rdev_major,
					  .rdev_minor = spec->rdev_minor,
					  .atime = spec->atime,
					  .mtime = spec->mtime,
					  .ctime = spec->ctime,
					  .crtime = spec->crtime };
	struct winode parent, w;
	int err = begin(dir, &parent);

	if (!err)
		err = need_absent(dir, name, length);
	if (!err && length > NAME_MAX_BYTES)
		err = error_set(dir->vol->ctx, F2FS_ERR_NAME_TOO_LONG, "a name has at most 255 bytes");
	if (!err)
		err = inode_make(&parent, name, length, &inner, &w);
	if (!err && (spec->mode & MODE_TYPE) == MODE_LNK)
		err = store_target(&w, spec);
	if (!err)
		err = dir_insert(&parent, name, length, w.node->nid, inode_dirent_type((uint16_t)spec->mode));
	if (err)
		return err;
	if ((spec->mode & MODE_TYPE) == MODE_DIR)
		add_links(&parent, 1);
	set_dir_times(&parent, &spec->ctime);
	return out ? inode_open(dir->vol, w.node->nid, out) : 0;
}

/* The newest name is remembered in the inode; with several i_pino says little (FORMAT files 6). */
static void remember_name(struct winode *w, f2fs_nid_t pino, const char *name, size_t length, bool lost_pino)
{
	uint8_t *block = winode_block(w);

	inode_set_i_pino(block, pino);
	inode_set_i_namelen(block, (uint32_t)length);
	memset(inode_i_name_w(block), 0, inode_SIZE_i_name);
	memcpy(inode_i_name_w(block), name, length);
	if (lost_pino)
		inode_set_i_advise(block, inode_i_advise(block) | (uint8_t)FLAG_i_advise_lost_pino);
	node_dirty(w->txn, w->node);
}

int f2fs_link(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_inode *inode)
{
	struct winode parent, w;
	int err = begin(dir, &parent);

	if (!err)
		err = winode_get(dir->vol, inode->ino, &w);
	if (!err && is_dir_block(winode_block(&w)))
		err = error_set(dir->vol->ctx, F2FS_ERR_IS_DIR, "directories have one name");
	if (!err)
		err = need_absent(dir, name, length);
	if (!err)
		err = dir_insert(&parent, name, length, inode->ino, inode_dirent_type(inode_i_mode(winode_block(&w))));
	if (err)
		return err;
	add_links(&w, 1);
	remember_name(&w, dir->ino, name, length, true);
	return 0;
}

static int need_empty(struct f2fs_volume *vol, f2fs_nid_t ino)
{
	struct f2fs_dirent entry;
	struct f2fs_inode *inode;
	struct f2fs_dir *dir;
	int err = inode_open(vol, ino, &inode);

	if (err)
		return err;
	err = f2fs_dir_open(inode, &dir);
	while (!err) {
		err = f2fs_dir_next(dir, &entry);
		if (err || strcmp(entry.name, ".") == 0 || strcmp(entry.name, "..") == 0)
			continue;
		err = error_set(vol->ctx, F2FS_ERR_NOT_EMPTY, "directory inode %u is not empty", (unsigned)ino);
	}
	if (err == F2FS_ERR_NOT_FOUND) {
		f2fs_dir_close(dir);
		err = 0;
	} else if (err == F2FS_ERR_NOT_EMPTY || err == F2FS_ERR_CORRUPT) {
		f2fs_dir_close(dir);
	}
	f2fs_inode_close(inode);
	return err;
}

/* Take one name from an inode; the last one takes the inode along. */
static int drop_name(struct winode *parent, f2fs_nid_t ino)
{
	struct winode w;
	int err = winode_get(parent->txn->vol, ino, &w);

	if (err)
		return err;
	if (is_dir_block(winode_block(&w))) {
		add_links(parent, -1);
		return inode_free(&w);
	}
	if (inode_i_links(winode_block(&w)) > 1) {
		add_links(&w, -1);
		return 0;
	}
	return inode_free(&w);
}

static bool is_dots(const char *name, size_t length)
{
	return (length == 1 && name[0] == '.') || (length == 2 && name[0] == '.' && name[1] == '.');
}

int f2fs_remove(struct f2fs_inode *dir, const char *name, size_t length)
{
	struct f2fs_dirent entry;
	struct winode parent;
	int err = begin(dir, &parent);

	if (!err && is_dots(name, length))
		err = error_set(dir->vol->ctx, F2FS_ERR_INVALID, "\".\" and \"..\" cannot be removed");
	if (!err)
		err = f2fs_dir_lookup(dir, name, length, &entry);
	if (!err && entry.type == F2FS_TYPE_DIRECTORY)
		err = need_empty(dir->vol, entry.ino);
	if (!err)
		err = dir_remove(&parent, &entry);
	return err ? err : drop_name(&parent, entry.ino);
}

/* Is directory ino the same as or below ancestor? Climbs by "..", at most as many steps as there are nodes. */
static int need_not_below(struct f2fs_volume *vol, f2fs_nid_t ino, f2fs_nid_t ancestor)
{
	for (uint32_t steps = 0; steps < vol->geo.max_nid; steps++) {
		struct f2fs_dirent up;
		struct f2fs_inode *dir;
		int err;

		if (ino == ancestor)
			return error_set(vol->ctx, F2FS_ERR_INVALID, "a directory cannot move below itself");
		if (ino == vol->geo.root_ino)
			return 0;
		err = inode_open(vol, ino, &dir);
		if (err)
			return err;
		err = f2fs_dir_lookup(dir, "..", 2, &up);
		f2fs_inode_close(dir);
		if (err)
			return err;
		ino = up.ino;
	}
	return error_set(vol->ctx, F2FS_ERR_LOOP, "the parents of a directory run in a circle");
}

/* A directory in a new parent: its ".." and both link counts. */
static int move_dir(struct winode *from, struct winode *to, struct winode *moved)
{
	struct f2fs_dirent up;
	struct f2fs_inode *dir;
	int err = inode_open(from->txn->vol, moved->node->nid, &dir);

	if (err)
		return err;
	err = f2fs_dir_lookup(dir, "..", 2, &up);
	f2fs_inode_close(dir);
	if (!err)
		err = dir_replace(moved, &up, to->node->nid, F2FS_TYPE_DIRECTORY);
	if (err)
		return err;
	add_links(from, -1);
	add_links(to, 1);
	return 0;
}

/* May the entry that has the new name be replaced by what is renamed? */
static int check_replace(struct f2fs_volume *vol, const struct f2fs_dirent *from, const struct f2fs_dirent *to,
			 unsigned flags)
{
	if (flags & F2FS_RENAME_NO_REPLACE)
		return error_set(vol->ctx, F2FS_ERR_EXISTS, "the new name exists already");
	if (from->type == F2FS_TYPE_DIRECTORY && to->type != F2FS_TYPE_DIRECTORY)
		return error_set(vol->ctx, F2FS_ERR_NOT_DIR, "a directory cannot replace a file");
	if (from->type != F2FS_TYPE_DIRECTORY && to->type == F2FS_TYPE_DIRECTORY)
		return error_set(vol->ctx, F2FS_ERR_IS_DIR, "a file cannot replace a directory");
	return to->type == F2FS_TYPE_DIRECTORY ? need_empty(vol, to->ino) : 0;
}

int f2fs_rename(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_inode *new_dir,
		const char *new_name, size_t new_length, unsigned flags)
{
	struct f2fs_volume *vol = dir->vol;
	struct f2fs_dirent from, to;
	struct winode old_parent, new_parent, moved;
	int err = begin(dir, &old_parent), replaces;

	if (!err)
		err = winode_get(vol, new_dir->ino, &new_parent);
	if (!err && (is_dots(name, length) || is_dots(new_name, new_length)))
		err = error_set(vol->ctx, F2FS_ERR_INVALID, "\".\" and \"..\" cannot be renamed");
	if (!err)
		err = f2fs_dir_lookup(dir, name, length, &from);
	if (!err)
		err = winode_get(vol, from.ino, &moved);
	if (!err && from.type == F2FS_TYPE_DIRECTORY)
		err = need_not_below(vol, new_dir->ino, from.ino);
	if (err)
		return err;
	replaces = f2fs_dir_lookup(new_dir, new_name, new_length, &to);
	if (replaces && replaces != F2FS_ERR_NOT_FOUND)
		return replaces;
	if (replaces == 0) {
		if (to.ino == from.ino)
			return 0;
		err = check_replace(vol, &from, &to, flags);
		if (!err)
			err = dir_replace(&new_parent, &to, from.ino, from.type);
		if (!err)
			err = drop_name(&new_parent, to.ino);
	} else {
		err = dir_insert(&new_parent, new_name, new_length, from.ino, from.type);
	}
	if (!err) /* an insertion may have moved the old entry out of its inline area */
		err = f2fs_dir_lookup(dir, name, length, &from);
	if (!err)
		err = dir_remove(&old_parent, &from);
	if (!err && from.type == F2FS_TYPE_DIRECTORY && dir->ino != new_dir->ino)
		err = move_dir(&old_parent, &new_parent, &moved);
	if (err)
		return err;
	remember_name(&moved, new_dir->ino, new_name, new_length, from.type != F2FS_TYPE_DIRECTORY);
	error_clear(vol->ctx);
	return 0;
}

static void set_time(uint8_t *block, unsigned which, const struct f2fs_stat *v)
{
	if (which & F2FS_SET_ATIME) {
		inode_set_i_atime(block, v->atime.seconds);
		inode_set_i_atime_nsec(block, v->atime.nanoseconds);
	}
	if (which & F2FS_SET_MTIME) {
		inode_set_i_mtime(block, v->mtime.seconds);
		inode_set_i_mtime_nsec(block, v->mtime.nanoseconds);
	}
	if (which & F2FS_SET_CTIME) {
		inode_set_i_ctime(block, v->ctime.seconds);
		inode_set_i_ctime_nsec(block, v->ctime.nanoseconds);
	}
}

static int set_extra(struct winode *w, unsigned which, const struct f2fs_stat *v)
{
	const struct f2fs_geometry *geo = &w->txn->vol->geo;
	uint8_t *block = winode_block(w), *extra = block + INODE_ADDR_OFFSET;

	if (which & F2FS_SET_PROJID) {
		if (!geometry_has(geo, F2FS_FEATURE_PROJECT_QUOTA) || !inode_has_extra(block, extra_OFS_i_projid + 4))
			return error_set(w->txn->vol->ctx, F2FS_ERR_UNSUPPORTED, "the inode has no project id");
		extra_set_i_projid(extra, v->projid);
	}
	if (which & F2FS_SET_CRTIME) {
		if (!geometry_has(geo, F2FS_FEATURE_INODE_CRTIME) ||
		    !inode_has_extra(block, extra_OFS_i_crtime_nsec + 4))
			return error_set(w->txn->vol->ctx, F2FS_ERR_UNSUPPORTED, "the inode has no creation time");
		extra_set_i_crtime(extra, v->crtime.seconds);
		extra_set_i_crtime_nsec(extra, v->crtime.nanoseconds);
	}
	return 0;
}

int f2fs_inode_set(struct f2fs_inode *inode, unsigned which, const struct f2fs_stat *values)
{
	const uint32_t settable =
		0x8u | 0x10u | 0x20u | 0x40u | 0x80u | FLAG_i_flags_dirsync | FLAG_i_flags_projinherit;
	struct f2fs_volume *vol = inode->vol;
	struct winode w;
	uint8_t *block;
	int err;

	error_clear(vol->ctx);
	err = txn_begin(vol);
	if (!err)
		err = nodes_trim(vol->txn);
	if (!err)
		err = winode_get(vol, inode->ino, &w);
	if (err)
		return err;
	block = winode_block(&w);
	/* usage moves from the old owner to the new one */
	err = quota_charge(&w, -(int64_t)(inode_i_blocks(block) - 1), -1);
	if (!err)
		err = set_extra(&w, which, values);
	if (err)
		return err;
	if (which & F2FS_SET_MODE)
		inode_set_i_mode(block, (uint16_t)((inode_i_mode(block) & MODE_TYPE) | (values->mode & 07777)));
	if (which & F2FS_SET_UID)
		inode_set_i_uid(block, values->uid);
	if (which & F2FS_SET_GID)
		inode_set_i_gid(block, values->gid);
	if (which & F2FS_SET_FLAGS)
		inode_set_i_flags(block, (inode_i_flags(block) & ~settable) | (values->flags & settable));
	set_time(block, which, values);
	node_dirty(w.txn, w.node);
	return quota_charge(&w, (int64_t)(inode_i_blocks(block) - 1), 1);
}
