/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The directories /.f2fs/deleted, /.f2fs/versions and /.f2fs/checkpoints: which names they have, and what these open.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuse/deleted_tree.h"
#include "fuse/guard.h"
#include "fuse/known_inodes.h"
#include "fuse/mount.h"
#include "fuse/mount_history.h"

enum { VIEWS_MAX = 64 };

struct view {
	struct f2fs_volume *vol;
	uint32_t version;
};

struct version_row {
	mode_t type;
	int is_other; /* of an earlier file with the inode's number */
	struct history_marks marks;
};

struct versions {
	f2fs_nid_t ino; /* 0: none */
	struct version_row *rows;
	uint32_t count, room;
};

struct history {
	struct f2fs_past *past;	      /* NULL: not made yet */
	struct deleted_tree *deleted; /* the same */
	uint32_t *versions;	      /* of checkpoints, ascending; NULL: the same */
	uint32_t version_count, version_room;
	struct view views[VIEWS_MAX];
	unsigned view_count;
	struct versions last; /* of the file asked for last */
};

void history_free(struct mount *m)
{
	struct history *e = m->history;

	if (!e)
		return;
	while (e->view_count)
		f2fs_volume_close(e->views[--e->view_count].vol);
	deleted_tree_free(e->deleted);
	f2fs_past_close(e->past);
	free(e->versions);
	free(e->last.rows);
	free(e);
	m->history = NULL;
}

int history_past(struct mount *m, struct f2fs_past **out)
{
	struct history *e = m->history;
	int err = e->past ? 0 : f2fs_past_open(m->vol, NULL, &e->past);

	*out = e->past;
	return err;
}

static int tree_of(struct mount *m, const struct deleted_tree **out)
{
	struct history *e = m->history;
	struct f2fs_past *past;
	int err = history_past(m, &past);

	if (!err && !e->deleted)
		err = deleted_tree_new(past, &e->deleted);
	*out = e->deleted;
	return err;
}

/* ---- inodes ---- */

static int open_inode(struct mount *m, const struct known *k, struct f2fs_inode **out)
{
	struct history *e = m->history;
	struct f2fs_past *past;
	f2fs_blk_t addr = k->ino;
	int err;

	if (!e)
		return F2FS_ERR_NOT_FOUND;
	if (k->space >= SPACE_VIEWS)
		return f2fs_inode_open(e->views[k->space - SPACE_VIEWS].vol, k->ino, out);
	err = history_past(m, &past);
	if (!err && k->space == SPACE_DELETED)
		addr = deleted_tree_marks(e->deleted, k->ino)->addr;
	return err ? err : f2fs_inode_open_at(m->vol, past, addr, 0, out);
}

int history_new(struct mount *m)
{
	m->history = calloc(1, sizeof(*m->history));
	m->open_other = open_inode;
	return m->history ? 0 : F2FS_ERR_NOMEM;
}

/* ---- views of checkpoints ---- */

static int find_view(struct mount *m, uint32_t version, unsigned *out)
{
	struct history *e = m->history;
	struct f2fs_past *past;
	struct view *view;
	int err;

	for (*out = 0; *out < e->view_count; ++*out)
		if (e->views[*out].version == version)
			return 0;
	if (e->view_count == VIEWS_MAX)
		return MOUNT_TOO_MANY;
	view = &e->views[e->view_count];
	err = history_past(m, &past);
	if (!err)
		err = f2fs_volume_open_as_of(past, version, &view->vol);
	if (err)
		return err == F2FS_ERR_RANGE ? F2FS_ERR_NOT_FOUND : err;
	view->version = version;
	e->view_count++;
	return 0;
}

int history_view_root(struct mount *m, uint32_t version, fuse_ino_t *number)
{
	struct known *root;
	unsigned i;
	int err = find_view(m, version, &i);

	if (err)
		return err;
	root = known_take(m, SPACE_VIEWS + i, m->root);
	if (!root)
		return F2FS_ERR_NOMEM;
	if (root->lookups == 0) /* it stays as long as the view */
		root->lookups = 1;
	*number = known_number(m, root->space, root->ino);
	return 0;
}

/* An inode belongs to the checkpoint after the one that was in force when it was written. */
static int add_version(void *user, const struct f2fs_moment *moment)
{
	struct history *e = user;
	const uint32_t version = moment->cp_ver + 1;
	struct f2fs_past_stat stat = { F2FS_SIZED(f2fs_past_stat) };
	uint32_t low = 0, high = e->version_count;

	f2fs_past_stat(e->past, &stat);
	if (version > stat.newest) /* an fsync after the last checkpoint */
		return 0;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (e->versions[middle] < version)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < e->version_count && e->versions[low] == version)
		return 0;
	if (e->version_count == e->version_room) {
		const uint32_t room = e->version_room ? 2 * e->version_room : 64;
		uint32_t *more = realloc(e->versions, room * sizeof(*more));

		if (!more)
			return F2FS_ERR_NOMEM;
		e->versions = more;
		e->version_room = room;
	}
	memmove(&e->versions[low + 1], &e->versions[low], (e->version_count - low) * sizeof(*e->versions));
	e->versions[low] = version;
	e->version_count++;
	return 0;
}

