/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The text of scripts and of the shell as words.
 */
#ifndef F2FSKIT_EDIT_WORDS_H
#define F2FSKIT_EDIT_WORDS_H

#include "edit/run.h"

/* A command of the text. */
struct edit_line {
	char **words; /* into the text; freed by the caller, as are the marks */
	int count;
	const char *start;    /* of the text */
	unsigned char *marks; /* by place in the text: 1 for * ? [ without quotes; NULL: there are none */
};
/*
 * Take the next command off *text: its words, which point into the text, that is changed. Words are separated by
 * blanks, commands by newlines and semicolons; '...' and "..." quote, a backslash quotes the next character, \n \t \xNN
 * stand for bytes, # begins a comment. Returns the number of words, 0 for an empty command, -1 at the end of the text,
 * -2 for an open quote, -3 when memory is short.
 */
int edit_words(char **text, struct edit_line *line);

#endif
