/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories of the host that a run made: what they are to be like is set in the end, as names made in them change
 * their times.
 */
#ifndef F2FSKIT_DUMP_MADE_DIRS_H
#define F2FSKIT_DUMP_MADE_DIRS_H

#include <stddef.h>

#include <f2fskit/file.h>

struct made_dir;

struct made_dirs {
	void *by_path;
	struct made_dir *first;
};

/* The first length bytes of path were made a directory. Returns non-zero when memory is short. */
int made_dirs_add(struct made_dirs *dirs, const char *path, size_t length);
/* Such a directory is to be like st; one that was there before stays as it is. */
void made_dirs_note(struct made_dirs *dirs, const char *path, const struct f2fs_stat *st);
/* Call set for each directory that is to be like something, those in others first, and forget all. */
void made_dirs_end(struct made_dirs *dirs, void (*set)(void *user, const char *path, const struct f2fs_stat *st),
		   void *user);

#endif
