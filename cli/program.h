/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The frame of a program with one task: it takes its options, checks the command line as a whole, runs, and returns an
 * exit status.
 *
 *	int main(int argc, char **argv)
 *	{
 *		static struct arguments a;
 *
 *		return cli_program_main(&program, &a, argc, argv);
 *	}
 */
#ifndef F2FSKIT_CLI_PROGRAM_H
#define F2FSKIT_CLI_PROGRAM_H

#include "cli/image.h"

/*
 * The functions get the arguments that were given to cli_program_main(). Of run and work a program has one: with work
 * the arguments begin with the struct cli_image that is opened for it.
 */
struct cli_program {
	const struct cli_tool *tool;
	int failure; /* exit status when the task cannot be done */
	int usage;   /* exit status for a wrong command line */
	/* Take one option. Returns NULL, or an error text about its value. */
	const char *(*take)(void *arguments, struct cli *cli, int id, const char *value);
	/* All options are taken: look at the operands. Returns 0, CLI_OPT_EXIT (nothing is left to be done), or what
	 * cli_refuse() returns. */
	int (*complete)(void *arguments, struct cli *cli, const struct cli_parser *parser);
	/* Do the task. Each returns the exit status. */
	int (*run)(void *arguments, struct cli *cli);
	int (*work)(void *arguments, struct cli *cli, struct cli_opened *opened);
	/* Add to what --help shows; NULL: nothing. */
	void (*help)(void *arguments);
};

int cli_program_main(const struct cli_program *program, void *arguments, int argc, char **argv);
/* Write an error about the command line, and the hint at --help. Returns CLI_OPT_ERROR. */
int cli_refuse(struct cli *cli, const char *why);
/* Open the image, do the work, close it. Returns what work returns, failure when the image could not be opened. */
int cli_image_run(struct cli *cli, const struct cli_image *image, int failure,
		  int (*work)(void *arguments, struct cli *cli, struct cli_opened *opened), void *arguments);

#endif
