/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command line of fsck.f2fs. Options that do the same with other values are rows of one switch; what contradicts
 * itself is refused at the end.
 */
#include "request.h"

#include <ctype.h>
#include <f2fskit/label.h>
#include <stdlib.h>
#include <string.h>

#include "cli/size.h"

#define CLI_OPTIONS_FILE "fsck/options.def"
#include "cli/option_table.h"

static const char *const usage[] = { "[OPTION]... DEVICE", NULL };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "nothing is wrong, or there was nothing to do" },
	{ CLI_EXIT_CORRECTED, "problems were found and repaired" },
	{ CLI_EXIT_UNCORRECTED, "problems are left" },
	{ CLI_EXIT_OPERATIONAL, "the volume could not be checked: it cannot be read, is in use, or is no F2FS volume" },
	{ CLI_EXIT_USAGE, "wrong usage" },
	{ CLI_EXIT_CANCELED, "stopped by a signal; nothing was changed" },
};

const struct cli_tool fsck_tool = {
	.name = "fsck.f2fs",
	.peer_version = CLI_PEER_VERSION,
	.summary = "Check an F2FS volume on a device or in a file, and repair it when asked to.",
	CLI_TOOL_TABLES,
};

/* Words between commas. */
static const char *take_words(struct words *words, const char *value)
{
	const size_t length = strlen(value);
	char *at = words->text + words->used;

	if (length == 0)
		return "names nothing";
	if (length >= sizeof(words->text) - words->used)
		return "is too long";
	memcpy(at, value, length + 1);
	words->used += length + 1;
	for (at = strtok(at, ","); at; at = strtok(NULL, ",")) {
		if (words->count == FSCK_MAX_IDS)
			return "is one too many";
		words->at[words->count++] = at;
	}
	return NULL;
}

/* A number asks for progress, as fsck(8) does; anything else is an encoding and asks for casefold, as f2fs-tools have
 * it. */
static const char *take_casefold(struct arguments *a, const char *value)
{
	static const char neither[] = "is neither a file descriptor nor an encoding (utf8)";
	uint32_t fd;

	if (!isdigit((unsigned char)value[0])) {
		a->features |= F2FS_FEAT_CASEFOLD;
		return cli_parse_encoding(value, &a->encoding) ? neither : NULL;
	}
	if (cli_parse_u32(value, 0, 1 << 20, &fd))
		return neither;
	a->progress_fd = (int)fd;
	return NULL;
}

static const char *take_features(struct arguments *a, const char *value)
{
	const char *why = cli_parse_features(value, UINT32_MAX, &a->features);

	return !why && (a->features & ~f2fs_features_changeable(1)) ? "has a feature that only mkfs.f2fs sets" : why;
}

static const char *take_switch(enum fsck_switch *to, const char *value)
{
	uint32_t on;

	if (cli_parse_u32(value, 0, 1, &on))
		return "is not 0 or 1";
	*to = on ? FSCK_ON : FSCK_OFF;
	return NULL;
}

static const char *take_number(const char *value)
{
	uint32_t number;

	return cli_parse_u32(value, 0, UINT32_MAX, &number);
}

/* Ask for a repair. Of several depths the most thorough one counts, in any order: -f -a is -f. */
static const char *ask_for(struct arguments *a, enum fsck_depth depth)
{
	if (a->depth < depth)
		a->depth = depth;
	if (a->answer == FSCK_ASK)
		a->answer = FSCK_YES;
	return NULL;
}

static const char *take_preen(struct arguments *a, const char *value)
{
	uint32_t level = 0;

	if (value && cli_parse_u32(value, 0, UINT32_MAX, &level))
		return "is not a number";
	return ask_for(a, level == 0 ? FSCK_IF_NEEDED : level == 1 ? FSCK_SILENT : FSCK_REPORT);
}

static const char *take_job(struct arguments *a, enum fsck_job job, const char **place, const char *value)
{
	if (a->job != FSCK_CHECK && a->job != job)
		return "contradicts an option before it";
	a->job = job;
	if (place)
		*place = value;
	return NULL;
}

/* Parse the action and its conditions. */
static const char *take_mode(struct arguments *a, int id, const char *value)
{
	switch (id) {
	case OPT_preset:
		return strcmp(value, "android") == 0 ? take_preen(a, NULL) : "is not a preset (android)";
	case OPT_auto:
		return take_preen(a, NULL);
	case OPT_preen:
		return take_preen(a, value);
	case OPT_full:
		a->is_forced = 1;
		return ask_for(a, FSCK_FULL);
	case OPT_yes:
		return ask_for(a, FSCK_FULL);
	case OPT_no:
	case OPT_answer_no:
		a->answer = FSCK_NO;
		return NULL;
	case OPT_dry_run:
		a->answer = FSCK_DRY_RUN;
		return NULL;
	case OPT_restore:
		return take_job(a, FSCK_RESTORE, &a->restore, value);
	case OPT_problems:
		return take_job(a, FSCK_LIST, NULL, NULL);
	case OPT_explain:
		return take_job(a, FSCK_EXPLAIN, &a->explain, value);
	case OPT_layout:
		return take_job(a, FSCK_LAYOUT, NULL, NULL);
	case OPT_map:
		return take_job(a, FSCK_MAP, NULL, NULL);
	default: /* OPT_tree: beside a check, not in its place */
		a->shows_tree = 1;
		return NULL;
	}
}

