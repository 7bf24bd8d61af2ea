/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * file_contexts: SELinux labels of paths.
 */
#ifndef F2FSKIT_SOURCE_CONTEXTS_H
#define F2FSKIT_SOURCE_CONTEXTS_H

#include "base/context.h"

struct contexts;

/* Add the lines of a file; *contexts is made when it is NULL. */
int contexts_load(struct f2fs_context *ctx, const char *path, struct contexts **contexts);
/* Add the lines of text (taken over, also on failure). */
int contexts_parse(struct f2fs_context *ctx, const char *name, char *text, struct contexts **contexts);
void contexts_free(struct contexts *contexts);
/* The label of a path ("/system/bin") of that mode; NULL for none. */
const char *contexts_find(const struct contexts *contexts, const char *path, uint32_t mode);

#endif
