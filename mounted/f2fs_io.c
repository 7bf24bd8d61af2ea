/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * f2fs_io: send commands to a mounted volume. Commands and lines are those of the program of that name in f2fs-tools.
 */
#include <fcntl.h>

#include "cli/program.h"
#include "mounted/command_line.h"
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

static const char *letters_of(int command)
{
	return commands[command].letters;
}

static int complete(void *arguments, struct cli *cli, const struct cli_parser *parser)
{
	static const struct command_program program = { .tool = &tool, .letters = letters_of, .takes_h = 1 };

	return command_line_take(&program, cli, parser, arguments);
}

static int run(void *arguments, struct cli *cli)
{
	const struct command_line *a = arguments;

	return io_run(cli, &commands[a->command], a->words + 1, a->count - 1);
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
	static struct command_line a;

	return cli_program_main(&program, &a, argc, argv);
}
