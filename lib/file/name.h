/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Steps that making, removing and renaming entries of directories share.
 */
#ifndef F2FSKIT_FILE_NAME_H
#define F2FSKIT_FILE_NAME_H

#include "file/write.h"

struct stored_name;
struct winode;

/* Blocks that inserting one name may take at most, beside the inode: a dentry block, or two for an inline directory
 * that is turned into blocks, and the nodes above. */
#define NAME_BLOCKS 8u

static inline bool name_is_dots(const char *name, size_t length)
{
	return (length == 1 && name[0] == '.') || (length == 2 && name[0] == '.' && name[1] == '.');
}

/* Get a directory that will change. Refuses other types, removed directories, and encrypted ones without their key when
 * a name will be written. */
int dir_get(struct f2fs_inode *dir, bool writes_name, struct winode *out);
/* The same of a name that the kernel would take for this one (dir_find_twin()), unless it is that of an inode. */
int name_need_no_twin(struct f2fs_inode *dir, const char *name, size_t length, f2fs_nid_t but);
/* Files of other projects do not come into a directory whose project is inherited. */
int name_need_project(const struct winode *dir, const struct winode *w);
/* The newest name is remembered in the inode; with several i_pino says little (FORMAT files 6). */
void name_remember(struct winode *w, const struct winode *parent, const struct stored_name *name, bool lost_pino);
void links_add(struct winode *w, int change);
/* Take one name from an inode; the last one takes the inode along. */
int name_drop(struct winode *parent, f2fs_nid_t ino);

#endif
