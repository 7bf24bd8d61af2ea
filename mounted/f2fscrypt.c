/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * f2fscrypt: keys and policies of encrypted directories on mounted volumes. Commands, options and lines are those of
 * the program of that name in f2fs-tools.
 */
#include <stdio.h>
#include <unistd.h>

#include "cli/keys.h"
#include "cli/program.h"
#include "cli/size.h"
#include "mounted/command_line.h"
#include "mounted/crypt_dirs.h"
#include "mounted/crypt_keys.h"
#include "mounted/crypt_salts.h"

static const char *const usage[] = { "COMMAND [OPTION]... [OPERAND]...", "help [COMMAND]", NULL };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "the command was done" },
	{ CLI_EXIT_FAILURE, "failure, or wrong usage" },
	{ CLI_EXIT_STOPPED, CLI_STOPPED_TEXT "keys that were added stay" },
};

/* The same rows twice: for people, and to be run. */
static const struct cli_command command_texts[] = {
#define COMMANDS(title) { NULL, "", title, "" },
#define COMMAND(name, args, letters, fewest, most, run, help, doc) { #name, args, help, doc },
#include "mounted/crypt_commands.def"
#undef COMMANDS
#undef COMMAND
};

static const struct command {
	const char *name;
	const char *letters; /* as for getopt(3) */
	int fewest, most;    /* operands; most -1: any number */
	int (*run)(struct crypt_call *call);
} commands[] = {
#define COMMANDS(title) { .name = NULL },
#define COMMAND(name, args, letters, fewest, most, run, help, doc) { #name, letters, fewest, most, run },
#include "mounted/crypt_commands.def"
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]), PADDING = 4 };

static const struct cli_tool tool = {
	.name = "f2fscrypt",
	.peer_version = CLI_PEER_VERSION,
	.usage = usage,
	.summary = "Add keys of passphrases, and encrypt directories on mounted F2FS volumes with them.",
	.exits = exits,
	.exit_count = sizeof(exits) / sizeof(exits[0]),
	.commands = command_texts,
	.command_count = COMMAND_COUNT,
	.last_operand = 1,
};

static int complete(void *arguments, struct cli *cli, const struct cli_parser *parser)
{
	static const struct command_program program = { .tool = &tool };

	return command_line_take(&program, cli, parser, arguments);
}

/* Take one option of the command. Returns 0, or -1 after a message. */
static int take(struct crypt_call *call, int letter)
{
	const char word[] = { '-', (char)optopt, 0 };

	switch (letter) {
	case 'k':
		call->keyring = optarg;
		return 0;
	case 'p':
		if (cli_parse_u64(optarg, 0, UINT32_MAX, &call->padding))
			return crypt_refuse(call, optarg, "is not a padding");
		return 0;
	case 'S':
		return crypt_take_salt(call, optarg);
	case 'v':
		call->is_verbose = 1;
		return 0;
	case 'q':
		call->is_quiet = 1;
		return 0;
	default:
		return crypt_refuse(call, word, letter == ':' ? "needs a value" : "is not an option of this command");
	}
}

static int take_words(struct crypt_call *call, const struct command *command, const struct command_line *a)
{
	char letters[16];
	int letter;

	snprintf(letters, sizeof(letters), ":%s", command->letters);
	while ((letter = getopt(a->count, a->words, letters)) != -1)
		if (take(call, letter))
			return -1;
	call->words = a->words + optind;
	call->count = a->count - optind;
	if (call->count >= command->fewest && (command->most < 0 || call->count <= command->most))
		return 0;
	cli_error(call->cli, "%s: %s operands (f2fscrypt help %s explains)", command->name,
		  call->count < command->fewest ? "missing" : "too many", command->name);
	return -1;
}

static int run(void *arguments, struct cli *cli)
{
	static struct crypt_call call;
	const struct command_line *a = arguments;
	const struct command *command = &commands[a->command];
	int rc;

	call.cli = cli;
	call.command = command->name;
	call.padding = PADDING;
	opterr = 0;
	rc = take_words(&call, command, a);
	if (!rc)
		rc = command->run(&call);
	cli_wipe(call.salts, sizeof(call.salts));
	return rc ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
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
