/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * f2fs-lab: rerun the experiments of the papers that F2FS comes from. This file reads the options and finds the
 * command.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/program.h"
#include "cli/size.h"
#include "cli/usage.h"
#include "lab/command.h"
#include "f2fskit_config.h"

#define CLI_OPTIONS_FILE "lab/options.def"
#include "cli/option_table.h"

static const struct cli_command command_texts[] = {
	{ NULL, "", "Commands", "" },
#define COMMAND(name, operands, min, max, run, help, doc) { name, operands, help, doc },
#include "lab/lab_commands.def"
#undef COMMAND
};

static const struct command {
	const char *name;
	int min, max;
	int (*run)(struct cli *cli, struct lab_arguments *a);
} commands[] = {
#define COMMAND(name, operands, min, max, run, help, doc) { name, min, max, run },
#include "lab/lab_commands.def"
#undef COMMAND
};

static const char *const usage[] = { "[OPTION]... COMMAND [ARG]...", NULL };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "success" },
	{ CLI_EXIT_FAILURE, "failure, or wrong usage" },
	{ CLI_EXIT_STOPPED, CLI_STOPPED_TEXT "nothing was measured" },
};

static const struct cli_part parts[] = {
	{ "libcairo", "plots as PNG", HAVE_CAIRO },
	{ "libsqlite3", "loads of SQLite itself", HAVE_SQLITE3 },
	{ 0 },
};

static const struct cli_tool tool = {
	.name = "f2fs-lab",
	.usage = usage,
	.summary = "Rerun the experiments of the papers on F2FS on f2fskit's engine, on devices that are models.",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.exits = exits,
	.exit_count = sizeof(exits) / sizeof(exits[0]),
	.parts = parts,
	.commands = command_texts,
	.command_count = sizeof(command_texts) / sizeof(command_texts[0]),
};

/* Take one option. Returns NULL, or an error text about its value. */
static const char *take(void *arguments, struct cli *cli, int id, const char *value)
{
	struct lab_arguments *a = arguments;

	(void)cli;
	switch (id) {
	case OPT_set:
		if (a->set_count == LAB_SETS)
			return "is one too many";
		a->sets[a->set_count++] = value;
		return NULL;
	case OPT_small:
		a->is_small = 1;
		return NULL;
	case OPT_all:
		a->is_all = 1;
		return NULL;
	case OPT_figures:
		a->figures = value;
		return NULL;
	case OPT_seed:
		a->seed = value;
		return cli_parse_u64(value, 0, UINT64_MAX, &a->seed_number);
	case OPT_rounds:
		return cli_parse_u32(value, 0, UINT32_MAX, &a->rounds);
	case OPT_csv:
		a->csv = value;
		return NULL;
	case OPT_policy:
		a->policy = value;
		return NULL;
	case OPT_trace:
		a->trace = value;
		return NULL;
	case OPT_plot:
		a->plot = value;
		return NULL;
	default: /* OPT_json */
		a->json = value;
		return NULL;
	}
}

static const struct command *find(struct cli *cli, const struct cli_parser *parser)
{
	const int operands = parser->operand_count - 1;

	if (operands < 0) {
		cli_error(cli, "no command given");
		return NULL;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, parser->operands[0]) != 0)
			continue;
		if (operands >= commands[i].min && operands <= commands[i].max)
			return &commands[i];
		cli_error(cli, "%s: %s", commands[i].name,
			  operands < commands[i].min ? "an operand is missing" : "there are too many operands");
		return NULL;
	}
	cli_error(cli, "there is no command '%s'", parser->operands[0]);
	return NULL;
}

static int complete(void *arguments, struct cli *cli, const struct cli_parser *parser)
{
	struct lab_arguments *a = arguments;

	a->command = find(cli, parser);
	if (!a->command) {
		cli_opt_hint(&tool);
		return CLI_OPT_ERROR;
	}
	a->operands = parser->operands + 1;
	a->operand_count = parser->operand_count - 1;
	return 0;
}

static int run(void *arguments, struct cli *cli)
{
	struct lab_arguments *a = arguments;

	return a->command->run(cli, a) ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static const struct cli_program program = {
	.tool = &tool,
	.failure = CLI_EXIT_FAILURE,
	.usage = CLI_EXIT_FAILURE,
	.take = take,
	.complete = complete,
	.run = run,
};

int main(int argc, char **argv)
{
	static struct lab_arguments a = { .program = "", .rounds = 1, .seed_number = 1 };

	if (argc > 0)
		a.program = argv[0];
	return cli_program_main(&program, &a, argc, argv);
}
