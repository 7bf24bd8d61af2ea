/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the entry of the volume at an item's path, and report about it.
 */
#include "compare/seek.h"

#include <string.h>

#include "base/error.h"
#include "compare/run.h"
#include "volume/volume.h"

bool compare_is_fatal(const struct compare *c, int err)
{
	return c->src.is_broken || err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED;
}

static void count(struct f2fs_diff_result *result, int kind)
{
	result->added += kind == F2FS_DIFF_ADDED;
	result->removed += kind == F2FS_DIFF_REMOVED;
	result->changed += kind == F2FS_DIFF_CHANGED;
	result->unreadable += kind == F2FS_DIFF_UNREADABLE;
}

int compare_tell(struct compare *c, const char *path, struct f2fs_difference *difference)
{
	const size_t length = strlen(path) + 1;
	char *text;

	count(c->result, difference->kind);
	if (!c->opt->visit)
		return 0;
	c->shown.count = 0;
	text = vec_push(&c->shown, length + 1);
	if (!text)
		return F2FS_ERR_NOMEM;
	text[0] = '/';
	memcpy(text + 1, path, length);
	difference->path = text;
	if (c->opt->visit(c->opt->user, difference) != 0)
		return error_set(c->ctx, F2FS_ERR_CANCELED, "comparing was stopped");
	return 0;
}

static int see(struct compare *c, f2fs_nid_t dir, uint64_t position)
{
	struct compare_seen *seen = vec_push(&c->seen, 1);

	if (!seen)
		return F2FS_ERR_NOMEM;
	seen->dir = dir;
	seen->position = position;
	return 0;
}

/* Something of the source is in a directory. */
static int note_parent(struct compare *c, f2fs_nid_t ino)
{
	return map32_find(&c->dirs, ino) ? 0 : map32_set(&c->dirs, ino, COMPARE_DIR_PARENT);
}

/* Does the error mean that the inode is absent, and nothing worth a report? */
static bool is_absent(int err)
{
	return err == F2FS_ERR_NOT_FOUND || err == F2FS_ERR_NOT_DIR || err == F2FS_ERR_NAME_TOO_LONG;
}

/*
 * Find a name in a directory. *entry.ino is F2FS_NO_NID when it is not there. A name that differs only by case folding
 * is another name.
 */
static int find_name(struct compare *c, struct f2fs_inode *dir, const char *name, size_t length,
		     struct f2fs_dirent *entry)
{
	int err = f2fs_dir_lookup(dir, name, length, entry);

	if (is_absent(err) || (!err && (entry->name_len != length || memcmp(entry->name, name, length) != 0))) {
		error_clear(c->ctx);
		entry->ino = F2FS_NO_NID;
		return 0;
	}
	return err;
}

void compare_forget_parent(struct compare *c)
{
	f2fs_inode_close(c->parent);
	c->parent = NULL;
}

/* Leave the levels that are not above the first length bytes of a path, which begins with the same bytes as the one
 * before. */
static void go_up(struct compare *c, const char *path, size_t length, size_t same)
{
	const char *mine = c->parent_path.items;
	const size_t most = length < c->parent_path.count ? length : c->parent_path.count;
	size_t n;

	while (same < most && mine[same] == path[same])
		same++;
	while (c->levels.count > 0) {
		n = ((struct compare_level *)vec_at(&c->levels, c->levels.count - 1))->path_length;
		if (n <= same && (n == length || path[n] == '/'))
			break;
		c->levels.count--;
		compare_forget_parent(c);
	}
	c->parent_path.count = c->levels.count > 0 ? n : 0;
}

static int go_down(struct compare *c, const char *path, size_t length, f2fs_nid_t ino)
{
	const size_t above = c->parent_path.count;
	struct compare_level *level;

	if (vec_reserve(&c->parent_path, length - above) != 0)
		return F2FS_ERR_NOMEM;
	level = vec_push(&c->levels, 1);
	if (!level)
		return F2FS_ERR_NOMEM;
	memcpy((char *)c->parent_path.items + above, path + above, length - above);
	c->parent_path.count = length;
	*level = (struct compare_level){ ino, length };
	compare_forget_parent(c);
	return 0;
}

/* Open the directory of the last level, or the root. */
static int open_parent(struct compare *c)
{
	const struct compare_level *level =
		c->levels.count > 0 ? vec_at(&c->levels, c->levels.count - 1) : NULL;

	return c->parent ? 0 : f2fs_inode_open(c->vol, level ? level->ino : c->vol->geo.root_ino, &c->parent);
}

/* Make the directory at the first length bytes of path the current parent. *found: there is one. */
static int find_parent(struct compare *c, const char *path, size_t length, size_t same, bool *found)
{
	int err = 0;

	go_up(c, path, length, same);
	*found = true;
	while (!err && c->parent_path.count < length) {
		const size_t at = c->parent_path.count + (c->parent_path.count > 0), n = strcspn(path + at, "/");
		struct f2fs_dirent entry;

		err = open_parent(c);
		if (!err)
			err = find_name(c, c->parent, path + at, n, &entry);
		if (!err && entry.ino == F2FS_NO_NID) {
			*found = false;
			return 0;
		}
		if (!err)
			err = note_parent(c, entry.ino);
		if (!err)
			err = go_down(c, path, at + n, entry.ino);
	}
	return err ? err : open_parent(c);
}

int compare_find(struct compare *c, const char *path, bool sees, struct f2fs_inode **out)
{
	const bool is_at_hand = path == source_path(&c->src);
	const char *name = path + (is_at_hand ? c->src.path.count : strlen(path));
	struct f2fs_dirent entry;
	size_t *same = &c->src.same[FOLLOW_PLACE], above;
	bool found;
	int err;

	*out = NULL;
	if (!path[0])
		return f2fs_inode_open(c->vol, c->vol->geo.root_ino, out);
	while (name > path && name[-1] != '/')
		name--;
	above = name > path ? (size_t)(name - path) - 1 : 0;
	err = find_parent(c, path, above, is_at_hand ? *same : 0, &found);
	*same = is_at_hand ? c->parent_path.count : 0;
	if (err || !found)
		return err;
	err = find_name(c, c->parent, name, strlen(name), &entry);
	if (err || entry.ino == F2FS_NO_NID)
		return err;
	if (sees)
		err = see(c, f2fs_inode_number(c->parent), entry.position);
	return err ? err : f2fs_inode_open(c->vol, entry.ino, out);
}

int compare_unreadable(struct compare *c, const char *path)
{
	const struct f2fs_error_detail detail = c->ctx->error;
	struct f2fs_difference difference = { .kind = F2FS_DIFF_UNREADABLE, .detail = &detail };
	struct f2fs_inode *inode;
	int err = compare_find(c, path, !c->is_complete, &inode);

	if (!err && inode)
		err = map32_set(&c->dirs, f2fs_inode_number(inode), COMPARE_DIR_UNREAD);
	if (!err)
		f2fs_inode_close(inode);
	return err && compare_is_fatal(c, err) ? err : compare_tell(c, path, &difference);
}
