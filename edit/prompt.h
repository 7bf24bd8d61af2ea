/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines typed at a prompt.
 */
#ifndef F2FSKIT_EDIT_PROMPT_H
#define F2FSKIT_EDIT_PROMPT_H

#include "edit/run.h"

/* Return the next line typed at a prompt; free it. NULL at the end. */
char *edit_read_line(struct edit *e, const char *prompt);

#endif
