/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patterns of names (* ? [a-z]), and their expansion.
 */
#ifndef F2FSKIT_EDIT_PATTERNS_H
#define F2FSKIT_EDIT_PATTERNS_H

#include "edit/words.h"

/* Does a pattern match a name? */
int edit_matches(const char *pattern, const char *name);
/* Expand patterns among the words of a command. They match files of the volume, or files of the host for the sources of
 * put. Free the words with edit_expand_free(). Failure is reported. */
int edit_expand(struct edit *e, const struct edit_line *line, char ***words, int *count);
void edit_expand_free(char **words, int count);

#endif
