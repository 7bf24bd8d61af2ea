/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paths of items: their form, and the current one.
 */
#ifndef F2FSKIT_SOURCE_PATH_H
#define F2FSKIT_SOURCE_PATH_H

#include "source/source.h"

/* Set the path of the current item: the first length bytes of the present one, a slash between, and name. */
int source_set_path(struct source *src, size_t length, const char *name);
/*
 * Bring a path from elsewhere into the form of paths here, in out (char, NUL-terminated): no slashes at the ends, none
 * doubled, no ".". Fails with INVALID when it has "..".
 */
int source_clean_path(struct source *src, const char *path, struct vec *out);

#endif
