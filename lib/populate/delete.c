/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remove whole trees of the volume, and entries that the source does not have. For each name of the source 64 bits are
 * kept (a hash of the directory's inode number and the name). If two were equal, a surplus name would stay.
 */
#include "populate/delete.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/siphash.h"
#include "file/walk.h"
#include "populate/compress.h"
#include "populate/report.h"
#include "populate/run.h"

/* A name in a directory of the sweep. */
struct found {
	char *name;
	size_t length;
	f2fs_nid_t ino;
	bool is_dir;
};

/* A directory of the sweep. */
struct sweep_level {
	f2fs_nid_t ino;
	struct f2fs_inode *dir; /* NULL: far up */
	struct vec names; /* struct found */
	size_t next;
	size_t path_length;
	bool is_condemned; /* all its entries are deleted, and it too */
	bool holds;	   /* but something in it stays, and so does it */
};

enum sweep_kind {
	SWEEP_SURPLUS, /* delete the entries that the source does not have */
	SWEEP_ALL,     /* delete everything */
	SWEEP_LOOK     /* delete nothing: would anything stay? */
};

struct sweep {
	struct populate *p;
	enum sweep_kind kind;
	struct vec levels; /* struct sweep_level */
	struct vec path;   /* char: below the target, NUL-terminated; unused with SWEEP_ALL */
	struct map32 entered; /* inodes of directories */
	struct source_chooser chosen;
};

static uint64_t hash_of(f2fs_nid_t dir, const char *name, size_t length)
{
	uint8_t key[SIPHASH_KEY_SIZE] = { 0 };

	put_le32(key, dir);
	return siphash24(key, name, length);
}

static int note_seen(struct populate *p, const struct f2fs_inode *dir, const char *name, size_t length)
{
	uint64_t *slot = vec_push(&p->seen, 1);

	if (!slot)
		return F2FS_ERR_NOMEM;
	*slot = hash_of(f2fs_inode_number(dir), name, length);
	return 0;
}

/* In a casefolded directory a name may stand in another spelling, and stays so unless it is replaced. */
static int note_spelling(struct populate *p, struct f2fs_inode *dir, const char *name, size_t length)
{
	struct f2fs_dirent entry;
	struct f2fs_stat st;
	int err;

	if (!(p->vol->geo.feature & F2FS_FEAT_CASEFOLD))
		return 0;
	err = f2fs_inode_stat(dir, &st);
	if (err || !st.is_casefold)
		return err;
	err = f2fs_dir_lookup(dir, name, length, &entry);
	if (!err)
		return note_seen(p, dir, entry.name, entry.name_len);
	if (populate_is_fatal(p, err))
		return err;
	error_clear(p->ctx); /* it is not there; any other fault is reported when it is made */
	return 0;
}

int populate_saw(struct populate *p, struct f2fs_inode *dir, const char *name, size_t length)
{
	int err;

	if (!(p->opt.flags & F2FS_POPULATE_DELETE))
		return 0;
	err = note_seen(p, dir, name, length);
	return err ? err : note_spelling(p, dir, name, length);
}

int populate_visited(struct populate *p, const struct f2fs_inode *dir)
{
	return p->opt.flags & F2FS_POPULATE_DELETE ? map32_set(&p->visited, f2fs_inode_number(dir), 1) : 0;
}

static int compare_hashes(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool was_seen(const struct populate *p, f2fs_nid_t dir, const struct found *found)
{
	const uint64_t hash = hash_of(dir, found->name, found->length);

	return p->seen.count > 0 && bsearch(&hash, p->seen.items, p->seen.count, sizeof(hash), compare_hashes) != NULL;
}

/* ---- the sweep */

static struct sweep_level *last_level(const struct sweep *s)
{
	return vec_at(&s->levels, s->levels.count - 1);
}

static int add_name(struct sweep *s, struct sweep_level *level, const char *name, size_t length, f2fs_nid_t ino,
		    bool is_dir)
{
	struct found *found = vec_push(&level->names, 1);

	if (!found)
		return F2FS_ERR_NOMEM;
	found->name = mem_alloc(s->p->ctx, length + 1);
	if (!found->name)
		return F2FS_ERR_NOMEM;
	memcpy(found->name, name, length);
	found->name[length] = '\0';
	found->length = length;
	found->ino = ino;
	found->is_dir = is_dir;
	return 0;
}

static int list_names(struct sweep *s, struct sweep_level *level)
{
	struct f2fs_dir *dir;
	struct f2fs_dirent entry;
	int err = f2fs_dir_open(level->dir, &dir);

	if (err)
		return err;
	while ((err = f2fs_dir_next(dir, &entry)) == 0)
		if (strcmp(entry.name, ".") != 0 && strcmp(entry.name, "..") != 0 &&
		    (err = add_name(s, level, entry.name, entry.name_len, entry.ino,
				    entry.type == F2FS_TYPE_DIRECTORY)) != 0)
			break;
	f2fs_dir_close(dir);
	if (err != F2FS_ERR_NOT_FOUND)
		return err;
	error_clear(s->p->ctx);
	return 0;
}

/* Go into a directory (taken over). */
static int push(struct sweep *s, struct f2fs_inode *dir, bool is_condemned)
{
	struct sweep_level *level = vec_push(&s->levels, 1);

	if (!level) {
		f2fs_inode_close(dir);
		return F2FS_ERR_NOMEM;
	}
	level->dir = dir;
	level->ino = f2fs_inode_number(dir);
	level->path_length = s->path.count;
	level->is_condemned = is_condemned;
	vec_init(&level->names, s->p->ctx, sizeof(struct found));
	if (s->levels.count > NEAR_LEVELS) {
		f2fs_inode_close(level[-(ptrdiff_t)NEAR_LEVELS].dir);
		level[-(ptrdiff_t)NEAR_LEVELS].dir = NULL;
	}
	if (map32_find(&s->entered, level->ino))
		return error_set(s->p->ctx, F2FS_ERR_LOOP, "directory inode %u has a second name",
				 (unsigned)level->ino);
	return map32_set(&s->entered, level->ino, 1);
}

static void pop(struct sweep *s)
{
	struct sweep_level *level = last_level(s);

	for (size_t i = 0; i < level->names.count; i++)
		mem_free(s->p->ctx, ((struct found *)vec_at(&level->names, i))->name);
	vec_fini(&level->names);
	f2fs_inode_close(level->dir);
	s->levels.count--;
}

static int set_path(struct sweep *s, size_t length, const struct found *found)
{
	char *to;

	s->path.count = length;
	to = vec_push(&s->path, found->length + 2);
	if (!to)
		return F2FS_ERR_NOMEM;
	if (length > 0)
		*to++ = '/';
	memcpy(to, found->name, found->length + 1);
	s->path.count = length + found->length + (length > 0);
	return 0;
}

static int remove_found(struct sweep *s, struct sweep_level *level, const struct found *found)
{
	int err = level->dir ? 0 : populate_open(s->p, level->ino, &level->dir);

	if (!err)
		err = f2fs_remove(level->dir, found->name, found->length);
	s->p->result->deleted += !err;
	return err;
}

/* Is a name the run's affair, and was it read? */
static int judge(struct sweep *s, const struct sweep_level *level, const struct found *found, bool *goes)
{
	enum source_choice choice;
	int err = source_choose(&s->p->src, &s->chosen, s->path.items, level->path_length, &choice);

	*goes = !err && choice == SOURCE_WANTED && !map32_find(&s->p->spared, found->ino);
	return err;
}

/* Is a name deleted? If it stays, is it a directory to enter? */
static int is_to_go(struct sweep *s, const struct sweep_level *level, const struct found *found, bool *goes,
		    bool *enters)
{
	const struct populate *p = s->p;

	*enters = false;
	*goes = level->is_condemned && s->kind == SWEEP_ALL;
	if (*goes)
		return 0;
	if (level->is_condemned)
		return judge(s, level, found, goes);
	if (was_seen(p, level->ino, found)) {
		*enters = found->is_dir && map32_find(&p->visited, found->ino) != NULL &&
			  !map32_find(&p->spared, found->ino);
		return 0;
	}
	if (level->ino == p->vol->geo.root_ino && strcmp(found->name, "lost+found") == 0)
		return 0;
	return judge(s, level, found, goes);
}

/* Leave a directory after all its entries: it is deleted unless some of them stay. */
static int leave(struct sweep *s)
{
	const bool is_condemned = last_level(s)->is_condemned, holds = last_level(s)->holds;
	struct sweep_level *level;

	pop(s);
	if (s->levels.count == 0 || !is_condemned)
		return 0;
	level = last_level(s);
	level->holds |= holds;
	if (holds || s->kind == SWEEP_LOOK)
		return 0;
	return remove_found(s, level, vec_at(&level->names, level->next - 1));
}

static int step(struct sweep *s)
{
	struct sweep_level *level = last_level(s);
	const struct found *found;
	struct f2fs_inode *dir;
	bool goes, enters;
	int err;

	if (level->next == level->names.count)
		return leave(s);
	found = vec_at(&level->names, level->next++);
	err = set_path(s, level->path_length, found);
	if (err)
		return err;
	err = is_to_go(s, level, found, &goes, &enters);
	if (err)
		return err;
	level->holds |= !goes;
	if (!goes && s->kind == SWEEP_LOOK)
		return error_set(s->p->ctx, F2FS_ERR_NOT_EMPTY, "it is a directory now, and %.500s in it is to stay",
				 (const char *)s->path.items);
	if (goes && !found->is_dir)
		return s->kind == SWEEP_LOOK ? 0 : remove_found(s, level, found);
	if (!goes && !enters)
		return 0;
	err = populate_open(s->p, found->ino, &dir);
	if (!err)
		err = push(s, dir, goes);
	return err ? err : list_names(s, last_level(s));
}

/* Run a sweep: continue from the result err of its start, and end it. */
static int run(struct sweep *s, int err)
{
	while (!err && s->levels.count > 0)
		err = step(s);
	while (s->levels.count > 0)
		pop(s);
	vec_fini(&s->levels);
	vec_fini(&s->path);
	map32_fini(&s->entered);
	source_chooser_fini(&s->chosen);
	return err;
}

static int start(struct sweep *s, struct populate *p, f2fs_nid_t dir, enum sweep_kind kind)
{
	struct f2fs_inode *own;
	int err = populate_open(p, dir, &own);

	s->p = p;
	s->kind = kind;
	vec_init(&s->levels, p->ctx, sizeof(struct sweep_level));
	vec_init(&s->path, p->ctx, 1);
	map32_init(&s->entered, p->ctx);
	source_chooser_init(&s->chosen, p->ctx);
	return err ? err : push(s, own, kind != SWEEP_SURPLUS);
}

/* Sweep one name of a directory. The directory itself is the first level, which has none above it. */
static int run_on_name(struct sweep *s, struct f2fs_inode *dir, const char *name, size_t length)
{
	struct f2fs_dirent entry;
	int err = f2fs_dir_lookup(dir, name, length, &entry);

	if (!err)
		err = add_name(s, last_level(s), name, length, entry.ino, entry.type == F2FS_TYPE_DIRECTORY);
	return run(s, err);
}

int populate_remove(struct populate *p, struct f2fs_inode *dir, const char *name, size_t length)
{
	struct sweep s;
	int err = start(&s, p, f2fs_inode_number(dir), SWEEP_ALL);

	return err ? run(&s, err) : run_on_name(&s, dir, name, length);
}

int populate_may_remove(struct populate *p, struct f2fs_inode *dir, const char *name, size_t length)
{
	const char *path = source_path(&p->src), *last = source_name(&p->src);
	const size_t above = last > path ? (size_t)(last - path) - 1 : 0;
	struct sweep s;
	char *to;
	int err = start(&s, p, f2fs_inode_number(dir), SWEEP_LOOK);

	to = err ? NULL : vec_push(&s.path, above + 1);
	if (!to)
		return run(&s, err ? err : F2FS_ERR_NOMEM);
	memcpy(to, path, above);
	last_level(&s)->path_length = s.path.count = above;
	return run_on_name(&s, dir, name, length);
}

int populate_delete(struct populate *p)
{
	const struct populate_level *top = vec_at(&p->levels, 0);
	struct sweep s;
	int err;

	if (p->spares_all || map32_find(&p->spared, top->ino))
		return 0;
	vec_sort(&p->seen, compare_hashes);
	err = start(&s, p, top->ino, SWEEP_SURPLUS);
	if (!err)
		err = list_names(&s, last_level(&s));
	return run(&s, err);
}
