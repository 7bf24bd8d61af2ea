/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tune.f2fs: show and set the label, UUID and features of a volume. Letters of options are those of tune2fs.
 */
#include <stdio.h>
#include <string.h>

#include <f2fskit/label.h>

#include "cli/feature_list.h"
#include "cli/feature_table.h"
#include "cli/print.h"
#include "cli/program.h"
#include "cli/uuid.h"

#define CLI_OPTIONS_FILE "tune/options.def"
#include "cli/option_table.h"

static const char *const usage[] = { "[OPTION]... DEVICE", NULL };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "the volume was shown, or is as asked for" },
	{ CLI_EXIT_FAILURE, "failure" },
	{ CLI_EXIT_USAGE, "wrong usage" },
	{ CLI_EXIT_STOPPED, CLI_STOPPED_TEXT "earlier commits stay, and the same command continues" },
};

static const struct cli_tool tool = {
	.name = "tune.f2fs",
	.peer_version = CLI_PEER_VERSION,
	.summary = "Show and set label, UUID and features of an F2FS volume on a device or in a file.",
	CLI_TOOL_TABLES,
};

struct arguments {
	struct cli_image image;
	struct f2fs_features_options features;
	const char *label; /* NULL: it stays */
	uint8_t uuid[16];
	int has_uuid, has_features, shows, is_json, force;
};

/* Names with commas between; ^ or - in front turns off, + or nothing turns on. */
static const char *take_features(struct f2fs_features_options *o, const char *list)
{
	for (const char *at = list; *at;) {
		const size_t n = strcspn(at, ",");
		const int has_sign = n > 0 && strchr("^-+", at[0]) != NULL;
		const char *why = cli_feature_wish(o, at + has_sign, n - (size_t)has_sign, has_sign && at[0] != '+');

		if (why)
			return why;
		at += n + (at[n] == ',');
	}
	return NULL;
}

/* Take one option. Returns NULL, or an error text about its value. */
static const char *take(void *arguments, struct cli *cli, int id, const char *value)
{
	struct arguments *a = arguments;

	if (cli_is_image_option(id))
		return cli_image_take(&a->image, id, value);
	switch (id) {
	case OPT_list:
		a->shows = 1;
		return NULL;
	case OPT_json:
		a->is_json = 1;
		return NULL;
	case OPT_label:
		a->label = value;
		return NULL;
	case OPT_uuid:
		a->has_uuid = 1;
		return strcmp(value, "clear") ? cli_parse_new_uuid(cli, value, a->uuid) : NULL;
	case OPT_features:
		a->has_features = 1;
		return take_features(&a->features, value);
	case OPT_encoding:
		return cli_parse_encoding_flags(value, &a->features.encoding_flags);
	case OPT_convert:
		a->has_features = 1;
		a->features.convert = 1;
		return NULL;
	case OPT_force:
		a->force = 1;
		return NULL;
	default: /* OPT_dry_run */
		a->features.dry_run = 1;
		return NULL;
	}
}

static int complete(void *arguments, struct cli *cli, const struct cli_parser *parser)
{
	struct arguments *a = arguments;
	const int changes = a->label || a->has_uuid || a->has_features;

	if (parser->operand_count != 1)
		return cli_refuse(cli, parser->operand_count ? "one device at a time" : "no device given");
	if (a->features.encoding_flags && !(a->features.on & F2FS_FEAT_CASEFOLD))
		return cli_refuse(cli, "-E is for -O casefold");
	if (a->features.dry_run && (a->label || a->has_uuid))
		return cli_refuse(cli, "-n is for -O and -c: label and UUID are set or not");
	a->image.path = parser->operands[0];
	a->image.flags = changes && !a->features.dry_run ? F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE : F2FS_OPEN_READ;
	a->image.saves = 1;
	a->shows |= !changes;
	return 0;
}

static void show(struct cli_print *out, struct f2fs_volume *vol)
{
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	const struct f2fs_geometry *geo = f2fs_volume_geometry(vol);

	f2fs_volume_statfs(vol, &st);
	cli_print_bytes(out, "label", st.label, strlen(st.label));
	cli_print_uuid(out, "uuid", st.uuid);
	cli_print_u64(out, "block_size", geo->block_size);
	cli_print_u64(out, "block_count", geo->block_count);
	cli_print_u64(out, "valid_blocks", st.valid_blocks);
	cli_print_u64(out, "valid_inodes", st.valid_inodes);
	cli_print_features(out, vol);
}

static void print_features(struct cli_print *out, const struct arguments *a, const struct f2fs_features_result *result)
{
	unsigned count;
	const struct f2fs_flag *flags = f2fs_flags_find("feature", &count);

	cli_print_bool(out, "dry_run", a->features.dry_run);
	cli_print_flags(out, "turned_on", result->after & ~result->before, flags, count);
	cli_print_flags(out, "turned_off", result->before & ~result->after, flags, count);
	cli_print_bool(out, CLI_LARGE_NAT, result->large_nat_after);
	cli_print_u64(out, "inodes_rewritten", result->inodes);
	if (a->features.convert)
		cli_print_u64(out, "inodes_left", result->left);
	cli_print_u64(out, "moved_blocks", result->moved_blocks);
	if ((a->features.on | a->features.off) & F2FS_FEAT_PACKED_SSA)
		cli_print_s64(out, "won_segments", result->won_segments);
}

/* The features come first: setting the UUID computes the checksums that they may ask for. */
static int change(struct cli_print *out, const struct arguments *a, struct f2fs_volume *vol)
{
	struct f2fs_features_result result = { F2FS_SIZED(f2fs_features_result) };
	int rc = 0;

	if (a->has_features) {
		rc = f2fs_volume_set_features(vol, &a->features, &result);
		if (!rc)
			print_features(out, a, &result);
	}
	if (!rc && a->label)
		rc = f2fs_volume_set_label(vol, a->label);
	if (!rc && a->has_uuid)
		rc = f2fs_volume_set_uuid(vol, a->uuid, a->force ? F2FS_UUID_FORCE : 0);
	return rc;
}

static int work(void *arguments, struct cli *cli, struct cli_opened *opened)
{
	const struct arguments *a = arguments;
	struct cli_print *out;
	struct f2fs_volume *vol;
	int rc = cli_opened_volume(cli, opened, &vol);

	if (rc)
		return CLI_EXIT_FAILURE;
	out = cli_print_open(stdout, a->is_json ? CLI_JSON : CLI_TEXT);
	if (!out)
		rc = F2FS_ERR_NOMEM;
	if (!rc) {
		cli_print_begin(out, NULL);
		rc = change(out, a, vol);
		if (rc)
			cli_error_of(cli, opened->ctx, a->image.path);
		else if (a->shows)
			show(out, vol);
		cli_print_end(out);
		if (cli_print_close(out) && !rc)
			rc = F2FS_ERR_IO;
	}
	if (!rc && !a->features.dry_run && (a->label || a->has_uuid || a->has_features))
		rc = cli_image_save(cli, opened);
	f2fs_volume_close(vol);
	return rc ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static const struct cli_program program = {
	.tool = &tool,
	.failure = CLI_EXIT_FAILURE,
	.usage = CLI_EXIT_USAGE,
	.take = take,
	.complete = complete,
	.work = work,
};

int main(int argc, char **argv)
{
	static struct arguments a = { .features = { F2FS_SIZED(f2fs_features_options) } };

	return cli_program_main(&program, &a, argc, argv);
}
