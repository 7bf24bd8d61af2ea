/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make single files below a directory of the host. Nothing that exists there is overwritten or followed. A path may
 * come from an image: each component is only ever one name below a directory that is open here.
 *
 * Directories and files are descriptors. Each call that returns int records its error, but host_tree_enter().
 */
#ifndef F2FSKIT_SINK_HOSTTREE_H
#define F2FSKIT_SINK_HOSTTREE_H

#include <f2fskit/file.h>

#include "base/context.h"
#include "base/vec.h"

enum { HOST_NAME_ROOM = 600 };

struct host_tree {
	struct f2fs_context *ctx;
	int top;	 /* the directory; -1: it is not open */
	struct vec made; /* char *: paths of directories that were made */
};

/* Open the directory, which is made if it is missing. host_tree_close() in any case. */
int host_tree_open(struct host_tree *t, struct f2fs_context *ctx, const char *path);
void host_tree_close(struct host_tree *t);
/* Open the directory for the last component of a path, making missing ones, and copy that component to name. */
int host_tree_parent(struct host_tree *t, const char *path, char name[HOST_NAME_ROOM], int *out);
/* Make a directory, or take the one that is there. Its path has that length. */
int host_tree_make_dir(struct host_tree *t, int dir, const char *name, const char *path, size_t length);
/* Open a directory. Returns -1 when that fails, without an error. */
int host_tree_enter(int dir, const char *name);
/* Close a directory; -1: do nothing. */
void host_tree_leave(int dir);
/* Make a file, and open it for writing. */
int host_tree_create(struct host_tree *t, int dir, const char *name, int *out);
int host_tree_symlink(struct host_tree *t, const char *target, int dir, const char *name);
/* Make a FIFO, socket or device. */
int host_tree_special(struct host_tree *t, const struct f2fs_stat *st, int dir, const char *name);
/* Give a file of dir another name in to. */
int host_tree_link(struct host_tree *t, int dir, const char *name, int to, const char *other);
/* Remove a file that was made; a failure is not reported. */
void host_tree_remove(int dir, const char *name);

int host_tree_resize(struct host_tree *t, int fd, uint64_t size);
int host_tree_write(struct host_tree *t, int fd, uint64_t offset, const uint8_t *bytes, size_t length);
int host_tree_put_xattr(struct host_tree *t, int fd, const struct f2fs_xattr *x);
/* Set permissions, times and, by root alone, the owner. Failures are not reported. */
void host_tree_set_attributes(int fd, const struct f2fs_stat *st);
int host_tree_close_file(struct host_tree *t, int fd, const char *name);

#endif
