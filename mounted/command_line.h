/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Command lines of programs whose first operand is a command: find it, or explain it.
 */
#ifndef F2FSKIT_MOUNTED_COMMAND_LINE_H
#define F2FSKIT_MOUNTED_COMMAND_LINE_H

#include "cli/program.h"

struct command_program {
	const struct cli_tool *tool;	     /* its commands are looked through */
	const char *(*letters)(int command); /* options of a command, for its usage; NULL: its operands name them */
	int takes_h;			     /* -h after a command explains it, as --help does */
};

struct command_line {
	int command;  /* number in the tool's table */
	char **words; /* from the name of the command on */
	int count;
};

/*
 * Take the operands of a program. "help", "help COMMAND" and "COMMAND --help" print help. Returns 0, CLI_OPT_EXIT after
 * that, or CLI_OPT_ERROR after a message.
 */
int command_line_take(const struct command_program *program, struct cli *cli, const struct cli_parser *parser,
		      struct command_line *out);

#endif
