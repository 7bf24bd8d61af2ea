/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names that files in use once had: entries left in directories, unless the directory has the name for that inode
 * still. An entry has no time, so a reused number may have been another file's then. Another round over the directories
 * finds the present name of such a file.
 */
#include <string.h>

#include "base/error.h"
#include "file/dir_find.h"
#include "file/inode_read.h"
#include "forensics/past_entries.h"
#include "forensics/past_names.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"

struct former {
	struct f2fs_past *past;
	struct past_entries left, now_used;
	struct map32 files; /* inodes with former names */
	struct past_names names;
	char *path, *now; /* PAST_PATH_ROOM bytes each */
	int (*visit)(void *user, const struct f2fs_former_name *name);
	void *user;
};

static bool ends_all(int err)
{
	return err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED;
}

/* Is it known that the directory has the name for the inode no more? */
static int is_former(struct former *f, const struct past_entry *item, bool *out)
{
	struct f2fs_dirent entry = { 0 };
	struct f2fs_inode *dir;
	int err = inode_open(f->past->vol, item->dir, &dir);

	if (!err) {
		err = dir_find_stored(dir, vec_at(&f->left.text, item->name), item->length, item->hash, &entry);
		f2fs_inode_close(dir);
	}
	*out = err == F2FS_ERR_NOT_FOUND || err == F2FS_ERR_NOT_DIR || (!err && entry.ino != item->ino);
	return ends_all(err) ? err : 0;
}

/* The file: its type, 0 when that cannot be read, and its path by its own record. */
static int look_up(struct former *f, struct f2fs_former_name *name)
{
	struct f2fs_volume *vol = f->past->vol;
	struct f2fs_nat_info entry;
	const uint8_t *block;
	int err = nat_get(vol, name->ino, &entry);

	name->type = 0;
	if (err || !geometry_is_main(&vol->geo, entry.block_addr))
		return ends_all(err) ? err : 0;
	err = volume_peek(vol, entry.block_addr, &block);
	if (err || footer_nid(node_footer(&vol->geo, block)) != name->ino ||
	    footer_ino(node_footer(&vol->geo, block)) != name->ino)
		return ends_all(err) ? err : 0;
	name->type = (uint8_t)f2fs_type_of_mode(inode_i_mode(block));
	/* each time that a number becomes free the version of its entry grows */
	name->is_unsure = entry.version != 0 || past_entries_was_used(f->past, name->ino);
	err = past_names_of_inode(&f->names, block, f->now, &name->now_state);
	return ends_all(err) ? err : 0;
}

/* Leave the names that are former ones, and remember whose. */
static int sift(struct former *f)
{
	struct vec *items = &f->left.items;
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < items->count && !err; i++) {
		const struct past_entry item = *(struct past_entry *)vec_at(items, i);
		bool former = false;

		err = is_former(f, &item, &former);
		if (!err && former)
			err = map32_set(&f->files, item.ino, 1);
		if (!err)
			err = progress_tick(f->past->vol->ctx, "search", f->past->vol->geo.block_size);
		if (!err && former)
			*(struct past_entry *)vec_at(items, kept++) = item;
	}
	items->count = err ? items->count : kept;
	return err;
}

static int make_path(struct former *f, struct past_entries *entries, const struct past_entry *item, char *path,
		     int *state)
{
	return past_names_path(&f->names, item->dir, vec_at(&entries->text, item->name), item->length, item->is_cipher,
			       path, state);
}

static int tell(struct former *f, const struct past_entry *item)
{
	struct f2fs_former_name name = { .path = f->path, .now = f->now, .ino = item->ino, .parent = item->dir };
	const struct past_entry *used;
	size_t count;
	int err = look_up(f, &name);

	if (err || name.type != item->type)
		return err;
	used = past_entries_of(&f->now_used, item->ino, &count);
	if (count)
		err = make_path(f, &f->now_used, used, f->now, &name.now_state);
	if (!err)
		err = make_path(f, &f->left, item, f->path, &name.path_state);
	return err ? err : f->visit(f->user, &name);
}

static int tell_all(struct former *f)
{
	int err = past_entries_load(&f->left);

	if (!err)
		err = sift(f);
	if (!err && f->left.items.count)
		err = past_entries_load(&f->now_used);
	for (size_t i = 0; i < f->left.items.count && !err; i++)
		err = tell(f, vec_at(&f->left.items, i));
	return err;
}

int f2fs_past_list_names(struct f2fs_past *past, int (*visit)(void *user, const struct f2fs_former_name *name),
			 void *user)
{
	struct f2fs_context *ctx = past->vol->ctx;
	struct former f = { .past = past, .visit = visit, .user = user };
	int err;

	error_clear(ctx);
	err = past_need_all(past);
	if (err)
		return err;
	past_names_init(&f.names, past);
	map32_init(&f.files, ctx);
	past_entries_init(&f.left, past, ENTRIES_LEFT);
	past_entries_init(&f.now_used, past, ENTRIES_IN_USE);
	f.now_used.only = &f.files;
	f.path = mem_alloc(ctx, PAST_PATH_ROOM);
	f.now = mem_alloc(ctx, PAST_PATH_ROOM);
	err = f.path && f.now ? tell_all(&f) : F2FS_ERR_NOMEM;
	mem_free(ctx, f.now);
	mem_free(ctx, f.path);
	past_entries_fini(&f.now_used);
	past_entries_fini(&f.left);
	map32_fini(&f.files);
	past_names_fini(&f.names);
	if (!err)
		error_clear(ctx);
	return err;
}
