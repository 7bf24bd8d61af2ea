/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The inodes that the kernel has references to, and their handles.
 */
#ifndef F2FSKIT_FUSE_KNOWN_INODES_H
#define F2FSKIT_FUSE_KNOWN_INODES_H

#include "fuse/mount.h"

/* Make the empty table. An error of the library. */
int known_init(struct mount *m);
/* Close all handles and forget all inodes. */
void known_fini(struct mount *m);
/* The inode of a number that the kernel sends; NULL: it holds none of that number. */
struct known *known_find(struct mount *m, fuse_ino_t number);
/* The same by space and number; made when it is new, without a reference. NULL: no memory. */
struct known *known_take(struct mount *m, uint32_t space, f2fs_nid_t ino);
/* The handle; an error of the library. It stays open for the rest of the request. */
int known_open(struct mount *m, struct known *k, struct f2fs_inode **out);
/* Find and open in one. STALE numbers fail with NOT_FOUND. */
int known_open_number(struct mount *m, fuse_ino_t number, struct known **known, struct f2fs_inode **out);
/* Use a handle that was just made for the inode; the table owns it then. */
void known_give(struct mount *m, struct known *k, struct f2fs_inode *inode);
/* Drop references; at none the inode is forgotten. */
void known_forget(struct mount *m, struct known *k, uint64_t lookups);
/* The contents of the file have changed. */
void known_change(struct mount *m, struct known *k);
/* The number that the kernel knows an inode by. */
fuse_ino_t known_number(const struct mount *m, uint32_t space, f2fs_nid_t ino);
/*
 * Before the entry of a name is removed or replaced: open its inode if the kernel knows it, so that it lives on without
 * a name. *out is NULL if the kernel does not know it.
 */
int known_hold(struct mount *m, struct f2fs_inode *dir, const char *name, struct known **out);
/* After that: was it the last name? */
void known_settle(struct mount *m, struct known *held);

#endif