/* Parse the details of the action and of its output. */
static const char *take_detail(struct arguments *a, int id, const char *value)
{
	if (cli_is_image_option(id))
		return cli_image_take(&a->image, id, value);
	switch (id) {
	case OPT_content:
		a->with_content = 1;
		return NULL;
	case OPT_ignore:
		return take_words(&a->ignore, value);
	case OPT_only:
		return take_words(&a->only, value);
	case OPT_except:
		return take_words(&a->except, value);
	case OPT_ask:
		a->is_asking = 1;
		return NULL;
	case OPT_undo:
		a->undo = value;
		return NULL;
	case OPT_json:
		a->is_json = 1;
		return NULL;
	case OPT_quiet:
		a->is_quiet = 1;
		return NULL;
	case OPT_verbose:
		a->is_verbose = 1;
		return NULL;
	case OPT_debug: {
		uint32_t level = 0;
		const char *why = cli_parse_u32(value, 0, UINT32_MAX, &level);

		a->is_verbose |= level > 0;
		return why;
	}
	case OPT_casefold:
		return take_casefold(a, value);
	case OPT_features:
		return take_features(a, value);
	case OPT_nolinear:
		return take_switch(&a->hash_only, value);
	case OPT_quota: {
		enum fsck_switch ignored;

		return take_switch(&ignored, value);
	}
	case OPT_cache:
	case OPT_collisions:
	case OPT_fault_rate:
	case OPT_fault_type:
		return take_number(value);
	case OPT_kernel_check:
		a->kernel_check = 1;
		return NULL;
	case OPT_no_kernel_check:
		a->kernel_check = 0;
		return NULL;
	default: /* without effect */
		return NULL;
	}
}

static int is_mode(int id)
{
	static const int modes[] = { OPT_auto,	    OPT_preen,	 OPT_full,    OPT_yes,	    OPT_no,
				     OPT_answer_no, OPT_dry_run, OPT_restore, OPT_problems, OPT_explain,
				     OPT_layout,    OPT_map,	 OPT_tree,    OPT_preset };

	for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (modes[i] == id)
			return 1;
	return 0;
}

static int take_operand(struct arguments *a, struct cli *cli, const struct cli_parser *parser)
{
	const int needs_none = a->job == FSCK_LIST || a->job == FSCK_EXPLAIN;

	if (parser->operand_count != !needs_none)
		return cli_refuse(cli, needs_none ? "this option takes no device" : "one device or image is needed");
	if (a->job == FSCK_RESTORE && (a->answer == FSCK_NO || a->answer == FSCK_DRY_RUN))
		return cli_refuse(cli, "--restore writes: it does not go with -n, -N and --dry-run");
	if (a->undo && (a->answer == FSCK_NO || a->answer == FSCK_DRY_RUN || a->job != FSCK_CHECK))
		return cli_refuse(cli, "--undo is for a run that may write");
	if ((a->only.count || a->except.count || a->is_asking) && (a->answer == FSCK_NO || a->job != FSCK_CHECK))
		return cli_refuse(cli, "--only, --except and --ask are for a run that may repair");
	if (a->is_asking && (a->answer == FSCK_YES || a->is_json || a->is_quiet))
		return cli_refuse(cli, "--ask contradicts -a, -p, -f, -y, --json and --quiet");
	if (a->shows_tree && a->job != FSCK_CHECK)
		return cli_refuse(cli, "-t is for a check");
	if (a->is_json && (a->shows_tree || (a->job != FSCK_CHECK && a->job != FSCK_LIST && a->job != FSCK_EXPLAIN)))
		return cli_refuse(cli, a->job == FSCK_RESTORE
					       ? "--restore has no report for --json"
					       : "-l, -M and -t have no JSON: see dump.f2fs --info, --map and --tree");
	a->image.path = parser->operands[0];
	return 0;
}

int arguments_parse(struct arguments *a, struct cli *cli, int argc, char **argv)
{
	struct cli_parser parser;
	int id;

	memset(a, 0, sizeof(*a));
	cli_opt_init(&parser, &fsck_tool, argc, argv);
	while ((id = cli_opt_next(&parser)) > 0) {
		const char *why = is_mode(id) ? take_mode(a, id, parser.value) : take_detail(a, id, parser.value);

		if (why) {
			cli_usage_error(cli, parser.shown, parser.value, why);
			return CLI_OPT_ERROR;
		}
	}
	if (a->depth == FSCK_UNSAID)
		a->depth = FSCK_FULL;
	return id == CLI_OPT_END ? take_operand(a, cli, &parser) : id;
}
