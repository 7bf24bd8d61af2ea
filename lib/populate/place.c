/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the places of items: a stack of the volume's directories from the target down, which follows the paths. A
 * directory's times change with each entry, so a level remembers the right ones and restores them when it is left.
 */
#include "populate/place.h"

#include <string.h>

#include "base/error.h"
#include "file/walk.h"
#include "populate/compress.h"
#include "populate/delete.h"
#include "populate/new_inode.h"
#include "populate/run.h"
#include "source/rules.h"

static struct populate_level *last_level(const struct populate *p)
{
	return vec_at(&p->levels, p->levels.count - 1);
}

/* Note the times that the directory of a level, which is open, is to have in the end. */
static int note_times(struct populate_level *level)
{
	struct f2fs_stat st;
	int err = f2fs_inode_stat(level->dir, &st);

	if (err)
		return err;
	level->mtime = st.mtime;
	level->ctime = st.ctime;
	return 0;
}

/* Open the directory of a level that is made. */
static int open_level(struct populate *p, struct populate_level *level)
{
	return level->dir ? 0 : populate_open(p, level->ino, &level->dir);
}

void populate_noted_free(struct populate_noted *noted)
{
	if (!noted)
		return;
	vec_fini(&noted->attributes);
	mem_free(noted->attributes.ctx, noted);
}

static int put_back_times(struct populate *p, struct populate_level *level)
{
	const struct f2fs_stat times = { .mtime = level->mtime, .ctime = level->ctime };
	int err = open_level(p, level);

	return err ? err : f2fs_inode_set(level->dir, F2FS_SET_MTIME | F2FS_SET_CTIME, &times);
}