/* Formatting may give its inodes a version that no checkpoint had. */
static int collect_versions(struct mount *m)
{
	struct history *e = m->history;
	int err = f2fs_past_list_times(e->past, add_version, e);
	unsigned i;

	while (!err && e->version_count > 0) {
		err = find_view(m, e->versions[0], &i);
		if (err != F2FS_ERR_NOT_FOUND)
			break;
		err = 0;
		memmove(e->versions, e->versions + 1, --e->version_count * sizeof(*e->versions));
	}
	if (err) { /* the next list tries again */
		free(e->versions);
		e->versions = NULL;
		e->version_count = e->version_room = 0;
	}
	return err;
}

/* The checkpoints that inodes were written under. Others between them can be looked up, too. */
static int list_checkpoints(struct mount *m, history_visit *visit, void *user)
{
	struct history *e = m->history;
	struct f2fs_past *past;
	int err = history_past(m, &past);

	if (!err && !e->versions)
		err = collect_versions(m);
	for (uint32_t i = 0; !err && i < e->version_count; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", (unsigned)e->versions[i]);
		err = visit(user, name, (fuse_ino_t)SPACE_CHECKPOINT << 32 | e->versions[i], S_IFDIR);
	}
	return err;
}

static int lookup_checkpoint(struct mount *m, const char *name, fuse_ino_t *number)
{
	char *end;
	const unsigned long version = strtoul(name, &end, 10);
	unsigned i;
	int err;

	if (*name < '1' || *name > '9' || *end || version > UINT32_MAX)
		return F2FS_ERR_NOT_FOUND;
	err = find_view(m, (uint32_t)version, &i);
	*number = (fuse_ino_t)SPACE_CHECKPOINT << 32 | version;
	return err == MOUNT_TOO_MANY ? 0 : err; /* its entries say so */
}

/* ---- versions of files ---- */

static int add_row(void *user, const struct f2fs_version *version)
{
	struct versions *v = user;

	if (v->count == v->room) {
		const uint32_t room = v->room ? 2 * v->room : 16;
		struct version_row *more = realloc(v->rows, room * sizeof(*more));

		if (!more)
			return F2FS_ERR_NOMEM;
		v->rows = more;
		v->room = room;
	}
	v->rows[v->count++] =
		(struct version_row){ .type = (mode_t)(version->stat.mode & S_IFMT),
				      .is_other = (version->flags & F2FS_VERSION_OTHER_USE) != 0,
				      .marks = { .confidence = version->confidence,
						 .path_state = -1,
						 .ino = version->ino,
						 .addr = version->addr,
						 .cp_ver = version->cp_ver,
						 .remains = version->remains } };
	return 0;
}

/* The versions of a file. To judge them their blocks are read, so those of the last file are kept. */
static int versions_of(struct mount *m, f2fs_nid_t ino, const struct versions **out)
{
	struct versions *v = &m->history->last;
	struct f2fs_past *past;
	int err = history_past(m, &past);

	*out = v;
	if (err || v->ino == ino)
		return err;
	v->count = 0;
	v->ino = 0;
	err = f2fs_past_list_versions(past, ino, add_row, v);
	if (!err)
		v->ino = ino;
	return err;
}

static void name_version(const struct version_row *row, char *name, size_t room)
{
	snprintf(name, room, "%u-%u", (unsigned)row->marks.cp_ver, (unsigned)row->marks.addr);
}

static fuse_ino_t number_of(const struct version_row *row)
{
	return (fuse_ino_t)SPACE_PAST << 32 | row->marks.addr;
}

static int list_versions(struct mount *m, f2fs_nid_t ino, history_visit *visit, void *user)
{
	const struct versions *v;
	int err = versions_of(m, ino, &v);

	for (uint32_t i = 0; !err && i < v->count; i++) {
		char name[32];

		name_version(&v->rows[i], name, sizeof(name));
		if (!v->rows[i].is_other)
			err = visit(user, name, number_of(&v->rows[i]), v->rows[i].type);
	}
	return err;
}

static int lookup_version(struct mount *m, f2fs_nid_t ino, const char *wanted, fuse_ino_t *number)
{
	const struct versions *v;
	int err = versions_of(m, ino, &v);

	for (uint32_t i = 0; !err && i < v->count; i++) {
		char name[32];

		name_version(&v->rows[i], name, sizeof(name));
		*number = number_of(&v->rows[i]);
		if (!v->rows[i].is_other && !strcmp(name, wanted))
			return 0;
	}
	return err ? err : F2FS_ERR_NOT_FOUND;
}

