/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names: make, remove, rename, link.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/join.h"
#include "cli/size.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/names.h"
#include "edit/paths.h"

static int make(struct edit *e, const struct edit_name *name, const struct f2fs_new *spec)
{
	int rc = f2fs_create(name->dir, name->name, name->length, spec, NULL);

	return rc ? edit_fail(e, rc, name->path) : 0;
}

/* ---- mkdir ---- */

static int mkdir_one(struct edit *e, const char *operand, const uint32_t *mode, int may_exist)
{
	struct edit_name name;
	struct f2fs_dirent there;
	struct f2fs_new spec = { F2FS_SIZED(f2fs_new) };
	int rc = edit_name_open(e, operand, &name);

	if (rc)
		return rc;
	edit_new(e, F2FS_MODE_DIR, mode, &spec);
	rc = may_exist ? edit_name_lookup(e, &name, &there) : F2FS_ERR_NOT_FOUND;
	if (rc == F2FS_ERR_NOT_FOUND)
		rc = make(e, &name, &spec);
	else if (!rc && there.type != F2FS_TYPE_DIRECTORY && there.type != F2FS_TYPE_SYMLINK)
		rc = edit_fail(e, f2fs_context_fail(e->ctx, F2FS_ERR_EXISTS, "exists and is not a directory"), operand);
	edit_name_close(&name);
	return rc;
}

/* Each directory on the way, then the last. */
static int mkdir_parents(struct edit *e, const char *operand, const uint32_t *mode)
{
	char *path = edit_path(e, operand);
	size_t n = path ? strlen(path) : 0;
	int rc = !*operand ? edit_usage(e, "name", operand, "is empty") : path ? 0 : edit_no_memory(e);

	for (; n > 1 && path[n - 1] == '/'; n--)
		path[n - 1] = '\0';
	for (size_t i = 1; !rc && i < n; i++) {
		const char *base;

		if (path[i] != '/')
			continue;
		path[i] = '\0';
		base = edit_base(path);
		if (*base && strcmp(base, ".") && strcmp(base, ".."))
			rc = mkdir_one(e, path, NULL, 1);
		path[i] = '/';
	}
	if (!rc && n > 1)
		rc = mkdir_one(e, path, mode, 1);
	free(path);
	return rc;
}

int edit_parse_mode(const char *text, uint32_t *mode)
{
	uint32_t found = 0;

	if (!*text || strlen(text) > 5 || text[strspn(text, "01234567")])
		return -1;
	for (; *text; text++)
		found = found * 8 + (uint32_t)(*text - '0');
	if (found > 07777)
		return -1;
	*mode = found;
	return 0;
}

int do_mkdir(struct edit *e, const struct edit_call *call)
{
	const char *text = call->options['m'];
	uint32_t mode;
	int rc = 0;

	if (text && edit_parse_mode(text, &mode))
		return edit_usage(e, "mkdir -m", text, "is not an octal mode");
	for (int i = 0; !rc && i < call->count; i++)
		rc = edit_has(call, 'p') ? mkdir_parents(e, call->operands[i], text ? &mode : NULL)
					 : mkdir_one(e, call->operands[i], text ? &mode : NULL, 0);
	return rc;
}

/* ---- rm ---- */

static int remove_name(struct edit *e, const struct edit_name *name)
{
	int rc = f2fs_remove(name->dir, name->name, name->length);

	return rc ? edit_fail(e, rc, name->path) : 0;
}

int do_rmdir(struct edit *e, const struct edit_call *call)
{
	int rc = 0;

	for (int i = 0; !rc && i < call->count; i++) {
		struct edit_name name;
		struct f2fs_dirent there;

		rc = edit_name_open(e, call->operands[i], &name);
		if (rc)
			break;
		rc = edit_name_lookup(e, &name, &there);
		if (rc == F2FS_ERR_NOT_FOUND)
			edit_fail(e, rc, name.path);
		else if (!rc && there.type != F2FS_TYPE_DIRECTORY)
			rc = edit_fail(e, f2fs_context_fail(e->ctx, F2FS_ERR_NOT_DIR, "not a directory"), name.path);
		if (!rc)
			rc = remove_name(e, &name);
		edit_name_close(&name);
	}
	return rc;
}

