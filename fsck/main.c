/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fsck.f2fs: check a volume and say what is wrong. Exit codes are those of fsck(8).
 */
#include <stdio.h>
#include <string.h>

#include <f2fskit/check.h>

#include "cli/image.h"
#include "cli/opt.h"
#include "cli/size.h"
#include "check_report.h"

enum {
	OPT_NONE,
#define GROUP(title)
#define OPTION(id, letter, name, arg, arg_name, help, doc) OPT_##id,
#include "options.def"
#undef GROUP
#undef OPTION
};

static const struct cli_option options[] = {
#define GROUP CLI_GROUP_ROW
#define OPTION CLI_OPTION_ROW
#include "options.def"
#undef GROUP
#undef OPTION
};

static const char *const usage[] = { "[OPTION]... DEVICE", "--explain=ID", NULL };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "no problem was found" },
	{ CLI_EXIT_UNCORRECTED, "problems were found and left" },
	{ CLI_EXIT_OPERATIONAL, "the check could not be done" },
	{ CLI_EXIT_USAGE, "wrong usage" },
	{ CLI_EXIT_CANCELED, "canceled by a signal" },
};

static const struct cli_tool tool = {
	.name = "fsck.f2fs",
	.usage = usage,
	.summary = "Check an F2FS volume. This version finds problems and repairs nothing.",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.exits = exits,
	.exit_count = sizeof(exits) / sizeof(exits[0]),
};

struct arguments {
	struct cli_image image;
	const char *devices[CLI_MAX_DEVICES];
	const char *explain;
	int is_content, is_quiet;
	enum cli_format format;
};

static int take_option(struct arguments *a, struct cli *cli, const struct cli_parser *p, int option)
{
	const char *why = NULL;

	switch (option) {
	case OPT_content:
		a->is_content = 1;
		break;
	case OPT_explain:
		a->explain = p->value;
		break;
	case OPT_offset:
		why = cli_parse_size(p->value, 1, 512, &a->image.offset);
		break;
	case OPT_device:
		if (a->image.device_count == CLI_MAX_DEVICES)
			why = "is one device too many";
		else
			a->devices[a->image.device_count++] = p->value;
		break;
	case OPT_json:
		a->format = CLI_JSON;
		break;
	case OPT_quiet:
		a->is_quiet = 1;
		break;
	default:
		break;
	}
	if (why)
		cli_usage_error(cli, p->shown, p->value, why);
	return why ? -1 : 0;
}

/* 0, CLI_OPT_EXIT, or CLI_OPT_ERROR after a message. */
static int parse(struct arguments *a, struct cli *cli, int argc, char **argv)
{
	struct cli_parser p;
	int option;

	cli_opt_init(&p, &tool, argc, argv);
	while ((option = cli_opt_next(&p)) > 0)
		if (take_option(a, cli, &p, option))
			return CLI_OPT_ERROR;
	if (option != CLI_OPT_END)
		return option;
	if (a->explain && p.operand_count == 0)
		return 0;
	if (p.operand_count != 1) {
		cli_error(cli, p.operand_count ? "one device at a time" : "no device was given");
		cli_opt_hint(&tool);
		return CLI_OPT_ERROR;
	}
	a->image.path = p.operands[0];
	a->image.devices = a->devices;
	return 0;
}

static int check(struct cli *cli, struct f2fs_context *ctx, const struct arguments *a, const struct cli_opened *opened)
{
	struct report report;
	struct f2fs_check_result result;
	const struct f2fs_check_options check_options = {
		.depth = a->is_content ? F2FS_CHECK_CONTENT : F2FS_CHECK_FULL,
		.problem = report_problem,
		.user = &report,
		.open = &opened->options,
	};
	int err;

	if (report_open(&report, a->format, a->is_quiet))
		return CLI_EXIT_OPERATIONAL;
	err = f2fs_check(ctx, opened->device, &check_options, &result);
	if (err)
		cli_error_of(cli, ctx, a->image.path);
	if (report_close(&report, err ? NULL : &result))
		return CLI_EXIT_OPERATIONAL;
	if (err)
		return err == F2FS_ERR_CANCELED ? CLI_EXIT_CANCELED : CLI_EXIT_OPERATIONAL;
	return result.state == F2FS_CHECK_CLEAN ? CLI_EXIT_OK : CLI_EXIT_UNCORRECTED;
}

static int run(struct cli *cli, const struct arguments *a)
{
	struct cli_opened opened;
	struct f2fs_context *ctx;
	int status = CLI_EXIT_OPERATIONAL;

	if (cli_context_new(cli, &ctx))
		return status;
	if (cli_image_open(cli, ctx, &a->image, &opened) == 0) {
		status = check(cli, ctx, a, &opened);
		cli_image_close(&opened);
	}
	f2fs_context_free(ctx);
	return status;
}

int main(int argc, char **argv)
{
	struct arguments a = { 0 };
	struct cli cli;
	int rc;

	if (cli_init(&cli, &tool))
		return CLI_EXIT_OPERATIONAL;
	rc = parse(&a, &cli, argc, argv);
	if (rc == CLI_OPT_EXIT)
		return cli_finish(&cli, CLI_EXIT_OK, CLI_EXIT_OPERATIONAL);
	if (rc)
		return CLI_EXIT_USAGE;
	if (a.explain) {
		rc = report_explain(a.explain, a.format);
		if (rc)
			cli_usage_error(&cli, "--explain", a.explain, "is no problem that is known; try --explain=all");
		return cli_finish(&cli, rc ? CLI_EXIT_USAGE : CLI_EXIT_OK, CLI_EXIT_OPERATIONAL);
	}
	return cli_finish(&cli, run(&cli, &a), CLI_EXIT_OPERATIONAL);
}
