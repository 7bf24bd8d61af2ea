/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print a table of options: the usage text, and the form for programs.
 */
#ifndef F2FSKIT_CLI_USAGE_H
#define F2FSKIT_CLI_USAGE_H

#include <stdio.h>

#include "cli/opt.h"

/* Write the usage text. */
void cli_opt_help(const struct cli_tool *tool, FILE *to);
/* Write text from column indent on, where the line is, broken at spaces; further lines begin there, too. */
void cli_put_wrapped(FILE *to, int indent, const char *text);
/*
 * Write options and exit codes for programs: one line each, fields separated by tabs, "\n" and "\\" escaped.
 *	group TITLE | option LETTER NAME KIND ARG HELP DOC | exit CODE TEXT
 *	commands TITLE | command NAME ARGS HELP DOC
 */
void cli_opt_dump(const struct cli_tool *tool, FILE *to);
/* Write "Try '... --help'." to stderr. */
void cli_opt_hint(const struct cli_tool *tool);

#endif