/* A directory on the way down. */
struct level {
	f2fs_nid_t ino;
	char *name;		/* in the one above; NULL of the first */
	struct f2fs_inode *dir; /* NULL: far up */
	struct f2fs_dir *reader;
};

/* A tree that is being removed. Entries go while their directory is read, so reading it again from the start gives the
 * remaining ones. */
struct removal {
	struct edit *e;
	const char *path; /* of the first level */
	struct level *levels;
	size_t depth, room;
	uint8_t *met; /* a bit for each inode that is a level, or was one */
};

static void close_level(struct level *level)
{
	f2fs_dir_close(level->reader);
	f2fs_inode_close(level->dir);
	level->reader = NULL;
	level->dir = NULL;
}

static int fail_at_last(struct removal *r, int rc)
{
	struct edit_way way = { 0 };
	int failed = edit_way_set(r->e, &way, 0, r->path);

	for (size_t i = 1; i < r->depth && !failed; i++)
		failed = edit_way_set(r->e, &way, way.length, r->levels[i].name);
	if (!failed)
		edit_fail(r->e, rc, way.text);
	edit_way_free(&way);
	return rc;
}

/* Open the directory of the last level, without reading it. */
static int open_last(struct removal *r)
{
	struct level *level = &r->levels[r->depth - 1];
	int rc = level->dir ? 0 : f2fs_inode_open(r->e->vol, level->ino, &level->dir);

	return rc ? fail_at_last(r, rc) : 0;
}

