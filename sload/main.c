/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sload.f2fs: copy a directory of the host into a volume, without mounting it.
 */
#include <f2fskit/populate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/host.h"
#include "cli/image.h"
#include "cli/print.h"
#include "cli/size.h"

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

static const char *const usage[] = { "-f DIRECTORY [OPTION]... DEVICE", NULL };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "everything was copied" },
	{ CLI_EXIT_FAILURE, "nothing was changed; or wrong usage" },
	{ CLI_EXIT_INCOMPLETE,
	  "some entries or attributes could not be copied (named on standard error), the rest was" },
};

static const struct cli_tool sload_tool = {
	.name = "sload.f2fs",
	.usage = usage,
	.summary = "Copy the contents of a directory into an F2FS volume on a device or in a file.",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.exits = exits,
	.exit_count = sizeof(exits) / sizeof(exits[0]),
};

#define MAX_EXCLUDES 256u

struct arguments {
	struct f2fs_populate_options options;
	struct cli_image image;
	const char *excludes[MAX_EXCLUDES];
	int quiet, verbose, json;
};

static struct cli *the_cli(void *user)
{
	return user;
}

static const char *take_owner(struct arguments *a, const char *value)
{
	unsigned long uid, gid;
	char *end;

	uid = strtoul(value, &end, 10);
	if (end == value || *end != ':' || uid > UINT32_MAX)
		return "is not UID:GID";
	value = end + 1;
	gid = strtoul(value, &end, 10);
	if (end == value || *end || gid > UINT32_MAX)
		return "is not UID:GID";
	a->options.uid = (uint32_t)uid;
	a->options.gid = (uint32_t)gid;
	return NULL;
}

static const char *take_time(struct arguments *a, const char *value)
{
	char *end;
	long long seconds = strtoll(value, &end, 10);

	if (end == value || *end)
		return "is not a number of seconds";
	if (seconds >= 0) {
		a->options.has_time = 1;
		a->options.time.seconds = seconds;
	}
	return NULL;
}

static const char *take_exclude(struct arguments *a, const char *value)
{
	if (a->options.exclude_count == MAX_EXCLUDES)
		return "is one pattern too many";
	a->excludes[a->options.exclude_count++] = value;
	return NULL;
}

/* Take one option; what is wrong with its value, or NULL. */
static const char *take_option(struct arguments *a, int id, const char *value)
{
	switch (id) {
	case OPT_source:
		a->options.directory = value;
		return NULL;
	case OPT_target:
		a->options.target = value;
		return NULL;
	case OPT_exclude:
		return take_exclude(a, value);
	case OPT_preserve:
		a->options.keep |= F2FS_KEEP_OWNER;
		return NULL;
	case OPT_owner:
		return take_owner(a, value);
	case OPT_time:
		return take_time(a, value);
	case OPT_offset:
		return cli_parse_size(value, 1, 512, &a->image.offset);
	case OPT_quiet:
		a->quiet = 1;
		return NULL;
	case OPT_json:
		a->json = 1;
		return NULL;
	case OPT_verbose:
		a->verbose = 1;
		return NULL;
	default: /* OPT_debug */
		a->verbose |= atoi(value) > 0;
		return NULL;
	}
}

/* Returns 0, CLI_OPT_EXIT or CLI_OPT_ERROR. */
static int parse(struct arguments *a, struct cli *cli, int argc, char **argv)
{
	struct cli_parser parser;
	int id;

	a->options.keep = F2FS_KEEP_DEFAULT & ~(unsigned)F2FS_KEEP_OWNER;
	if (cli->has_epoch) {
		a->options.has_time = 1;
		a->options.time.seconds = cli->epoch;
	}
	cli_opt_init(&parser, &sload_tool, argc, argv);
	while ((id = cli_opt_next(&parser)) > 0) {
		const char *why = take_option(a, id, parser.value);

		if (why) {
			cli_usage_error(cli, parser.shown, parser.value, why);
			return CLI_OPT_ERROR;
		}
	}
	if (id != CLI_OPT_END)
		return id;
	if (parser.operand_count != 1 || !a->options.directory) {
		cli_error(cli, parser.operand_count != 1 ? "one device or image is needed" : "-f DIRECTORY is needed");
		cli_opt_hint(&sload_tool);
		return CLI_OPT_ERROR;
	}
	a->options.exclude = a->excludes;
	a->image.path = parser.operands[0];
	a->image.flags = F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE;
	return 0;
}

static int print_entry(void *user, const char *path)
{
	(void)user;
	return printf("%s\n", path) < 0;
}

static int print_problem(void *user, const char *path, const char *what, const struct f2fs_error_detail *detail)
{
	cli_error(the_cli(user), "/%s: %s%s%s", path, what, what[0] ? ": " : "", detail->message);
	return 0;
}

static void print_result(const struct arguments *a, const struct f2fs_populate_result *result)
{
	if (a->quiet)
		return;
	if (a->json)
		printf("{\"files\": %llu, \"directories\": %llu, \"symlinks\": %llu, \"specials\": %llu, \"links\": "
		       "%llu, "
		       "\"bytes\": %llu, \"problems\": %llu}\n",
		       (unsigned long long)result->files, (unsigned long long)result->directories,
		       (unsigned long long)result->symlinks, (unsigned long long)result->specials,
		       (unsigned long long)result->links, (unsigned long long)result->bytes,
		       (unsigned long long)result->problems);
	else
		printf("Info: copied %llu files (%llu bytes), %llu directories, %llu symbolic links, %llu special "
		       "files, %llu "
		       "further links\n",
		       (unsigned long long)result->files, (unsigned long long)result->bytes,
		       (unsigned long long)result->directories, (unsigned long long)result->symlinks,
		       (unsigned long long)result->specials, (unsigned long long)result->links);
}

static int copy(struct cli *cli, struct f2fs_context *ctx, struct arguments *a, struct f2fs_volume *vol)
{
	struct f2fs_populate_result result;
	int err, incomplete;

	a->options.user = cli;
	a->options.problem = print_problem;
	if (a->verbose && !a->quiet && !a->json)
		a->options.entry = print_entry;
	err = f2fs_populate(vol, &a->options, &result);
	incomplete = err == F2FS_ERR_INCOMPLETE;
	if (!err || incomplete)
		err = f2fs_volume_commit(vol);
	if (err) {
		cli_error_of(cli, ctx, a->image.path);
		return CLI_EXIT_FAILURE;
	}
	print_result(a, &result);
	return incomplete ? CLI_EXIT_INCOMPLETE : CLI_EXIT_OK;
}

static int run(struct cli *cli, struct arguments *a)
{
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	int status;

	if (cli_context_new(cli, &ctx))
		return CLI_EXIT_FAILURE;
	if (cli_open_volume(cli, ctx, &a->image, &vol)) {
		f2fs_context_free(ctx);
		return CLI_EXIT_FAILURE;
	}
	status = copy(cli, ctx, a, vol);
	f2fs_volume_close(vol);
	f2fs_context_free(ctx);
	return status;
}

int main(int argc, char **argv)
{
	static struct arguments a;
	struct cli cli;
	int rc;

	if (cli_init(&cli, &sload_tool))
		return CLI_EXIT_FAILURE;
	rc = parse(&a, &cli, argc, argv);
	if (rc == CLI_OPT_EXIT)
		return cli_finish(&cli, CLI_EXIT_OK, CLI_EXIT_FAILURE);
	if (rc)
		return CLI_EXIT_FAILURE;
	if (a.quiet)
		cli.show_progress = 0;
	return cli_finish(&cli, run(&cli, &a), CLI_EXIT_FAILURE);
}
