/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sload.f2fs: copy a directory of the host or a tar archive into a volume, without mounting it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/copy_in.h"
#include "cli/program.h"
#include "cli/size.h"
#include "cli/writer.h"
#include "cli/packing.h"

#define CLI_OPTIONS_FILE "sload/options.def"
#define CLI_PACKING_LETTER(letter) letter
#include "cli/option_table.h"

static const char *const usage[] = { "-f DIRECTORY|TAR [OPTION]... DEVICE", NULL };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "everything was copied" },
	{ CLI_EXIT_INCOMPLETE,
	  "some entries or attributes could not be copied (named on standard error), the rest was" },
	{ CLI_EXIT_OPERATIONAL,
	  "nothing was changed (not 1, which callers of f2fs-tools take for success), or only standard output failed, "
	  "or a message says that it is not known whether the copy is permanent" },
	{ CLI_EXIT_USAGE, "wrong usage" },
	{ CLI_EXIT_STOPPED, CLI_STOPPED_TEXT "nothing was changed" },
};

static const struct cli_tool sload_tool = {
	.name = "sload.f2fs",
	.peer_version = CLI_PEER_VERSION,
	.summary = "Copy the contents of a directory or tar archive into an F2FS volume on a device or in a file.",
	CLI_TOOL_TABLES,
};

struct arguments {
	struct cli_copy_in in;
	struct cli_image image;
	int quiet, verbose, json;
	int is_sparse;
	int is_untold; /* the copy is made, and its report was not written */
	int has_policy; /* --existing was given */
	struct cli_writer writer;
	struct cli_packing compress;
};

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
	a->in.options.uid = (uint32_t)uid;
	a->in.options.gid = (uint32_t)gid;
	return NULL;
}

static const char *take_time(struct arguments *a, const char *value)
{
	char *end;
	long long seconds = strtoll(value, &end, 10);

	if (end == value || *end)
		return "is not a number of seconds";
	if (seconds >= 0) {
		a->in.options.has_time = 1;
		a->in.options.time.seconds = seconds;
	}
	return NULL;
}

static const char *take_existing(struct arguments *a, const char *value)
{
	static const char *const policies[] = { "refuse", "skip", "replace", "update" };

	for (unsigned i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		if (strcmp(policies[i], value) == 0) {
			a->in.options.existing = (int)i;
			a->has_policy = 1;
			return NULL;
		}
	}
	return "is none of refuse, skip, replace, update";
}

/* Take one option. Returns NULL, or an error text about its value. */
static const char *take(void *arguments, struct cli *cli, int id, const char *value)
{
	struct arguments *a = arguments;

	(void)cli;
	if (cli_is_copy_in_option(id))
		return cli_copy_in_take(&a->in, id, value);
	if (cli_is_writer_option(id))
		return cli_writer_take(&a->writer, id, value);
	if (cli_is_image_option(id))
		return cli_image_take(&a->image, id, value);
	if (cli_is_packing_option(id))
		return cli_packing_take(&a->compress, id, value);
	switch (id) {
	case OPT_source:
		cli_copy_in_source(&a->in, value);
		return NULL;
	case OPT_target:
		a->in.options.target = value;
		return NULL;
	case OPT_existing:
		return take_existing(a, value);
	case OPT_replace:
		return take_existing(a, "replace");
	case OPT_update:
		return take_existing(a, "update");
	case OPT_delete:
		a->in.options.flags |= F2FS_POPULATE_DELETE;
		return NULL;
	case OPT_stepwise:
		a->writer.options.commit_when_full = 1;
		return NULL;
	case OPT_mount_point:
		a->in.options.mount_point = value;
		return NULL;
	case OPT_fs_config:
		return cli_copy_in_take(&a->in, CLI_COPY_fs_config, value);
	case OPT_file_contexts:
		return cli_copy_in_take(&a->in, CLI_COPY_file_contexts, value);
	case OPT_product_out:
		return NULL;
	case OPT_preserve:
		a->in.options.keep |= F2FS_KEEP_OWNER;
		return NULL;
	case OPT_owner:
		return take_owner(a, value);
	case OPT_time:
		return take_time(a, value);
	case OPT_recover:
		a->image.recover = F2FS_RECOVER_APPLY;
		return NULL;
	case OPT_sparse:
		a->is_sparse = 1;
		return NULL;
	case OPT_quiet:
		a->quiet = 1;
		return NULL;
	case OPT_json:
		a->json = 1;
		return NULL;
	case OPT_verbose:
		a->verbose = 1;
		return NULL;
	default: { /* OPT_debug */
		uint32_t level = 0;
		const char *why = cli_parse_u32(value, 0, UINT32_MAX, &level);

		a->verbose |= level > 0;
		return why;
	}
	}
}

static int complete(void *arguments, struct cli *cli, const struct cli_parser *parser)
{
	struct arguments *a = arguments;
	const char *why;

	if (parser->operand_count != 1)
		return cli_refuse(cli, "one device or image is needed");
	/* callers of f2fs-tools may leave the source out; an entry policy without a source is a mistake */
	if (!a->in.source &&
	    (a->in.options.target || a->has_policy || (a->in.options.flags & F2FS_POPULATE_DELETE)))
		return cli_refuse(cli, "-f DIRECTORY or TAR, or --manifest FILE, is needed");
	why = cli_packing_finish(&a->compress, &a->in.options);
	if (why)
		return cli_refuse(cli, why);
	if (a->is_sparse && a->image.offset)
		return cli_refuse(cli, "a sparse file has the volume at its start: --offset is not for it");
	if (cli->has_epoch && !a->in.options.has_time) {
		a->in.options.has_time = 1;
		a->in.options.time.seconds = cli->epoch;
	}
	if (a->quiet)
		cli->show_progress = 0;
	a->image.path = parser->operands[0];
	a->image.flags = F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE;
	a->image.saves = 1;
	return 0;
}

