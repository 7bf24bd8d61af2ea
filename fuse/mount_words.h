/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The words of -o. Each is a long option of this program, a word for libfuse, or a word of fstab(5)
 * without effect here.
 */
#ifndef F2FSKIT_FUSE_MOUNT_WORDS_H
#define F2FSKIT_FUSE_MOUNT_WORDS_H

#include "cli/opt.h"

/* Return the next word of a list, with "\," as a comma, cut out of the text. *at moves past it. NULL at the end. */
char *mount_word_next(char **at);
/* The option whose long name is the word's, up to its "=", with "_" for "-" or not. NULL: there is none. */
const struct cli_option *mount_word_find(const struct cli_tool *tool, const char *word);
/* The value after the "="; NULL without one. */
const char *mount_word_value(const char *word);
/* Is the word irrelevant for this mount? */
int mount_word_is_idle(const char *word);

#endif
