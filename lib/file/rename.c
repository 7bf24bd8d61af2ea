/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rename: move a name, replace an existing one, exchange two, leave a whiteout (FORMAT files 5.6). Everything is
 * checked before the first change.
 */
#include <f2fskit/write.h>

#include "base/error.h"
#include "file/acl_inherit.h"
#include "file/change.h"
#include "file/crypto.h"
#include "file/dir_find.h"
#include "file/dir_read.h"
#include "file/dir_write.h"
#include "file/inode_new.h"
#include "file/inode_past.h"
#include "file/inode_read.h"
#include "file/name.h"
#include "file/name_own.h"
#include "file/orphan.h"
#include "file/winode.h"
#include "log/chain.h"
#include "log/space.h"

/* One of the two names: its place and its inode. */
struct side {
	struct f2fs_inode *dir;
	const char *name;
	size_t length;
	struct stored_name stored; /* the name, when something is put there */
	struct winode parent, w;
	struct f2fs_dirent entry;
	struct acl_heritage acl; /* for a whiteout */
	bool exists, is_dir;
};

static int look_up(struct side *s)
{
	int err = dir_lookup(s->dir, s->name, s->length, &s->entry);

	if (err)
		return err;
	s->exists = true;
	err = winode_get(s->dir->vol, s->entry.ino, &s->w);
	if (!err)
		err = name_need_own(s->dir, &s->entry, &s->w);
	s->is_dir = !err && winode_is_dir(&s->w);
	return err;
}

static unsigned type_of(const struct side *s)
{
	return f2fs_type_of_mode(inode_i_mode(winode_block(&s->w)));
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
		err = dir_lookup(dir, "..", 2, &up);
		f2fs_inode_close(dir);
		if (err)
			return err;
		ino = up.ino;
	}
	return error_set(vol->ctx, F2FS_ERR_LOOP, "the parents of a directory run in a circle");
}

/* May what s names go to the directory of the other side? */
static int check_move(struct side *s, struct side *to)
{
	if (s->is_dir && s->dir->ino != to->dir->ino) {
		int err = need_not_below(s->dir->vol, to->dir->ino, s->entry.ino);

		if (err)
			return err;
	}
	/* renaming within one directory cannot change the policy */
	if (s->dir->ino != to->dir->ino) {
		int err = crypto_need_same(&to->parent, &s->w);

		if (err)
			return err;
	}
	return name_need_project(&to->parent, &s->w);
}

/* May the file with the new name be replaced? */
static int check_replace(const struct side *from, const struct side *to, unsigned flags)
{
	struct f2fs_context *ctx = to->dir->vol->ctx;

	if (flags & F2FS_RENAME_NO_REPLACE)
		return error_set(ctx, F2FS_ERR_EXISTS, "the new name exists already");
	if (from->is_dir && !to->is_dir)
		return error_set(ctx, F2FS_ERR_NOT_DIR, "a directory cannot replace a file");
	if (!from->is_dir && to->is_dir)
		return error_set(ctx, F2FS_ERR_IS_DIR, "a file cannot replace a directory");
	if (to->is_dir) {
		int err = dir_need_empty(to->dir->vol, to->entry.ino);

		if (err)
			return err;
	}
	return orphans_need_room(to->parent.txn);
}

/* A directory moves to a new parent: update its ".." and the link counts of both parents, unless another directory
 * takes its place. */
static int move_dir(struct side *moved, struct side *from, struct side *to)
{
	struct f2fs_dirent up;
	struct f2fs_inode *dir;
	int err = inode_open(from->dir->vol, moved->w.node->nid, &dir);

	if (err)
		return err;
	err = dir_lookup(dir, "..", 2, &up);
	f2fs_inode_close(dir);
	if (!err)
		err = dir_replace(&moved->w, &up, to->dir->ino, F2FS_TYPE_DIRECTORY);
	if (err)
		return err;
	links_add(&from->parent, -1);
	links_add(&to->parent, 1);
	return 0;
}

static int store_name(struct side *s)
{
	return dir_store_name(&s->parent, s->name, s->length, &s->stored);
}

/* Update the name and parent that the inode remembers. */
static void remember_name(struct winode *w, bool is_dir, const struct side *at)
{
	name_remember(w, &at->parent, &at->stored, !is_dir);
}

/* A character device 0:0 where the old name was: overlay file systems read that as "removed". */
static int leave_whiteout(struct side *from)
{
	const struct f2fs_volume *vol = from->dir->vol;
	const struct f2fs_time now = { vol->clock.seconds, vol->clock.nanoseconds };
	const struct inode_spec spec = { .mode = MODE_CHR, .atime = now, .mtime = now, .ctime = now, .crtime = now };
	struct winode w;
	int err = inode_make(&from->parent, &from->stored, &spec, &w);

	if (!err)
		err = acl_heritage_give(&from->acl, &w);
	return err ? err : dir_insert(&from->parent, &from->stored, w.node->nid, F2FS_TYPE_CHARACTER);
}