static int leave(struct populate *p)
{
	struct populate_level *level = last_level(p);
	int err = level->is_changed ? put_back_times(p, level) : 0;

	f2fs_inode_close(level->dir);
	populate_noted_free(level->noted);
	p->levels.count--;
	p->level_path.count = p->levels.count ? last_level(p)->path_length : 0;
	if (p->made_levels > p->levels.count)
		p->made_levels = p->levels.count;
	if (p->src.same[FOLLOW_PLACE] > p->level_path.count)
		p->src.same[FOLLOW_PLACE] = p->level_path.count;
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

/* Add a level that is not made yet. Its path is the first length bytes of path, which begins with the last level's. */
static int push(struct populate *p, const char *path, size_t length)
{
	const size_t above = p->level_path.count;
	struct populate_level *level;

	if (vec_reserve(&p->level_path, length - above + 1) != 0)
		return F2FS_ERR_NOMEM;
	level = vec_push(&p->levels, 1);
	if (!level)
		return F2FS_ERR_NOMEM;
	memcpy((char *)p->level_path.items + above, path + above, length - above);
	((char *)p->level_path.items)[length] = '\0';
	p->level_path.count = p->src.same[FOLLOW_PLACE] = length;
	level->ino = F2FS_NO_NID;
	level->path_length = length;
	return 0;
}

/* Level i, the first that is not made, is dir (taken over). Directories far above the current one do not stay open. */
static int take_dir(struct populate *p, size_t i, struct f2fs_inode *dir)
{
	struct populate_level *level = vec_at(&p->levels, i);

	level->dir = dir;
	level->ino = f2fs_inode_number(dir);
	populate_noted_free(level->noted);
	level->noted = NULL;
	p->made_levels = i + 1;
	if (i >= NEAR_LEVELS) {
		struct populate_level *far = level - NEAR_LEVELS;

		f2fs_inode_close(far->dir);
		far->dir = NULL;
	}
	return note_times(level);
}

/* Add a level that is dir (taken over). */
static int push_dir(struct populate *p, const char *path, size_t length, struct f2fs_inode *dir)
{
	int err = push(p, path, length);

	if (err)
		f2fs_inode_close(dir);
	else
		err = take_dir(p, p->levels.count - 1, dir);
	return err ? err : populate_visited(p, dir);
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
	return push_dir(p, "", 0, at);
}

/* How many bytes of a path are also those of the last level's, of which same are known to be. */
static size_t count_same(const struct populate *p, const char *path, size_t length, size_t same)
{
	enum { STEP = 256 };
	const char *mine = p->level_path.items;
	const size_t most = length < p->level_path.count ? length : p->level_path.count;

	while (most - same >= STEP && memcmp(mine + same, path + same, STEP) == 0)
		same += STEP;
	while (same < most && mine[same] == path[same])
		same++;
	return same;
}

/* Leave the levels that are not above the first length bytes of the current path. */
static int go_up(struct populate *p, size_t length)
{
	const char *path = source_path(&p->src);
	const size_t same = count_same(p, path, p->src.path.count, p->src.same[FOLLOW_PLACE]);
	int err = 0;

	p->src.same[FOLLOW_PLACE] = same;
	while (!err && p->levels.count > 1) {
		const size_t n = last_level(p)->path_length;

		if (n <= length && n <= same && (path[n] == '\0' || path[n] == '/'))
			break;
		err = leave(p);
	}
	return err;
}

static int add_noted(struct populate *p)
{
	struct populate_level *level = last_level(p);

	level->noted = mem_zalloc(p->ctx, sizeof(*level->noted));
	if (!level->noted)
		return F2FS_ERR_NOMEM;
	vec_init(&level->noted->attributes, p->ctx, 1);
	level->noted->item.mode = MODE_DIR;
	/* rules hold for directories that the source does not give, too */
	return source_adjust(&p->src, p->level_path.items, &level->noted->item, &level->noted->attributes);
}

/* Add levels, not made yet, down to the directory whose path is the first length bytes of the current path. */
static int go_down(struct populate *p, size_t length)
{
	const char *path = source_path(&p->src);
	int err = 0;

	while (!err && last_level(p)->path_length < length) {
		const size_t at = last_level(p)->path_length + (p->levels.count > 1);

		err = push(p, path, at + strcspn(path + at, "/"));
		if (!err)
			err = add_noted(p);
	}
	return err;
}

/* Open or make the directory of the first level that is only noted so far. */
static int make_level(struct populate *p)
{
	const size_t i = p->made_levels;
	struct populate_level *level = vec_at(&p->levels, i), *above = vec_at(&p->levels, i - 1);
	const size_t start = above->path_length + (i > 1), length = level->path_length - start;
	const char *name = (const char *)p->level_path.items + start;
	struct f2fs_inode *dir;
	int err = open_level(p, above);

	if (err)
		return err;
	err = open_dir(p, above->dir, name, length, &dir);
	if (err == F2FS_ERR_NOT_FOUND) {
		above->is_changed = true;
		err = populate_make_dir(p, above->dir, name, length, &level->noted->item, &level->noted->attributes,
					&dir);
	} else if (!err && level->noted->is_given) {
		err = populate_update(p, dir, &level->noted->item, &level->noted->attributes);
		if (err)
			f2fs_inode_close(dir);
	}
	if (err)
		return err;
	err = populate_saw(p, above->dir, name, length);
	if (!err)
		err = populate_visited(p, dir);
	if (!err)
		return take_dir(p, i, dir);
	f2fs_inode_close(dir);
	return err;
}

int populate_place_parent(struct populate *p, struct f2fs_inode **dir, const char **name)
{
	size_t length;
	int err;

	*name = source_name(&p->src);
	length = *name > source_path(&p->src) ? (size_t)(*name - source_path(&p->src)) - 1 : 0;
	err = go_up(p, length);
	if (!err)
		err = go_down(p, length);
	while (!err && p->made_levels < p->levels.count)
		err = make_level(p);
	if (!err)
		err = open_level(p, last_level(p));
	if (err)
		return err;
	last_level(p)->is_changed = true;
	*dir = last_level(p)->dir;
	return populate_saw(p, *dir, *name, strlen(*name));
}

int populate_place_top(struct populate *p, const struct source_item *item)
{
	struct populate_level *top = vec_at(&p->levels, 0);
	int err = open_level(p, top);

	if (!err)
		err = populate_update(p, top->dir, item, &p->src.attributes);
	return err ? err : note_times(top);
}

int populate_place_enter(struct populate *p, struct f2fs_inode *dir)
{
	return push_dir(p, source_path(&p->src), p->src.path.count, dir);
}

int populate_place_note(struct populate *p, const struct source_item *item)
{
	const size_t length = p->src.path.count;
	struct populate_noted *noted;
	char *attributes;
	int err = go_up(p, length);

	if (err || (p->levels.count > 0 && last_level(p)->path_length == length))
		return err;
	err = go_down(p, length);
	if (err)
		return err;
	noted = last_level(p)->noted;
	noted->is_given = true;
	noted->item = *item;
	noted->item.target = noted->item.link = NULL;
	noted->attributes.count = 0; /* attributes from the rules are among the item's */
	if (p->src.attributes.count == 0)
		return 0;
	attributes = vec_push(&noted->attributes, p->src.attributes.count);
	if (!attributes)
		return F2FS_ERR_NOMEM;
	memcpy(attributes, p->src.attributes.items, p->src.attributes.count);
	return 0;
}

/* The last level that is made and whose path a path begins with. */
static const struct populate_level *level_above(const struct populate *p, const char *path)
{
	const size_t same = count_same(p, path, strlen(path), 0);
	size_t low = 0, high = p->made_levels;

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		const size_t n = ((const struct populate_level *)vec_at(&p->levels, middle))->path_length;

		if (n <= same)
			low = middle;
		else
			high = middle;
	}
	if (low > 0) {
		const struct populate_level *level = vec_at(&p->levels, low);

		if (path[level->path_length] != '/' && path[level->path_length] != '\0')
			low--;
	}
	return vec_at(&p->levels, low);
}

int populate_place_find(struct populate *p, const char *path, f2fs_nid_t *out)
{
	const struct populate_level *level = level_above(p, path);
	int err = 0;
	size_t n;

	*out = level->ino;
	path += level->path_length;
	path += *path == '/';
	for (; !err && (n = strcspn(path, "/")) > 0; path += n + (path[n] == '/')) {
		struct f2fs_dirent entry;
		struct f2fs_inode *dir;

		err = populate_open(p, *out, &dir);
		if (err)
			break;
		err = f2fs_dir_lookup(dir, path, n, &entry);
		f2fs_inode_close(dir);
		if (!err)
			*out = entry.ino;
	}
	return err;
}

int populate_place_lookup(struct populate *p, const char *path, struct f2fs_inode **out)
{
	f2fs_nid_t ino;
	int err = populate_place_find(p, path, &ino);

	return err ? err : populate_open(p, ino, out);
}
