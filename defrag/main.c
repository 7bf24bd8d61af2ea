/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * defrag.f2fs: report fragmentation, and defragment.
 */
#include <stdio.h>
#include <string.h>

#include "cli/program.h"
#include "cli/size.h"
#include "defrag/fragment_report.h"
#include "defrag/map.h"
#include "defrag/moved_range.h"

#define CLI_OPTIONS_FILE "defrag/options.def"
#include "cli/option_table.h"

static const char *const usage[] = { "[OPTION]... IMAGE [PATH]...",
				     "{--fragmentation | --segment-map | --svg=FILE} [OPTION]... IMAGE [PATH]...",
				     "[-s START] [-l LENGTH] [-t TARGET] [-i] IMAGE", NULL };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "success" },
	{ CLI_EXIT_FAILURE, "failure; or only standard output failed; or wrong usage" },
	{ CLI_EXIT_STOPPED, CLI_STOPPED_TEXT "earlier commits stay" },
};

static const struct cli_tool tool = {
	.name = "defrag.f2fs",
	.peer_version = CLI_PEER_VERSION,
	.summary = "Defragment the files and the free space of an F2FS volume, or report their fragmentation.",
	CLI_TOOL_TABLES,
};

enum { TOP = 10, TOP_MOST = 100000 };

/* A budget: a number of blocks, a size, a time. */
static const char *take_budget(struct arguments *a, const char *value)
{
	const size_t n = strlen(value), digits = strspn(value, "0123456789");
	char number[24] = "";
	uint32_t seconds;

	if (digits > 0 && digits == n)
		return cli_parse_u64(value, 1, UINT64_MAX, &a->blocks);
	if (digits > 0 && digits < sizeof(number) && strcmp(value + digits, "sec") == 0) {
		memcpy(number, value, digits);
		if (cli_parse_u32(number, 1, UINT32_MAX, &seconds))
			return "is not a number of seconds";
		a->seconds = seconds;
		return NULL;
	}
	return cli_parse_size(value, 1, 512, &a->bytes) || a->bytes == 0
		       ? "is no budget: a number of blocks, bytes with a unit (2GiB), or seconds (90sec)"
		       : NULL;
}

static const char *take_order(struct arguments *a, const char *value)
{
	static const struct {
		const char *name;
		uint32_t order;
	} names[] = { { "score", F2FS_DEFRAG_SCORE },
		      { "tree", F2FS_DEFRAG_TREE },
		      { "age", F2FS_DEFRAG_AGE },
		      { "space", F2FS_DEFRAG_SPACE } };

	a->order_file = NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(value, names[i].name) == 0) {
			a->order = names[i].order;
			return NULL;
		}
	}
	if (!strpbrk(value, "./") && strcmp(value, "-") != 0)
		return "is none of score, tree, age, space, nor a file name with a slash or a dot in it";
	a->order = F2FS_DEFRAG_LIST;
	a->order_file = value;
	return NULL;
}

/* Take one option of the form of f2fs-tools. */
static const char *take_range(struct arguments *a, int id, const char *value)
{
	a->is_range = 1;
	switch (id) {
	case OPT_start:
		return cli_parse_u64(value, 0, UINT32_MAX, &a->start);
	case OPT_length:
		return cli_parse_u64(value, 0, UINT32_MAX, &a->length);
	case OPT_target:
		return cli_parse_u64(value, 0, UINT32_MAX, &a->target);
	default:
		a->goes_left = 1;
		return NULL;
	}
}

