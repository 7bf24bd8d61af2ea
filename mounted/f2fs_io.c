/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * f2fs_io: send commands to a mounted volume. Commands and lines are those of the program of that name in f2fs-tools.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "cli/program.h"
#include "mounted/io_ask.h"
#include "mounted/io_files.h"
#include "mounted/io_flags.h"
#include "mounted/io_speed.h"
#include "mounted/io_transfer.h"
#include "mounted/kernel_calls.h"

static const char *const usage[] = { "COMMAND [OPERAND]...", "help [COMMAND]", NULL };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "the command was done" },
	{ CLI_EXIT_FAILURE, "failure, or wrong usage" },
	{ 2, "an option that the command does not have" },
	{ CLI_EXIT_STOPPED, CLI_STOPPED_TEXT "the file may be half written" },
};

/* The same rows twice: for people, and to be run. */
static const struct cli_command command_texts[] = {
#define COMMANDS(title) { NULL, "", title, "" },
#define COMMAND(name, args, letters, fewest, most, file, opening, run, help, doc) { #name, args, help, doc },
#define ASK(name, args, opening, request, says, help, doc) { #name, args, help, doc },
#define COUNT(name, opening, request, help, doc) { #name, "FILE", help, doc },
#include "mounted/io_commands.def"
#undef COMMANDS
#undef COMMAND
#undef ASK
#undef COUNT
};

static const struct io_command commands[] = {
#define COMMANDS(title) { .name = NULL },
#define COMMAND(name, args, letters, fewest, most, file, opening, run, help, doc)                              \
	{ #name, letters, fewest, most, file, opening, run, 0, NULL, NULL },
#define ASK(name, args, opening, request, says, help, doc)                                                     \
	{ #name, "", 1, 1, 0, opening, io_plain, request, #request, says },
#define COUNT(name, opening, request, help, doc)                                                               \
	{ #name, "", 1, 1, 0, opening, io_count, request, #request, NULL },
#include "mounted/io_commands.def"
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

static const struct cli_tool tool = {
	.name = "f2fs_io",
	.peer_version = CLI_PEER_VERSION,
	.usage = usage,
	.summary = "Send a command to the F2FS volume that a file or directory is on.",
	.exits = exits,
	.exit_count = sizeof(exits) / sizeof(exits[0]),
	.commands = command_texts,
	.command_count = COMMAND_COUNT,
	.last_operand = 1,
};

struct arguments {
	int command;
	char **words;
	int count;
};

/* Find a command. Returns its number, or -1 after a message. */
static int find(struct cli *cli, const char *name)
{
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (commands[i].name && !strcmp(commands[i].name, name))
			return i;
	cli_error(cli, "there is no command '%s'", name);
	cli_opt_hint(&tool);
	return -1;
}

static void explain(int command)
{
	const struct cli_command *c = &command_texts[command];

	const char *letters = commands[command].letters;

	printf("Usage: f2fs_io %s%s%s%s %s\n\n", c->name, letters[0] ? " [-" : "", letters, letters[0] ? "]" : "",
	       c->args);
	printf("  %s%s\n", c->help, c->doc[0] ? ".\n" : "");
	if (c->doc[0]) {
		printf("  ");
		cli_put_wrapped(stdout, 2, c->doc);
	}
}

static int complete(void *arguments, struct cli *cli, const struct cli_parser *parser)
{
	struct arguments *a = arguments;
	const int asks_help = parser->operand_count && !strcmp(parser->operands[0], "help");

	if (parser->operand_count <= asks_help) {
		cli_opt_help(&tool, stdout);
		return CLI_OPT_EXIT;
	}
	a->command = find(cli, parser->operands[asks_help]);
	if (a->command < 0)
		return CLI_OPT_ERROR;
	a->words = parser->operands + 1;
	a->count = parser->operand_count - 1;
	if (asks_help || (a->count == 1 && (!strcmp(a->words[0], "-h") || !strcmp(a->words[0], "--help")))) {
		explain(a->command);
		return CLI_OPT_EXIT;
	}
	return 0;
}

static int run(void *arguments, struct cli *cli)
{
	const struct arguments *a = arguments;

	return io_run(cli, &commands[a->command], a->words, a->count);
}

static const struct cli_program program = {
	.tool = &tool,
	.failure = CLI_EXIT_FAILURE,
	.usage = CLI_EXIT_FAILURE,
	.complete = complete,
	.run = run,
};

int main(int argc, char **argv)
{
	static struct arguments a;

	return cli_program_main(&program, &a, argc, argv);
}
