/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take the words of a call apart into options and operands.
 */
#ifndef F2FSKIT_EDIT_CALL_H
#define F2FSKIT_EDIT_CALL_H

#include "edit/run.h"

/* Take options and operands out of the words of a call, whose command is set and whose operands have room for count.
 * Errors are reported. */
int edit_call_parse(struct edit *e, struct edit_call *call, char **words, int count);
/* Was the option given? */
static inline int edit_has(const struct edit_call *call, char letter)
{
	return call->options[(unsigned char)letter] != NULL;
}

#endif
