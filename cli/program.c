/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Run a program with one task: parse, check, run, finish.
 */
#include "cli/program.h"
#include "cli/usage.h"

int cli_refuse(struct cli *cli, const char *why)
{
	cli_error(cli, "%s", why);
	cli_opt_hint(cli->tool);
	return CLI_OPT_ERROR;
}

/* Returns 0, CLI_OPT_EXIT or CLI_OPT_ERROR. */
static int parse(const struct cli_program *program, void *arguments, struct cli *cli, int argc, char **argv)
{
	struct cli_parser parser;
	int id;

	cli_opt_init(&parser, program->tool, argc, argv);
	while ((id = cli_opt_next(&parser)) > 0) {
		const char *why = program->take(arguments, cli, id, parser.value);

		if (why) {
			cli_usage_error(cli, parser.shown, parser.value, why);
			return CLI_OPT_ERROR;
		}
	}
	if (id == CLI_OPT_EXIT && program->help)
		program->help(arguments);
	return id == CLI_OPT_END ? program->complete(arguments, cli, &parser) : id;
}

int cli_image_run(struct cli *cli, const struct cli_image *image, int failure,
		  int (*work)(void *arguments, struct cli *cli, struct cli_opened *opened), void *arguments)
{
	struct f2fs_context *ctx;
	struct cli_opened opened;
	int status = failure;

	if (cli_context_new(cli, &ctx))
		return failure;
	if (cli_image_open(cli, ctx, image, &opened) == 0) {
		status = work(arguments, cli, &opened);
		cli_image_close(&opened);
	}
	f2fs_context_close(ctx);
	return status;
}

static int run(const struct cli_program *program, void *arguments, struct cli *cli)
{
	return program->work ? cli_image_run(cli, arguments, program->failure, program->work, arguments)
			     : program->run(arguments, cli);
}

int cli_program_main(const struct cli_program *program, void *arguments, int argc, char **argv)
{
	struct cli cli;
	int rc;

	if (cli_init(&cli, program->tool))
		return program->failure;
	rc = parse(program, arguments, &cli, argc, argv);
	if (rc == CLI_OPT_ERROR)
		return program->usage;
	return cli_finish(&cli, rc == CLI_OPT_EXIT ? CLI_EXIT_OK : run(program, arguments, &cli), program->failure);
}