/* The next entry of the last level, "." and ".." left out; NOT_FOUND is not reported. */
static int next_entry(struct removal *r, struct f2fs_dirent *entry)
{
	struct level *level = &r->levels[r->depth - 1];
	int rc = open_last(r);

	if (rc)
		return rc;
	rc = level->reader ? 0 : f2fs_dir_open(level->dir, &level->reader);
	while (!rc) {
		rc = f2fs_dir_next(level->reader, entry);
		if (!rc && strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
			return 0;
	}
	return rc == F2FS_ERR_NOT_FOUND ? rc : fail_at_last(r, rc);
}

static int push(struct removal *r, f2fs_nid_t ino, const char *name)
{
	struct level *levels = edit_grow(r->e, r->levels, r->depth, &r->room, sizeof(*levels));
	struct level *level;

	if (!levels)
		return F2FS_ERR_NOMEM;
	r->levels = levels;
	level = &levels[r->depth++];
	*level = (struct level){ .ino = ino, .name = name ? strdup(name) : NULL };
	if (name && !level->name)
		return edit_no_memory(r->e);
	if (r->depth > NEAR_LEVELS)
		close_level(level - NEAR_LEVELS);
	if (ino > f2fs_volume_geometry(r->e->vol)->max_nid || r->met[ino / 8] & 1u << ino % 8)
		return fail_at_last(
			r, f2fs_context_fail(r->e->ctx, F2FS_ERR_LOOP, "the directory is reached a second time"));
	r->met[ino / 8] |= (uint8_t)(1u << ino % 8);
	return 0;
}

/* The directory of the last level is empty: it goes, too. */
static int leave(struct removal *r)
{
	char *name = r->levels[r->depth - 1].name;
	int rc;

	close_level(&r->levels[--r->depth]);
	rc = open_last(r);
	if (!rc)
		rc = f2fs_remove(r->levels[r->depth - 1].dir, name, strlen(name));
	if (rc)
		edit_fail(r->e, rc, name);
	free(name);
	return rc;
}

/* Empty the directory of the first level: children first. */
static int empty_tree(struct removal *r)
{
	int rc = 0;

	while (!rc && !cli_stopped()) {
		struct f2fs_dirent entry;

		rc = next_entry(r, &entry);
		if (rc == F2FS_ERR_NOT_FOUND && r->depth == 1)
			return 0;
		if (rc == F2FS_ERR_NOT_FOUND) {
			rc = leave(r);
		} else if (!rc && entry.type == F2FS_TYPE_DIRECTORY) {
			rc = push(r, entry.ino, entry.name);
		} else if (!rc) {
			rc = f2fs_remove(r->levels[r->depth - 1].dir, entry.name, entry.name_len);
			if (rc)
				edit_fail(r->e, rc, entry.name);
		}
	}
	return rc ? rc : edit_stopped(r->e, NULL);
}

int edit_remove_tree(struct edit *e, const struct edit_name *name, int is_dir)
{
	struct removal r = { .e = e, .path = name->path };
	struct f2fs_dirent there;
	int rc = edit_name_lookup(e, name, &there);

	if (!rc && is_dir) {
		r.met = calloc(f2fs_volume_geometry(e->vol)->max_nid / 8 + 1, 1);
		rc = r.met ? push(&r, there.ino, NULL) : edit_no_memory(e);
		if (!rc)
			rc = empty_tree(&r);
		while (r.depth > 0) {
			close_level(&r.levels[--r.depth]);
			free(r.levels[r.depth].name);
		}
		free(r.levels);
		free(r.met);
	}
	return rc ? rc : remove_name(e, name);
}

static int rm_one(struct edit *e, const char *operand, int is_recursive, int is_forced)
{
	struct edit_name name;
	struct f2fs_dirent there;
	int rc = edit_name_open(e, operand, &name), is_dir;

	if (rc)
		return rc;
	rc = edit_name_lookup(e, &name, &there);
	if (rc) {
		if (rc == F2FS_ERR_NOT_FOUND)
			rc = is_forced ? 0 : edit_fail(e, rc, operand);
		edit_name_close(&name);
		return rc;
	}
	is_dir = there.type == F2FS_TYPE_DIRECTORY;
	if (is_dir && !is_recursive)
		rc = edit_fail(e, f2fs_context_fail(e->ctx, F2FS_ERR_IS_DIR, "is a directory: rm -r, or rmdir"),
			       operand);
	else
		rc = edit_remove_tree(e, &name, is_dir);
	edit_name_close(&name);
	return rc;
}

int do_rm(struct edit *e, const struct edit_call *call)
{
	int rc = 0;

	for (int i = 0; !rc && i < call->count; i++)
		rc = rm_one(e, call->operands[i], edit_has(call, 'r') || edit_has(call, 'R'), edit_has(call, 'f'));
	return rc;
}

/* ---- mv, ln ---- */

static int mv_one(struct edit *e, const char *source, const char *operand, unsigned flags)
{
	struct edit_name from, to;
	struct f2fs_dirent entry = { 0 };
	int rc = edit_name_open(e, source, &from);

	if (rc)
		return rc;
	rc = edit_name_lookup(e, &from, &entry);
	if (rc == F2FS_ERR_NOT_FOUND)
		rc = edit_fail(e, rc, source);
	if (!rc)
		rc = entry.type == F2FS_TYPE_DIRECTORY ? edit_name_open_into(e, operand, source, &to)
						       : edit_name_open_file(e, operand, source, &to);
	if (rc) {
		edit_name_close(&from);
		return rc;
	}
	rc = f2fs_rename(from.dir, from.name, from.length, to.dir, to.name, to.length, flags);
	if (rc)
		edit_fail(e, rc, source);
	edit_name_close(&to);
	edit_name_close(&from);
	return rc;
}

int do_mv(struct edit *e, const struct edit_call *call)
{
	const char *target = call->operands[call->count - 1];
	unsigned flags = edit_has(call, 'n') ? F2FS_RENAME_NO_REPLACE : 0;
	int rc = 0;

	for (int i = 0; !rc && i < call->count - 1; i++)
		rc = mv_one(e, call->operands[i], target, flags);
	return rc;
}

static int symlink_one(struct edit *e, const char *target, const struct edit_name *name)
{
	struct f2fs_new spec = { F2FS_SIZED(f2fs_new) };

	edit_new(e, F2FS_MODE_LNK, NULL, &spec);
	spec.target = target;
	spec.target_length = strlen(target);
	return make(e, name, &spec);
}

/* Remove an entry that has the name of the new link. A directory stays, and is in its way. */
static int clear_link(struct edit *e, const struct edit_name *name)
{
	struct f2fs_dirent there;
	int rc = edit_name_lookup(e, name, &there);

	if (!rc && there.type != F2FS_TYPE_DIRECTORY)
		rc = remove_name(e, name);
	return rc == F2FS_ERR_NOT_FOUND ? 0 : rc;
}

/* Is the name one of the inode at hand already? Then there is nothing to be linked. */
static int is_name_of(struct edit *e, const struct edit_name *name, const struct f2fs_inode *inode)
{
	struct f2fs_dirent there;

	return inode && edit_name_lookup(e, name, &there) == 0 && there.ino == f2fs_inode_number(inode);
}

/* Would a symbolic link of this name lead to the name itself? */
static int leads_to_itself(struct edit *e, const char *target, const struct edit_name *name)
{
	char *path = *target == '/' ? strdup(target) : NULL;
	struct f2fs_dirent there;
	struct f2fs_inode *inode;
	int yes = 0;

	if (*target != '/') {
		char *directory = strdup(name->path);

		if (directory && strrchr(directory, '/')) {
			*strrchr(directory, '/') = '\0';
			path = cli_join(*directory ? directory : "/", target);
		}
		free(directory);
	}
	if (path && edit_name_lookup(e, name, &there) == 0 && f2fs_lookup(e->vol, path, 0, &inode) == 0) {
		yes = there.ino == f2fs_inode_number(inode);
		f2fs_inode_close(inode);
	}
	free(path);
	return yes;
}

int do_ln(struct edit *e, const struct edit_call *call)
{
	const char *target = call->operands[0];
	struct f2fs_inode *inode = NULL;
	struct edit_name name;
	int rc = edit_name_open_file(e, call->operands[1], target, &name);

	if (rc)
		return rc;
	if (!edit_has(call, 's'))
		rc = edit_open(e, target, 0, &inode);
	if (!rc && edit_has(call, 'f') && is_name_of(e, &name, inode))
		goto out;
	if (!rc && edit_has(call, 's') && edit_has(call, 'f') && leads_to_itself(e, target, &name)) {
		rc = edit_usage(e, "ln", call->operands[1], "is the same file");
		goto out;
	}
	if (!rc && edit_has(call, 'f'))
		rc = clear_link(e, &name);
	if (!rc && edit_has(call, 's')) {
		rc = symlink_one(e, target, &name);
	} else if (!rc) {
		rc = f2fs_link(name.dir, name.name, name.length, inode);
		if (rc)
			edit_fail(e, rc, call->operands[1]);
	}
out:
	f2fs_inode_close(inode);
	edit_name_close(&name);
	return rc;
}

int do_mknod(struct edit *e, const struct edit_call *call)
{
	static const struct {
		char letter;
		uint32_t mode;
	} types[] = { { 'c', F2FS_MODE_CHR },
		      { 'b', F2FS_MODE_BLK },
		      { 'p', F2FS_MODE_FIFO },
		      { 's', F2FS_MODE_SOCK } };
	const char *text = call->options['m'], *type = call->operands[1];
	uint32_t mode, kind = 0;
	struct edit_name name;
	struct f2fs_new spec = { F2FS_SIZED(f2fs_new) };
	int rc, is_device;

	if (text && edit_parse_mode(text, &mode))
		return edit_usage(e, "mknod -m", text, "is not an octal mode");
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (type[0] == types[i].letter && !type[1])
			kind = types[i].mode;
	is_device = kind == F2FS_MODE_CHR || kind == F2FS_MODE_BLK;
	if (!kind || call->count != (is_device ? 4 : 2))
		return edit_usage(e, "mknod", type, "is not c MAJOR MINOR, b MAJOR MINOR, p or s");
	edit_new(e, kind, text ? &mode : NULL, &spec);
	if (is_device && (cli_parse_u32(call->operands[2], 0, UINT32_MAX, &spec.rdev_major) ||
			  cli_parse_u32(call->operands[3], 0, UINT32_MAX, &spec.rdev_minor)))
		return edit_usage(e, "mknod", call->operands[2], "is not a device number");
	rc = edit_name_open(e, call->operands[0], &name);
	if (rc)
		return rc;
	rc = make(e, &name, &spec);
	edit_name_close(&name);
	return rc;
}