static int move_name(struct side *from, struct side *to, unsigned flags)
{
	int err = to->exists ? check_replace(from, to, flags) : 0;

	if (!err)
		err = store_name(to);
	if (!err && (flags & F2FS_RENAME_WHITEOUT))
		err = store_name(from);
	if (!err && !to->exists)
		err = name_need_no_twin(to->dir, to->name, to->length, from->entry.ino);
	if (!err)
		err = space_need(from->parent.txn, NAME_BLOCKS * 2);
	if (!err && (flags & F2FS_RENAME_WHITEOUT))
		err = acl_heritage_load(from->dir, &from->parent, MODE_CHR, &from->acl);
	if (err)
		return err;
	if (to->exists) {
		err = dir_replace(&to->parent, &to->entry, from->entry.ino, type_of(from));
		if (!err)
			err = name_drop(&to->parent, to->entry.ino);
	} else {
		err = dir_insert(&to->parent, &to->stored, from->entry.ino, type_of(from));
	}
	/* an insertion may have moved the old entry out of its inline area, and changed the layout of the inode */
	if (!err)
		err = winode_get(from->dir->vol, from->dir->ino, &from->parent);
	if (!err)
		err = dir_lookup(from->dir, from->name, from->length, &from->entry);
	if (!err)
		err = dir_remove(&from->parent, &from->entry);
	if (!err)
		err = chain_note(from->parent.txn, from->dir->ino, CHAIN_NAME_LIVES);
	if (!err && from->is_dir && from->dir->ino != to->dir->ino)
		err = move_dir(from, from, to);
	if (err)
		return err;
	remember_name(&from->w, from->is_dir, to);
	winode_stamp(&from->w, STAMP_CTIME);
	return flags & F2FS_RENAME_WHITEOUT ? leave_whiteout(from) : 0;
}

static int exchange_names(struct side *a, struct side *b)
{
	int err = check_move(b, a);

	if (!err)
		err = store_name(a);
	if (!err)
		err = store_name(b);
	if (!err)
		err = dir_replace(&a->parent, &a->entry, b->entry.ino, type_of(b));
	if (!err)
		err = dir_replace(&b->parent, &b->entry, a->entry.ino, type_of(a));
	if (!err)
		err = chain_note(a->parent.txn, a->dir->ino, CHAIN_NAME_LIVES);
	if (!err)
		err = chain_note(b->parent.txn, b->dir->ino, CHAIN_NAME_LIVES);
	if (!err && a->is_dir && a->dir->ino != b->dir->ino)
		err = move_dir(a, a, b);
	if (!err && b->is_dir && a->dir->ino != b->dir->ino)
		err = move_dir(b, b, a);
	if (err)
		return err;
	remember_name(&a->w, a->is_dir, b);
	remember_name(&b->w, b->is_dir, a);
	return 0;
}

static int rename_sides(struct side *from, struct side *to, unsigned flags)
{
	struct f2fs_context *ctx = from->dir->vol->ctx;
	int err = dir_get(from->dir, true, &from->parent);

	if (!err)
		err = dir_get(to->dir, true, &to->parent);
	if (!err && (name_is_dots(from->name, from->length) || name_is_dots(to->name, to->length)))
		err = error_set(ctx, F2FS_ERR_INVALID, "\".\" and \"..\" cannot be renamed");
	if (!err)
		err = look_up(from);
	if (!err)
		err = check_move(from, to);
	if (err)
		return err;
	err = look_up(to);
	if (err == F2FS_ERR_NOT_FOUND && !to->exists && !(flags & F2FS_RENAME_EXCHANGE)) {
		error_clear(ctx);
		err = 0;
	}
	if (err || (to->exists && to->entry.ino == from->entry.ino && !(flags & F2FS_RENAME_NO_REPLACE)))
		return err; /* two names of one file: nothing happens */
	return flags & F2FS_RENAME_EXCHANGE ? exchange_names(from, to) : move_name(from, to, flags);
}

int f2fs_rename(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_inode *new_dir,
		const char *new_name, size_t new_length, unsigned flags)
{
	const unsigned all = F2FS_RENAME_NO_REPLACE | F2FS_RENAME_EXCHANGE | F2FS_RENAME_WHITEOUT;
	struct side from = { .dir = dir, .name = name, .length = length };
	struct side to = { .dir = new_dir, .name = new_name, .length = new_length };
	struct change change;
	int err = change_begin_on(&change, dir);

	if (!err && ((flags & ~all) || ((flags & F2FS_RENAME_EXCHANGE) && (flags & all) != F2FS_RENAME_EXCHANGE)))
		err = error_set(dir->vol->ctx, F2FS_ERR_INVALID, "flags of a rename that do not go together");
	if (!err)
		err = inode_need_current(new_dir);
	if (!err)
		err = rename_sides(&from, &to, flags);
	acl_heritage_drop(dir->vol, &from.acl);
	if (!err)
		error_clear(dir->vol->ctx);
	return change_end(&change, err);
}
