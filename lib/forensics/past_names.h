/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paths by what inodes say of themselves (i_pino, i_name), of directories in use and of deleted ones.
 */
#ifndef F2FSKIT_FORENSICS_PAST_NAMES_H
#define F2FSKIT_FORENSICS_PAST_NAMES_H

#include "forensics/past.h"

#define PAST_PATH_MAX 4096u /* of a directory; deeper ones start again */
#define PAST_PATH_ROOM (PAST_PATH_MAX + F2FS_NAME_ROOM + 40u)

struct past_names {
	struct f2fs_past *past;
	struct map32 dirs; /* ino -> place in text, and enum f2fs_path_state in the upper half */
	struct vec text;   /* char: paths of directories, NUL-terminated */
	struct vec chain;  /* f2fs_nid_t: directories on the way up */
};

void past_names_init(struct past_names *names, struct f2fs_past *past);
void past_names_fini(struct past_names *names);
/* Make the path of a name in a directory in path (PAST_PATH_ROOM bytes); is_cipher: the name is not readable. */
int past_names_path(struct past_names *names, f2fs_nid_t parent, const uint8_t *name, size_t length, bool is_cipher,
		    char *path, int *state);
/* The same for an inode by its own record. */
int past_names_of_inode(struct past_names *names, const uint8_t *block, char *path, int *state);

#endif