/* Take one option. Returns NULL, or an error text about its value. */
static const char *take(void *arguments, struct cli *cli, int id, const char *value)
{
	struct arguments *a = arguments;

	(void)cli;
	if (cli_is_image_option(id))
		return cli_image_take(&a->image, id, value);
	switch (id) {
	case OPT_report:
		a->report = 1;
		return NULL;
	case OPT_map:
		a->map = 1;
		return NULL;
	case OPT_svg:
		a->svg = value;
		return NULL;
	case OPT_dry_run:
		a->dry_run = 1;
		return NULL;
	case OPT_move_pinned:
		a->move_pinned = 1;
		return NULL;
	case OPT_order:
		return take_order(a, value);
	case OPT_include:
		if (a->include_count == INCLUDES)
			return "is one too many";
		a->includes[a->include_count++] = value;
		return NULL;
	case OPT_budget:
		return take_budget(a, value);
	case OPT_goal:
		return cli_parse_u32(value, 1, UINT32_MAX, &a->free_goal);
	case OPT_start:
	case OPT_length:
	case OPT_target:
	case OPT_leftwards:
		return take_range(a, id, value);
	case OPT_sparse:
	case OPT_hints:
	case OPT_debug:
		return NULL;
	case OPT_top:
		return cli_parse_u32(value, 0, TOP_MOST, &a->top);
	default: /* OPT_json */
		a->is_json = 1;
		return NULL;
	}
}

static int looks(const struct arguments *a)
{
	return a->report || a->map || a->svg;
}

/* Options that do not go together; NULL: all is well. */
static const char *find_contradiction(const struct arguments *a, unsigned paths)
{
	const int chooses = a->order != F2FS_DEFRAG_SCORE || a->include_count || a->blocks || a->bytes || a->seconds ||
			    a->free_goal || a->dry_run || a->move_pinned;

	if (looks(a) && (chooses || a->is_range))
		return "--fragmentation, --segment-map and --svg only look: they do not go with options for "
		       "defragmenting";
	if (a->is_range && (chooses || paths || a->is_json))
		return "-s, -l, -t and -i move a range of blocks: they go with no option for files";
	if ((a->order == F2FS_DEFRAG_LIST || a->order == F2FS_DEFRAG_SPACE) && (paths || a->include_count))
		return "paths and --include choose files for --order=score, tree and age";
	if (a->is_json && a->map)
		return "--segment-map is text and does not go with --json: --fragmentation --json prints the use of "
		       "segments";
	if (a->is_json && a->svg && (!a->report || strcmp(a->svg, "-") == 0))
		return a->report ? "--json needs the standard output for itself" : "--json goes with --fragmentation";
	return NULL;
}

static int complete(void *arguments, struct cli *cli, const struct cli_parser *parser)
{
	struct arguments *a = arguments;
	const char *wrong = parser->operand_count < 1
				    ? "no image given"
				    : find_contradiction(a, (unsigned)parser->operand_count - 1);

	if (wrong)
		return cli_refuse(cli, wrong);
	a->image.path = parser->operands[0];
	a->paths = (const char *const *)(parser->operands + 1);
	a->path_count = (unsigned)parser->operand_count - 1;
	a->include = a->includes;
	a->image.saves = 1;
	a->image.flags = looks(a) || a->dry_run ? F2FS_OPEN_READ : F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE;
	return 0;
}

static int do_asked(struct defrag *d)
{
	int rc = 0;

	if (d->a->is_range)
		return defrag_range(d);
	if (!looks(d->a))
		return defrag_run(d);
	if (d->a->report)
		rc = defrag_report(d);
	if (!rc && d->a->map)
		rc = defrag_map(d);
	if (!rc && d->a->svg)
		rc = defrag_svg(d);
	return rc;
}

static int work(void *arguments, struct cli *cli, struct cli_opened *opened)
{
	struct defrag d = { .cli = cli, .a = arguments, .ctx = opened->ctx };
	int rc = cli_opened_volume(cli, opened, &d.vol);

	if (rc)
		return CLI_EXIT_FAILURE;
	rc = do_asked(&d);
	f2fs_volume_close(d.vol);
	if (rc || cli_image_save(cli, opened))
		return CLI_EXIT_FAILURE;
	cli->done = "all files are moved";
	return CLI_EXIT_OK;
}

static const struct cli_program program = {
	.tool = &tool,
	.failure = CLI_EXIT_FAILURE,
	.usage = CLI_EXIT_FAILURE,
	.take = take,
	.complete = complete,
	.work = work,
};

int main(int argc, char **argv)
{
	static struct arguments a = { .top = TOP };

	return cli_program_main(&program, &a, argc, argv);
}
