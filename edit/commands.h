/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands, as commands.def lists them, and running them. The parser of their options, the usage text and the
 * manual page come from the same table.
 */
#ifndef F2FSKIT_EDIT_COMMANDS_H
#define F2FSKIT_EDIT_COMMANDS_H

#include <f2fskit/gc.h>

#include "edit/run.h"

/* A policy of GC and what it does, for the help of gc. */
#define GC_POLICY_WORDS(id, number, name, text) name " (" text "), "

/* Each does its command on the operands of the call, and reports failures. */
#define COMMAND(name, operands, need, letters, min, max, run, help, doc)                                               \
	int run(struct edit *e, const struct edit_call *call);
#define COMMANDS(title)
#include "edit/commands.def"
#undef COMMAND
#undef COMMANDS

/* All commands, as the table has them. */
const struct edit_command *edit_commands(unsigned *count);
/* Run one command: words, the first of them its name. Whatever goes wrong is reported and noted in the status. Returns
 * 0 or a negative error. */
int edit_run(struct edit *e, char **words, int count);
/* Run the commands of a text, one a line or separated by semicolons. Returns 0 or the error that ended them. */
int edit_run_text(struct edit *e, char *text);
/* After a command failed with rc: may the next one run? Changes that cannot be kept are rolled back. */
int edit_goes_on(struct edit *e, int rc);
/* Does this command work on files of the volume? */
int edit_takes_files(const char *command);

#endif