/* A directory stands for itself, anything else for a directory of its versions. */
static fuse_ino_t mirror_of(const struct f2fs_dirent *entry)
{
	const uint32_t space = entry->type == F2FS_TYPE_DIRECTORY ? SPACE_MIRROR : SPACE_VERSIONS;

	return (fuse_ino_t)space << 32 | entry->ino;
}

static int list_mirror(struct mount *m, f2fs_nid_t ino, history_visit *visit, void *user)
{
	struct f2fs_inode *inode;
	struct f2fs_dir *dir = NULL;
	struct f2fs_dirent entry;
	int err = f2fs_inode_open(m->vol, ino, &inode);

	if (err)
		return err;
	err = f2fs_dir_open(inode, &dir);
	while (!err && (err = f2fs_dir_next(dir, &entry)) != F2FS_ERR_NOT_FOUND) {
		if (err == F2FS_ERR_CORRUPT) /* the next call continues after it */
			err = 0;
		else if (!err && strcmp(entry.name, ".") != 0 && strcmp(entry.name, "..") != 0)
			err = visit(user, entry.name, mirror_of(&entry), S_IFDIR);
	}
	f2fs_dir_close(dir);
	f2fs_inode_close(inode);
	return err == F2FS_ERR_NOT_FOUND ? 0 : err;
}

static int lookup_mirror(struct mount *m, f2fs_nid_t ino, const char *name, fuse_ino_t *number)
{
	struct f2fs_inode *inode;
	struct f2fs_dirent entry;
	int err = f2fs_inode_open(m->vol, ino, &inode);

	if (err)
		return err;
	err = f2fs_dir_lookup(inode, name, strlen(name), &entry);
	f2fs_inode_close(inode);
	if (!err)
		*number = mirror_of(&entry);
	return err;
}

/* ---- all of them ---- */

mode_t history_mode(struct mount *m, fuse_ino_t number)
{
	const struct deleted_tree *tree;

	switch (number >> 32) {
	case SPACE_MIRROR:
	case SPACE_VERSIONS:
	case SPACE_CHECKPOINT:
		return S_IFDIR | 0500;
	case SPACE_DELETED:
		if (tree_of(m, &tree) != 0 || deleted_tree_is_dir(tree, (uint32_t)number))
			return S_IFDIR | 0500;
		return deleted_tree_marks(tree, (uint32_t)number)->addr
			       ? 0
			       : deleted_tree_type(tree, (uint32_t)number);
	default:
		return 0;
	}
}

int history_lookup(struct mount *m, fuse_ino_t dir, const char *name, fuse_ino_t *number)
{
	const struct deleted_tree *tree;
	uint32_t row;
	int err;

	switch (dir >> 32) {
	case SPACE_MIRROR:
		return lookup_mirror(m, (f2fs_nid_t)dir, name, number);
	case SPACE_VERSIONS:
		return lookup_version(m, (f2fs_nid_t)dir, name, number);
	case SPACE_DELETED:
		err = tree_of(m, &tree);
		if (!err)
			err = deleted_tree_lookup(tree, (uint32_t)dir, name, &row);
		if (!err)
			*number = (fuse_ino_t)SPACE_DELETED << 32 | row;
		return err;
	default: /* /.f2fs/checkpoints */
		return lookup_checkpoint(m, name, number);
	}
}

int history_list(struct mount *m, fuse_ino_t dir, history_visit *visit, void *user)
{
	const struct deleted_tree *tree;
	int err;

	switch (dir >> 32) {
	case SPACE_MIRROR:
		return list_mirror(m, (f2fs_nid_t)dir, visit, user);
	case SPACE_VERSIONS:
		return list_versions(m, (f2fs_nid_t)dir, visit, user);
	case SPACE_DELETED:
		err = tree_of(m, &tree);
		return err ? err : deleted_tree_list(tree, (uint32_t)dir, visit, user);
	default:
		return list_checkpoints(m, visit, user);
	}
}

/* ---- marks ---- */

int history_marks(struct mount *m, fuse_ino_t number, struct history_marks *out)
{
	const struct deleted_tree *tree;
	const struct versions *v;
	struct f2fs_inode *inode;
	int err;

	if (!m->history || (number >> 32 != SPACE_PAST && number >> 32 != SPACE_DELETED))
		return F2FS_ERR_NO_ATTR;
	if (number >> 32 == SPACE_DELETED) {
		err = tree_of(m, &tree);
		if (!err)
			*out = *deleted_tree_marks(tree, (uint32_t)number);
		return err || out->confidence >= 0 ? err : F2FS_ERR_NO_ATTR;
	}
	err = known_open_number(m, number, NULL, &inode);
	if (!err)
		err = versions_of(m, f2fs_inode_number(inode), &v);
	for (uint32_t i = 0; !err && i < v->count; i++)
		if (v->rows[i].marks.addr == (f2fs_blk_t)number) {
			*out = v->rows[i].marks;
			return 0;
		}
	return err ? err : F2FS_ERR_NO_ATTR;
}
