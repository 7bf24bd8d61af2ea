/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * resize.f2fs: grow or shrink a volume. Everything is planned before a file is made longer or anything is written.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <f2fskit/resize.h>

#include "cli/program.h"
#include "cli/size.h"
#include "outcome.h"

#define CLI_OPTIONS_FILE "resize/options.def"
#include "cli/option_table.h"

static const char *const usage[] = { "[OPTION]... DEVICE [SIZE|min]", NULL };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "the volume has the size, or nothing had to be done" },
	{ CLI_EXIT_FAILURE, "failure; or only standard output failed; or wrong usage" },
	{ CLI_EXIT_STOPPED, CLI_STOPPED_TEXT "the volume is whole, and another run continues" },
};

static const struct cli_tool tool = {
	.name = "resize.f2fs",
	.peer_version = CLI_PEER_VERSION,
	.summary = "Grow or shrink the F2FS volume on a device or in a file. Without a size it fills the device or "
		   "file.",
	CLI_TOOL_TABLES,
};

struct arguments {
	struct cli_image image;
	struct f2fs_resize_options resize;
	const char *size; /* as it was given; NULL: fill the device */
	int has_overprovision, dry_run, min_size, truncate, safe, json, quiet;
	int has_found_devices; /* that the volume names and nobody else */
};

/* Returns NULL, or an error text about the value. */
static const char *take(void *arguments, struct cli *cli, int id, const char *value)
{
	struct arguments *a = arguments;
	uint32_t level;
	const char *why;

	if (cli_is_image_option(id))
		return cli_image_take(&a->image, id, value);
	switch (id) {
	case OPT_target:
		a->size = value;
		return NULL;
	case OPT_safe:
		a->safe = 1;
		return NULL;
	case OPT_min_size:
		a->min_size = a->dry_run = 1;
		return NULL;
	case OPT_overprovision:
		a->has_overprovision = 1;
		return cli_parse_fraction(value, &a->resize.overprovision);
	case OPT_dry_run:
		a->dry_run = 1;
		return NULL;
	case OPT_truncate:
		a->truncate = 1;
		return NULL;
	case OPT_recover:
		a->image.recover = F2FS_RECOVER_APPLY;
		return NULL;
	case OPT_json:
		a->json = 1;
		return NULL;
	case OPT_quiet:
		a->quiet = 1;
		return NULL;
	case OPT_debug:
		why = cli_parse_u32(value, 0, UINT32_MAX, &level);
		if (!why && level > 0)
			cli->level = level > 1 ? F2FS_LOG_DEBUG : F2FS_LOG_INFO;
		return why;
	default: /* those without effect */
		return NULL;
	}
}

static int complete(void *arguments, struct cli *cli, const struct cli_parser *parser)
{
	struct arguments *a = arguments;

	if (parser->operand_count < 1 || parser->operand_count > 2 || (parser->operand_count == 2 && a->size))
		return cli_refuse(cli, parser->operand_count == 0   ? "no device given"
				       : parser->operand_count == 2 ? "two sizes given"
								    : "one device and one size at a time");
	a->image.path = parser->operands[0];
	if (parser->operand_count == 2)
		a->size = parser->operands[1];
	if (a->min_size && a->size)
		return cli_refuse(cli, "--min-size shows a size, and takes none");
	a->image.saves = 1;
	a->image.flags = a->dry_run ? F2FS_OPEN_READ : F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE;
	if (a->dry_run && a->image.recover)
		a->image.recover = F2FS_RECOVER_VIEW;
	if (a->quiet)
		cli->show_progress = 0;
	return 0;
}

