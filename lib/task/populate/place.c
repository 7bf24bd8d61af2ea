/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where items go: a stack of the volume's directories from the target down, which follows the paths. A directory's
 * times change with each entry, so a level remembers what they are to be and puts them back when it is left.
 */
#include <string.h>

#include "task/populate/populate.h"

static struct populate_level *last_level(const struct populate *p)
{
	return vec_at(&p->levels, p->levels.count - 1);
}

/* Note the times that the directory of a level is to have in the end. */
static int note_times(struct populate_level *level)
{
	return level->dir ? f2fs_inode_stat(level->dir, &level->times) : 0;
}

static int leave(struct populate *p)
{
	struct populate_level *level = last_level(p);
	int err = 0;

	if (level->dir && level->is_changed)
		err = f2fs_inode_set(level->dir, F2FS_SET_MTIME | F2FS_SET_CTIME, &level->times);
	f2fs_inode_close(level->dir);
	vec_fini(&level->attributes);
	p->levels.count--;
	p->level_path.count = p->levels.count ? last_level(p)->path_length : 0;
	return err;
}

int populate_place_end(struct populate *p)
{
	int err = 0;

	while (!err && p->levels.count > 1)
		err = leave(p);
	if (!err && (p->opt.flags & F2FS_POPULATE_DELETE))
		err = populate_delete(p);
	return err ? err : leave(p);
}

/* Add a level whose path is the first length bytes of path; dir (taken over) may be NULL. */
static int push(struct populate *p, const char *path, size_t length, struct f2fs_inode *dir)
{
	struct populate_level *level;
	char *text;

	if (p->levels.count > POPULATE_MAX_DEPTH) {
		f2fs_inode_close(dir);
		return error_set(p->ctx, F2FS_ERR_NAME_TOO_LONG, "the path has more than %u components",
				 POPULATE_MAX_DEPTH);
	}
	p->level_path.count = 0;
	text = vec_push(&p->level_path, length + 1);
	level = text ? vec_push(&p->levels, 1) : NULL;
	if (!level) {
		f2fs_inode_close(dir);
		return F2FS_ERR_NOMEM;
	}
	memcpy(text, path, length);
	p->level_path.count = length;
	level->dir = dir;
	level->path_length = length;
	level->item.mode = MODE_DIR;
	vec_init(&level->attributes, p->ctx, 1);
	return note_times(level);
}

/* Open the directory that a name in dir is. */
static int open_dir(struct populate *p, struct f2fs_inode *dir, const char *name, size_t length,
		    struct f2fs_inode **out)
{
	struct f2fs_dirent entry;
	int err = f2fs_dir_lookup(dir, name, length, &entry);

	if (err)
		return err;
	if (entry.type != F2FS_TYPE_DIRECTORY)
		return error_set(p->ctx, F2FS_ERR_NOT_DIR, "the name of a parent exists already and is no directory");
	return populate_open(p, entry.ino, out);
}

/* Before the first directory of the target is made: can all of them have their names? */
static int check_target(struct populate *p, const char *path)
{
	size_t n;

	for (; path += strspn(path, "/"), (n = strcspn(path, "/")) > 0; path += n)
		if (n > NAME_MAX_BYTES)
			return error_set(p->ctx, F2FS_ERR_NAME_TOO_LONG,
					 "a name in the target has %llu bytes, at most 255 are possible",
					 (unsigned long long)n);
	return 0;
}

int populate_place_open(struct populate *p)
{
	const char *path = p->opt.target ? p->opt.target : "/";
	const struct f2fs_new spec = {
		F2FS_SIZED(f2fs_new),
		.mode = MODE_DIR | 0755,
		.ctime = p->now,
		.mtime = p->now,
		.atime = p->now,
		.crtime = p->now,
		.flags = F2FS_NEW_EXACT,
	};
	struct f2fs_inode *at, *next;
	size_t n;
	int err = check_target(p, path);

	if (!err)
		err = populate_open(p, p->vol->geo.root_ino, &at);
	if (err)
		return err;
	for (;;) {
		path += strspn(path, "/");
		n = strcspn(path, "/");
		if (n == 0)
			break;
		next = NULL;
		err = open_dir(p, at, path, n, &next);
		if (err == F2FS_ERR_NOT_FOUND)
			err = f2fs_create(at, path, n, &spec, &next);
		f2fs_inode_close(at);
		if (err)
			return err;
		at = next;
		path += n;
	}
	err = push(p, "", 0, at);
	return err ? err : populate_visited(p, at);
}

