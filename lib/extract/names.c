/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count the names of an inode, regardless of its i_links. The directories to be extracted are read once before, and of
 * the inodes only theirs. So each file is written once and its other names become links. Otherwise some hundred names
 * of one large file would let a small image fill the host.
 */
#include "extract/names.h"

#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "extract/run.h"
#include "file/dir_read.h"

/* A survey on its way. */
struct survey {
	struct extract *x;
	struct vec todo; /* f2fs_nid_t: directories to read */
	uint64_t loaded; /* blocks of directories so far */
};

static bool is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* Count a name; a directory is noted for reading when it is met for the first time. */
static int note_name(struct survey *s, f2fs_nid_t ino, bool is_dir)
{
	struct extract_names *names = &s->x->names;
	uint64_t *several;
	f2fs_nid_t *next;

	if (!lsb_test(names->met, ino)) {
		lsb_set(names->met, ino);
		if (!is_dir)
			return 0;
		next = vec_push(&s->todo, 1);
		if (next)
			*next = ino;
		return next ? 0 : F2FS_ERR_NOMEM;
	}
	if (is_dir)
		return 0;
	several = map32_find(&names->several, ino);
	if (!several)
		return map32_set(&names->several, ino, 2);
	++*several;
	return 0;
}

/* Read one directory. The extraction meets damage again, and reports it. */
static int survey_dir(struct survey *s, f2fs_nid_t ino)
{
	struct f2fs_inode *inode;
	struct f2fs_dirent entry;
	struct f2fs_dir *dir;
	int err = f2fs_inode_open(s->x->vol, ino, &inode);

	if (err)
		return err == F2FS_ERR_NOMEM ? err : 0;
	err = f2fs_dir_open(inode, &dir);
	if (err) {
		f2fs_inode_close(inode);
		return err == F2FS_ERR_NOMEM ? err : 0;
	}
	dir_count_into(dir, &s->loaded);
	err = 0;
	while (!err && (err = f2fs_dir_next(dir, &entry)) != F2FS_ERR_NOT_FOUND) {
		if (err == F2FS_ERR_CORRUPT || err == F2FS_ERR_IO)
			err = 0;
		else if (!err && !is_dots(entry.name))
			err = note_name(s, entry.ino, entry.type == F2FS_TYPE_DIRECTORY);
	}
	f2fs_dir_close(dir);
	f2fs_inode_close(inode);
	return err == F2FS_ERR_NOMEM ? err : 0;
}

int extract_names_survey(struct extract *x, const struct vec *targets)
{
	const size_t bytes = (size_t)x->vol->geo.max_nid / 8 + 1;
	struct survey s = { .x = x };
	int err = 0;

	if (!sink_keeps(&x->sink, F2FS_KEEP_LINKS))
		return 0;
	x->names.met = mem_zalloc(x->ctx, bytes);
	x->names.made = mem_zalloc(x->ctx, bytes);
	if (!x->names.met || !x->names.made)
		return F2FS_ERR_NOMEM;
	vec_init(&s.todo, x->ctx, sizeof(f2fs_nid_t));
	for (size_t i = 0; i < targets->count && !err; i++) {
		const struct extract_target *target = vec_at(targets, i);

		if (geometry_is_nid(&x->vol->geo, target->ino))
			err = note_name(&s, target->ino, true);
	}
	while (!err && s.todo.count > 0)
		err = survey_dir(&s, *(f2fs_nid_t *)vec_at(&s.todo, --s.todo.count));
	vec_fini(&s.todo);
	if (!err)
		error_clear(x->ctx);
	return err;
}

uint64_t extract_names_of(const struct extract *x, f2fs_nid_t ino)
{
	const uint64_t *several = map32_find(&x->names.several, ino);

	return several ? *several : 1;
}

bool extract_names_made(struct extract *x, f2fs_nid_t ino, bool set)
{
	if (!x->names.made || !geometry_is_nid(&x->vol->geo, ino))
		return false;
	if (set)
		lsb_set(x->names.made, ino);
	return lsb_test(x->names.made, ino);
}

void extract_names_fini(struct extract *x)
{
	map32_fini(&x->names.several);
	mem_free(x->ctx, x->names.met);
	mem_free(x->ctx, x->names.made);
}
