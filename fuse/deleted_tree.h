/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Deleted files by their paths.
 */
#ifndef F2FSKIT_FUSE_DELETED_TREE_H
#define F2FSKIT_FUSE_DELETED_TREE_H

#include "fuse/mount_history.h"

struct deleted_tree;

int deleted_tree_new(struct f2fs_past *past, struct deleted_tree **out);
void deleted_tree_free(struct deleted_tree *tree);
/* Row 0 is the top. NOT_FOUND for a name that is not there. */
int deleted_tree_lookup(const struct deleted_tree *tree, uint32_t dir, const char *name, uint32_t *row);
int deleted_tree_list(const struct deleted_tree *tree, uint32_t dir, history_visit *visit, void *user);
/* Does the row stand for a directory? The others are files, whose marks are given. */
int deleted_tree_is_dir(const struct deleted_tree *tree, uint32_t row);
const struct history_marks *deleted_tree_marks(const struct deleted_tree *tree, uint32_t row);
/* The type of a file, as st_mode has it. */
mode_t deleted_tree_type(const struct deleted_tree *tree, uint32_t row);

#endif