/* Leave the levels that are not above a path of that length. */
static int go_up(struct populate *p, const char *path, size_t length)
{
	int err = 0;

	while (!err && p->levels.count > 1) {
		const size_t n = last_level(p)->path_length;

		if (n <= length && memcmp(p->level_path.items, path, n) == 0 && (n == length || path[n] == '/'))
			break;
		err = leave(p);
	}
	return err;
}

/* Rules hold for directories that the source does not give, too. */
static int adjust_last(struct populate *p)
{
	struct populate_level *level = last_level(p);

	return populate_adjust(p, p->level_path.items, &level->item, &level->attributes);
}

/* Add levels, not made yet, down to the directory whose path is the first length bytes of path. */
static int go_down(struct populate *p, const char *path, size_t length)
{
	int err = 0;

	while (!err && last_level(p)->path_length < length) {
		const size_t at = last_level(p)->path_length + (p->levels.count > 1);

		err = push(p, path, at + strcspn(path + at, "/"), NULL);
		if (!err)
			err = adjust_last(p);
	}
	return err;
}

/* Open or make the directories of levels that are only noted so far. */
static int make_noted(struct populate *p)
{
	int err = 0;

	for (size_t i = 1; i < p->levels.count && !err; i++) {
		struct populate_level *level = vec_at(&p->levels, i), *above = vec_at(&p->levels, i - 1);
		const size_t start = above->path_length + (i > 1), length = level->path_length - start;
		const char *name = (const char *)p->level_path.items + start;

		if (level->dir)
			continue;
		err = open_dir(p, above->dir, name, length, &level->dir);
		if (err == F2FS_ERR_NOT_FOUND) {
			above->is_changed = true;
			err = populate_make_dir(p, above->dir, name, length, &level->item, &level->attributes,
						&level->dir);
		} else if (!err && level->is_noted) {
			err = populate_update(p, level->dir, &level->item, &level->attributes);
		}
		if (!err)
			err = populate_saw(p, above->dir, name, length);
		if (!err)
			err = populate_visited(p, level->dir);
		if (!err)
			err = note_times(level);
	}
	return err;
}

int populate_place_parent(struct populate *p, struct f2fs_inode **dir, const char **name)
{
	const char *path = populate_path(p), *slash = strrchr(path, '/');
	const size_t length = slash ? (size_t)(slash - path) : 0;
	int err = go_up(p, path, length);

	if (!err)
		err = go_down(p, path, length);
	if (!err)
		err = make_noted(p);
	if (err)
		return err;
	last_level(p)->is_changed = true;
	*dir = last_level(p)->dir;
	*name = slash ? slash + 1 : path;
	return populate_saw(p, *dir, *name, strlen(*name));
}

int populate_place_top(struct populate *p, const struct populate_item *item)
{
	struct populate_level *top = vec_at(&p->levels, 0);
	int err = populate_update(p, top->dir, item, &p->attributes);

	return err ? err : note_times(top);
}

int populate_place_enter(struct populate *p, struct f2fs_inode *dir)
{
	const char *path = populate_path(p);

	int err = push(p, path, strlen(path), dir);

	return err ? err : populate_visited(p, dir);
}

int populate_place_note(struct populate *p, const struct populate_item *item)
{
	const char *path = populate_path(p);
	const size_t length = strlen(path);
	struct populate_level *level;
	char *attributes;
	int err = go_up(p, path, length);

	if (err || (p->levels.count > 0 && last_level(p)->path_length == length))
		return err;
	err = go_down(p, path, length);
	if (err)
		return err;
	level = last_level(p);
	level->is_noted = true;
	level->item = *item;
	level->item.target = level->item.link = NULL;
	level->attributes.count = 0; /* what the rules gave it is among the item's */
	if (p->attributes.count == 0)
		return 0;
	attributes = vec_push(&level->attributes, p->attributes.count);
	if (!attributes)
		return F2FS_ERR_NOMEM;
	memcpy(attributes, p->attributes.items, p->attributes.count);
	return 0;
}

int populate_place_lookup(struct populate *p, const char *path, struct f2fs_inode **out)
{
	const struct populate_level *top = vec_at(&p->levels, 0);
	f2fs_nid_t ino = f2fs_inode_number(top->dir);
	size_t n;

	for (; (n = strcspn(path, "/")) > 0; path += n + (path[n] == '/')) {
		struct f2fs_dirent entry;
		struct f2fs_inode *dir;
		int err = populate_open(p, ino, &dir);

		if (err)
			return err;
		err = f2fs_dir_lookup(dir, path, n, &entry);
		f2fs_inode_close(dir);
		if (err)
			return err;
		ino = entry.ino;
	}
	return populate_open(p, ino, out);
}
