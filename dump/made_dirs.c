/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories of the host that a run made, by path and in the order of making.
 */
#include "dump/made_dirs.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct made_dir {
	char *path; /* the first member: what the tree compares */
	struct made_dir *next; /* made before: a directory comes before those in it, so the list has it behind them */
	struct f2fs_stat st;
	int is_noted;
};

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int made_dirs_add(struct made_dirs *dirs, const char *path, size_t length)
{
	struct made_dir *dir = calloc(1, sizeof(*dir));

	if (dir)
		dir->path = strndup(path, length);
	if (!dir || !dir->path || !tsearch(dir, &dirs->by_path, compare)) {
		if (dir)
			free(dir->path);
		free(dir);
		return -1;
	}
	dir->next = dirs->first;
	dirs->first = dir;
	return 0;
}

void made_dirs_note(struct made_dirs *dirs, const char *path, const struct f2fs_stat *st)
{
	void *found = tfind(&path, &dirs->by_path, compare);
	struct made_dir *dir = found ? *(struct made_dir **)found : NULL;

	if (!dir)
		return;
	dir->st = *st;
	dir->is_noted = 1;
}

void made_dirs_end(struct made_dirs *dirs, void (*set)(void *user, const char *path, const struct f2fs_stat *st),
		   void *user)
{
	while (dirs->first) {
		struct made_dir *dir = dirs->first;

		if (dir->is_noted)
			set(user, dir->path, &dir->st);
		dirs->first = dir->next;
		tdelete(dir, &dirs->by_path, compare);
		free(dir->path);
		free(dir);
	}
}