/* Return the first block after all blocks that the last checkpoint uses. The image can be cut there. */
static uint64_t end_of_use(struct f2fs_volume *vol)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(vol);
	struct f2fs_segment_info entry;

	for (f2fs_seg_t segno = geo->segment_count_main; segno-- > 0;) {
		unsigned end = F2FS_SEGMENT_BLOCKS;

		if (f2fs_sit_lookup(vol, segno, &entry) || entry.valid_blocks == 0)
			continue;
		while (end > 0 && !(entry.valid_map[(end - 1) / 8] >> (7 - (end - 1) % 8) & 1))
			end--;
		return geo->main_blkaddr + (uint64_t)segno * F2FS_SEGMENT_BLOCKS + end;
	}
	return geo->main_blkaddr;
}

/* The line in which scripts of image builders look for the size, its fifth word. */
static void say_size(struct f2fs_volume *vol)
{
	const uint32_t block_size = f2fs_volume_geometry(vol)->block_size;
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };

	f2fs_volume_statfs(vol, &st);
	printf("Info: Max image size: %llu MB, Free space: %llu MB\n",
	       (unsigned long long)(end_of_use(vol) * block_size) >> 20,
	       (unsigned long long)(st.free_blocks * block_size) >> 20);
}

static int print_result(const struct arguments *a, struct f2fs_volume *vol)
{
	struct cli_print *p;

	if (a->quiet)
		return 0;
	if (!a->json) {
		cli_copy_in_say(&a->in);
		say_size(vol);
		return 0;
	}
	p = cli_print_open(stdout, CLI_JSON);
	if (!p)
		return -1;
	cli_print_begin(p, NULL);
	cli_copy_in_print(&a->in, p);
	cli_print_end(p);
	return cli_print_close(p);
}

/* Blocks freed in a transaction give room after it. */
static const char *find_hint(const struct arguments *a)
{
	const struct f2fs_populate_options *o = &a->in.options;
	const int frees = o->existing == F2FS_EXISTING_REPLACE || o->existing == F2FS_EXISTING_UPDATE ||
			  (o->flags & F2FS_POPULATE_DELETE);

	return frees && !a->writer.options.commit_when_full
		       ? "replaced and deleted files free their room after a commit: --commit-when-full commits "
			 "in between"
		       : NULL;
}

static int copy(struct cli *cli, struct arguments *a, struct f2fs_volume *vol)
{
	int rc;

	if (!a->in.source) { /* recoveries of phones call it so, and take any failure for one of theirs */
		if (!a->quiet && !a->json)
			puts("Info: No source directory, but it's okay.");
		a->is_untold = print_result(a, vol) != 0;
		return CLI_EXIT_OK;
	}
	a->writer.options.clock_stands = 1; /* the same copy gives the same bytes, however long it takes */
	rc = cli_writer_apply(&a->writer, vol);
	if (rc) {
		cli_error_of(cli, f2fs_volume_context(vol), a->image.path);
		return CLI_EXIT_OPERATIONAL;
	}
	a->in.no_gc = a->writer.no_gc || a->writer.options.commit_when_full;
	a->in.is_verbose = a->verbose && !a->quiet && !a->json;
	a->in.tells_all = a->verbose;
	a->in.hint = find_hint(a);
	rc = cli_copy_in_commit(&a->in, cli, vol, a->image.path);
	if (rc < 0)
		return CLI_EXIT_OPERATIONAL;
	if (a->in.result.skipped && !a->has_policy && !a->quiet)
		cli_warning(cli,
			    "names that exist already stay as they are: %llu (--existing=update copies what changed)",
			    (unsigned long long)a->in.result.skipped);
	a->is_untold = print_result(a, vol) != 0;
	return rc ? CLI_EXIT_INCOMPLETE : CLI_EXIT_OK;
}

static int work(void *arguments, struct cli *cli, struct cli_opened *opened)
{
	int status = CLI_EXIT_OPERATIONAL;
	struct arguments *a = arguments;
	struct f2fs_volume *vol;

	if (a->is_sparse && !opened->sparse) {
		cli_error(cli, "%s: not an Android sparse file", a->image.path);
		return status;
	}
	if (cli_opened_volume(cli, opened, &vol))
		return status;
	status = copy(cli, a, vol);
	cli_writer_close(&a->writer, vol);
	f2fs_volume_close(vol);
	if (status != CLI_EXIT_OPERATIONAL && cli_image_save(cli, opened))
		status = CLI_EXIT_OPERATIONAL;
	if (status != CLI_EXIT_OPERATIONAL)
		cli->done = "the copy is made";
	return a->is_untold ? CLI_EXIT_OPERATIONAL : status;
}

static int run(void *arguments, struct cli *cli)
{
	struct arguments *a = arguments;
	const int status = cli_image_run(cli, &a->image, CLI_EXIT_OPERATIONAL, work, a);

	cli_copy_in_free(&a->in);
	return status;
}

static const struct cli_program program = {
	.tool = &sload_tool,
	.failure = CLI_EXIT_OPERATIONAL,
	.usage = CLI_EXIT_USAGE,
	.take = take,
	.complete = complete,
	.run = run,
};

int main(int argc, char **argv)
{
	static struct arguments a = {
		.compress = CLI_PACKING_DEFAULT,
		.in.options = { .flags = F2FS_POPULATE_PACK,
				.existing = F2FS_EXISTING_SKIP,
				.keep = F2FS_KEEP_DEFAULT & ~(unsigned)F2FS_KEEP_OWNER },
	};

	return cli_program_main(&program, &a, argc, argv);
}
