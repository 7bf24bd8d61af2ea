/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the command that the first operand names, or explain it.
 */
#include "cli/usage.h"
#include "mounted/command_line.h"

#include <stdio.h>
#include <string.h>

/* Returns the number of a command, or -1 after a message. */
static int find(const struct cli_tool *tool, struct cli *cli, const char *name)
{
	for (int i = 0; i < (int)tool->command_count; i++)
		if (tool->commands[i].name && !strcmp(tool->commands[i].name, name))
			return i;
	cli_error(cli, "there is no command '%s'", name);
	cli_opt_hint(tool);
	return -1;
}

static void explain(const struct command_program *program, int command)
{
	const struct cli_command *c = &program->tool->commands[command];
	const char *letters = program->letters ? program->letters(command) : "";

	printf("Usage: %s %s%s%s%s %s\n\n", program->tool->name, c->name, letters[0] ? " [-" : "", letters,
	       letters[0] ? "]" : "", c->args);
	printf("  %s%s\n", c->help, c->doc[0] ? ".\n" : "");
	if (c->doc[0]) {
		printf("  ");
		cli_put_wrapped(stdout, 2, c->doc);
	}
}

static int asks(const struct command_program *program, const char *word)
{
	return !strcmp(word, "--help") || (program->takes_h && !strcmp(word, "-h"));
}

int command_line_take(const struct command_program *program, struct cli *cli, const struct cli_parser *parser,
		      struct command_line *out)
{
	const int asks_help = parser->operand_count && !strcmp(parser->operands[0], "help");

	if (parser->operand_count <= asks_help) {
		cli_opt_help(program->tool, stdout);
		return CLI_OPT_EXIT;
	}
	out->words = parser->operands + asks_help;
	out->count = parser->operand_count - asks_help;
	out->command = find(program->tool, cli, out->words[0]);
	if (out->command < 0)
		return CLI_OPT_ERROR;
	if (asks_help || (out->count == 2 && asks(program, out->words[1]))) {
		explain(program, out->command);
		return CLI_OPT_EXIT;
	}
	return 0;
}
