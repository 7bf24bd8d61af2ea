/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remove trees, and parse permissions.
 */
#ifndef F2FSKIT_EDIT_NAMES_H
#define F2FSKIT_EDIT_NAMES_H

#include "edit/paths.h"

/* Remove a name and all below it. */
int edit_remove_tree(struct edit *e, const struct edit_name *name, int is_dir);

/* An octal mode of permissions; non-zero: it is none. */
int edit_parse_mode(const char *text, uint32_t *mode);

#endif