/* The size in bytes; a number counts sectors of the device. */
static int choose_size(struct arguments *a, struct cli *cli, const struct cli_opened *opened)
{
	const uint32_t sector = f2fs_device_info(opened->device)->sector_size;
	const char *why = NULL;

	if (!a->size)
		a->resize.keep_size = a->has_overprovision != 0;
	else if (strcmp(a->size, "min") == 0)
		a->resize.to_minimum = 1;
	else
		why = cli_parse_size(a->size, sector, sector, &a->resize.size);
	if (!why && a->size && !a->resize.to_minimum && (a->resize.size == 0 || a->resize.size > INT64_MAX))
		why = "is not a possible size of a volume";
	if (why)
		cli_usage_error(cli, "the size", a->size, why);
	return why ? -1 : 0;
}

static int fail(struct cli *cli, const struct f2fs_context *ctx, const struct arguments *a)
{
	cli_error_of(cli, ctx, a->image.path);
	return -1;
}

/* The path of the device whose size changes: of several, the last one. NULL: the volume's own table names it. */
static const char *last_path(const struct arguments *a)
{
	if (a->image.device_count > 0)
		return a->image.devices[a->image.device_count - 1];
	return a->has_found_devices ? NULL : a->image.path;
}

/* Return the end of the volume's first `bytes` bytes in that device's file. */
static uint64_t end_in_file(const struct arguments *a, uint64_t bytes)
{
	return (a->image.device_count > 0 ? 0 : a->image.offset) + bytes;
}

