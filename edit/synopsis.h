/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options of a command, and the usage text made from them.
 */
#ifndef F2FSKIT_EDIT_SYNOPSIS_H
#define F2FSKIT_EDIT_SYNOPSIS_H

#include "edit/run.h"

/* An option of a command. */
struct edit_option {
	char letter;
	const char *value; /* what its value is called, not terminated; NULL: it takes none */
	size_t value_length;
	const char *name; /* its long name, not terminated */
	size_t name_length;
};
/* Take the next option off a text of them; 0 at the end. */
int edit_option_next(const char **at, struct edit_option *out);
/* Find an option by its letter or its long name; 0: there is none. */
int edit_option_find(const struct edit_command *command, const char *word, struct edit_option *out);
/* What follows the name of a command in its usage: options and operands. Free it; NULL without memory. */
char *edit_synopsis(const struct edit_command *command);
/* The full description of a command, and the long names of its options. Free it; NULL without memory. */
char *edit_explanation(const struct edit_command *command);

#endif
