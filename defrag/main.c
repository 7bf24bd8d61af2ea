/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * defrag.f2fs: tell how fragmented a volume is.
 */
#include <stdio.h>
#include <string.h>

#include "cli/size.h"
#include "defrag/defrag.h"

#define CLI_OPTIONS_FILE "defrag/options.def"
#include "cli/option_table.h"

static const char *const usage[] = { "{--report | --map | --svg=FILE} [OPTION]... IMAGE [PATH]...", NULL };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "what was asked for was done" },
	{ CLI_EXIT_FAILURE, "it was not; or wrong usage" },
	{ CLI_EXIT_STOPPED, CLI_STOPPED_TEXT "nothing was changed" },
};

static const struct cli_tool tool = {
	.name = "defrag.f2fs",
	.peer_version = CLI_PEER_VERSION,
	.usage = usage,
	.summary = "Tell how fragmented an F2FS volume is.",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.exits = exits,
	.exit_count = sizeof(exits) / sizeof(exits[0]),
};

enum { TOP = 10, TOP_MOST = 100000 };

/* Take one option; returns what is wrong with its value, or NULL. */
static const char *take(struct arguments *a, int id, const char *value)
{
	switch (id) {
#define GROUP(title)
#define OPTION(id, letter, name, arg, arg_name, help, doc)                                                             \
	case OPT_##id:                                                                                                 \
		return cli_image_take(&a->image, CLI_IMAGE_##id, value);
#include "cli/opening.def"
#undef GROUP
#undef OPTION
	case OPT_offset:
		return cli_parse_size(value, 1, 512, &a->image.offset);
	case OPT_report:
		a->report = 1;
		return NULL;
	case OPT_map:
		a->map = 1;
		return NULL;
	case OPT_svg:
		a->svg = value;
		return NULL;
	case OPT_top:
		return cli_parse_u32(value, 0, TOP_MOST, &a->top);
	default: /* OPT_json */
		a->is_json = 1;
		return NULL;
	}
}

/* Returns 0, CLI_OPT_EXIT or CLI_OPT_ERROR. */
static int parse(struct arguments *a, struct cli *cli, int argc, char **argv)
{
	struct cli_parser parser;
	const char *wrong = NULL;
	int id;

	a->top = TOP;
	cli_opt_init(&parser, &tool, argc, argv);
	while ((id = cli_opt_next(&parser)) > 0) {
		const char *why = take(a, id, parser.value);

		if (why) {
			cli_usage_error(cli, parser.shown, parser.value, why);
			return CLI_OPT_ERROR;
		}
	}
	if (id != CLI_OPT_END)
		return id;
	if (parser.operand_count < 1)
		wrong = "no image given";
	else if (!a->report && !a->map && !a->svg)
		wrong = "nothing to do: --report, --map or --svg";
	else if (a->is_json && !a->report)
		wrong = "--json goes with --report";
	if (wrong) {
		cli_error(cli, "%s", wrong);
		cli_opt_hint(&tool);
		return CLI_OPT_ERROR;
	}
	a->image.path = parser.operands[0];
	a->paths = (const char *const *)(parser.operands + 1);
	a->path_count = (unsigned)parser.operand_count - 1;
	a->image.flags = F2FS_OPEN_READ;
	return 0;
}

static int work(struct defrag *d)
{
	int rc = 0;

	if (d->a->report)
		rc = defrag_report(d);
	if (!rc && d->a->map)
		rc = defrag_map(d);
	if (!rc && d->a->svg)
		rc = defrag_svg(d);
	return rc;
}

static int run(struct cli *cli, const struct arguments *a)
{
	struct defrag d = { .cli = cli, .a = a };
	int rc;

	if (cli_context_new(cli, &d.ctx))
		return CLI_EXIT_FAILURE;
	rc = cli_open_volume(cli, d.ctx, &a->image, &d.vol);
	if (!rc) {
		rc = work(&d);
		f2fs_volume_close(d.vol);
	}
	f2fs_context_free(d.ctx);
	return rc ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

int main(int argc, char **argv)
{
	static struct arguments a;
	struct cli cli;
	int rc;

	if (cli_init(&cli, &tool))
		return CLI_EXIT_FAILURE;
	rc = parse(&a, &cli, argc, argv);
	if (rc == CLI_OPT_EXIT)
		return cli_finish(&cli, CLI_EXIT_OK, CLI_EXIT_FAILURE);
	return rc ? CLI_EXIT_FAILURE : cli_finish(&cli, run(&cli, &a), CLI_EXIT_FAILURE);
}
