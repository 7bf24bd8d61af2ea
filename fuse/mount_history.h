/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of the past below /.f2fs: deleted files, versions of files, and views of earlier checkpoints. All of it is
 * made when it is first asked for. The volume is only read meanwhile, so a search stays true.
 */
#ifndef F2FSKIT_FUSE_MOUNT_HISTORY_H
#define F2FSKIT_FUSE_MOUNT_HISTORY_H

#include <f2fskit/forensics.h>

#include "fuse/mount.h"

/* How much is left of an old file, for the attributes user.f2fskit.*. */
struct history_marks {
	int confidence; /* enum f2fs_confidence */
	int path_state; /* enum f2fs_path_state; -1: does not apply */
	f2fs_nid_t ino;
	f2fs_blk_t addr; /* 0: no inode is left */
	uint32_t cp_ver;
	struct f2fs_remains remains;
};

/* Called for each entry of a directory; returns 0 or an error that ends the list. */
typedef int history_visit(void *user, const char *name, fuse_ino_t number, mode_t mode);

int history_new(struct mount *m);
/* Close everything, after the handles of known_inodes.c. */
void history_free(struct mount *m);
/* The search of the whole volume, made by the first call. */
int history_past(struct mount *m, struct f2fs_past **out);
/* The number of a checkpoint's root directory; opens its view. */
int history_view_root(struct mount *m, uint32_t version, fuse_ino_t *number);
/* The type and permissions of a number that is no inode: a directory, or a file of which only a name is left. 0: an
 * inode. */
mode_t history_mode(struct mount *m, fuse_ino_t number);
/* Find a name in a directory that is no inode. */
int history_lookup(struct mount *m, fuse_ino_t dir, const char *name, fuse_ino_t *number);
/* List such a directory. */
int history_list(struct mount *m, fuse_ino_t dir, history_visit *visit, void *user);
/* The marks of an old file; NO_ATTR for other numbers. */
int history_marks(struct mount *m, fuse_ino_t number, struct history_marks *out);

#endif
