/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operands that name files of the volume, ways of walks, and the output of commands.
 */
#ifndef F2FSKIT_EDIT_PATHS_H
#define F2FSKIT_EDIT_PATHS_H

#include "edit/run.h"

/* The absolute path of an operand; free it. */
char *edit_path(struct edit *e, const char *operand);
/* Open what an operand names: a path, or <NUMBER> for an inode. Failure is reported. */
int edit_open(struct edit *e, const char *operand, unsigned lookup_flags, struct f2fs_inode **out);
/* The same, and its stat. */
int edit_open_stat(struct edit *e, const char *operand, unsigned lookup_flags, struct f2fs_inode **out,
		   struct f2fs_stat *st);
/* An operand that several sources go to has to be a directory. */
int edit_need_directory(struct edit *e, const char *operand);
/* A name in a directory, that need not exist. */
struct edit_name {
	struct f2fs_inode *dir;
	char *path; /* absolute; name points into it */
	const char *name;
	size_t length;
};
/* Find the directory of an operand. Failure is reported. */
int edit_name_open(struct edit *e, const char *operand, struct edit_name *out);
void edit_name_close(struct edit_name *name);
/* The same, but when operand names a directory: the name that source has, in there. */
int edit_name_open_into(struct edit *e, const char *operand, const char *source, struct edit_name *out);
/* The same for anything but directories: an operand that ends in a slash names an existing directory. */
int edit_name_open_file(struct edit *e, const char *operand, const char *source, struct edit_name *out);
/* Find the inode of that name: 0, NOT_FOUND (not reported) or another error (reported). */
int edit_name_lookup(struct edit *e, const struct edit_name *name, struct f2fs_dirent *out);
/* Make room for one more item of that size after count. NULL without memory (reported); the items are then unchanged.
 */
void *edit_grow(struct edit *e, void *items, size_t count, size_t *room, size_t size);
/* Levels of a tree whose directories stay open while a walk is below them. */
enum { NEAR_LEVELS = 32 };
/* A path that follows a walk. */
struct edit_way {
	char *text;
	size_t length, room;
};
/* Cut the way to its first above bytes, and append a name. */
int edit_way_set(struct edit *e, struct edit_way *way, size_t above, const char *name);
void edit_way_free(struct edit_way *way);
/* The last component of a path. */
const char *edit_base(const char *path);
struct f2fs_time edit_now(struct edit *e);
/* Set the attributes of a new inode of a type: owned by root, with the present time. mode NULL: the usual permissions,
 * or those of a default ACL. */
void edit_new(struct edit *e, uint32_t type, const uint32_t *mode, struct f2fs_new *out);
/* Call visit for each entry of a directory but "." and "..". The list is read first, so visit may change the
 * directory. Entries that cannot be read are reported and left out, and make it fail in the end. */
int edit_each(struct edit *e, struct f2fs_inode *dir, const char *path,
	      int (*visit)(void *user, const struct f2fs_dirent *entry), void *user);

/* Records of --json: a document for each command that shows something. */
struct cli_print *edit_print_open(struct edit *e);
int edit_print_close(struct edit *e, struct cli_print *out);
/* A name of the image, as text. */
void edit_put_name(const char *name, size_t length);

#endif
