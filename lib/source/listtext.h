/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text of Android's lists, fs_config and file_contexts.
 */
#ifndef F2FSKIT_SOURCE_LISTTEXT_H
#define F2FSKIT_SOURCE_LISTTEXT_H

#include "base/context.h"

/* Read a text file of the host, NUL-terminated; free with mem_free(). */
int listtext_read(struct f2fs_context *ctx, const char *path, char **text);
/* Take the next word off a line, words being separated by blanks; NULL at its end. *line moves past it. */
char *listtext_word(char **line);

#endif