/* Is it a regular file that ends with the volume's device? Its length. */
static int is_file(const struct arguments *a, const struct cli_opened *opened, uint64_t *length)
{
	const char *path = last_path(a);
	struct stat st;

	if (!path || (opened->is_partition && path == a->image.path) || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return 0;
	*length = (uint64_t)st.st_size;
	return 1;
}

static int set_length(struct cli *cli, const struct arguments *a, uint64_t length)
{
	if (truncate(last_path(a), (off_t)length) == 0)
		return 0;
	cli_error(cli, "%s: its length cannot become %llu bytes: %s", last_path(a), (unsigned long long)length,
		  strerror(errno));
	return -1;
}

/* Report a device that is shorter than its volume first. Nothing is dropped without the option. */
static int check_short(struct cli *cli, const struct arguments *a, const struct f2fs_resize_result *plan)
{
	if (!plan->device_is_short)
		return 0;
	cli_warning(cli, "%s: the volume takes %llu bytes, but there are only %llu", a->image.path,
		    (unsigned long long)plan->old_bytes, (unsigned long long)plan->device_bytes);
	if (a->size || a->safe || a->dry_run)
		return 0;
	cli_error(cli, "%s: shrink it to the device with -s (that would be %llu bytes), or make the device longer",
		  a->image.path, (unsigned long long)plan->new_bytes);
	return -1;
}

static int set_image_length(struct cli *cli, const struct arguments *a, struct cli_opened *opened, uint64_t length)
{
	return cli_image_set_length(opened, length) ? fail(cli, opened->ctx, a) : 0;
}

/* A file grows with its volume; the device is opened again then. */
static int make_longer(struct cli *cli, struct f2fs_context *ctx, const struct arguments *a,
		       struct cli_opened *opened)
{
	const uint64_t wanted = end_in_file(a, a->resize.size);
	uint64_t length;

	if (opened->sparse && !opened->is_partition)
		return wanted > f2fs_device_info(opened->device)->size ? set_image_length(cli, a, opened, wanted) : 0;
	if (!is_file(a, opened, &length) || wanted <= length)
		return 0;
	cli_image_close(opened);
	if (set_length(cli, a, wanted))
		return -1;
	return cli_image_open(cli, ctx, &a->image, opened) ? -1 : 0;
}

/* It failed: a file that was made longer for it becomes as long as it was, unless the volume has grown into it. */
static void make_as_long(struct cli *cli, struct f2fs_context *ctx, const struct arguments *a,
			 struct cli_opened *opened, uint64_t length)
{
	const struct f2fs_resize_options as_it_is = { F2FS_SIZED(f2fs_resize_options), .keep_size = 1 };
	struct f2fs_resize_result now = { F2FS_SIZED(f2fs_resize_result) };
	uint64_t longer;

	if (opened->sparse || !is_file(a, opened, &longer) || longer <= length)
		return;
	if (f2fs_resize_plan(ctx, opened->device, &opened->options, &as_it_is, &now) == 0 &&
	    end_in_file(a, now.old_bytes) <= length)
		set_length(cli, a, length);
}

static int cut_file(struct cli *cli, const struct arguments *a, struct cli_opened *opened,
		    const struct f2fs_resize_result *result)
{
	const uint64_t end = end_in_file(a, result->new_bytes);
	uint64_t length;

	if (a->truncate && opened->sparse && !opened->is_partition)
		return f2fs_device_info(opened->device)->size > end ? set_image_length(cli, a, opened, end) : 0;
	if (!a->truncate || !is_file(a, opened, &length) || length <= end)
		return 0;
	return set_length(cli, a, end);
}

static int show(const struct arguments *a, const struct f2fs_resize_result *result, int is_done)
{
	const struct outcome_subject of = { .path = a->image.path,
					    .last = last_path(a),
					    .is_last_of_several = a->image.device_count > 0 || a->has_found_devices };

	if (a->min_size && !a->json)
		return printf("%llu\n", (unsigned long long)result->minimum_bytes) < 0;
	if (a->json)
		return outcome_json(result, is_done);
	return a->quiet ? 0 : outcome_text(&of, result, is_done);
}

/* Which devices the volume has is known before the length of any file changes. */
static int find_devices(struct cli *cli, struct arguments *a, struct cli_opened *opened)
{
	if (cli_image_complete(opened))
		return fail(cli, opened->ctx, a);
	if (a->truncate && opened->is_partition && a->image.device_count == 0) {
		cli_error(cli, "%s: the volume is in a partition, which --truncate cannot cut", a->image.path);
		return -1;
	}
	a->has_found_devices = a->image.device_count == 0 && opened->options.device_count > 0;
	if (!a->truncate || !a->has_found_devices)
		return 0;
	cli_error(cli, "%s: the volume has several devices: --truncate cuts the last one, named by --device",
		  a->image.path);
	return -1;
}

static int resize(struct cli *cli, struct arguments *a, struct cli_opened *opened)
{
	struct f2fs_context *ctx = opened->ctx;
	struct f2fs_resize_options plan_only = { F2FS_SIZED(f2fs_resize_options) };
	struct f2fs_resize_result result = { F2FS_SIZED(f2fs_resize_result) };
	uint64_t length;
	int rc;

	if (choose_size(a, cli, opened) || find_devices(cli, a, opened))
		return -1;
	a->resize.struct_size = sizeof(a->resize);
	plan_only = a->resize;
	plan_only.dry_run = 1;
	if (a->min_size) /* whatever the device is like */
		plan_only.keep_size = 1;
	rc = f2fs_resize(ctx, opened->device, &opened->options, &plan_only, &result);
	if (check_short(cli, a, &result))
		return -1;
	if (rc)
		return fail(cli, ctx, a);
	if (a->dry_run)
		return show(a, &result, 0);
	if (!is_file(a, opened, &length))
		length = UINT64_MAX;
	if (make_longer(cli, ctx, a, opened))
		return -1;
	rc = f2fs_resize(ctx, opened->device, &opened->options, &a->resize, &result);
	if (rc) {
		fail(cli, ctx, a);
		make_as_long(cli, ctx, a, opened, length);
		return -1;
	}
	if (cut_file(cli, a, opened, &result) || cli_image_save(cli, opened))
		return -1;
	cli->done = "the volume has its new size";
	return show(a, &result, 1);
}

static int work(void *arguments, struct cli *cli, struct cli_opened *opened)
{
	return resize(cli, arguments, opened) ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
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
	static struct arguments a;

	return cli_program_main(&program, &a, argc, argv);
}
