/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filling a volume from the command line, for mkfs.f2fs and sload.f2fs alike.
 */
#include "cli/copy_in.h"

#include <f2fskit/gc.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/settle.h"
#include "cli/image.h"
#include "host/temporary.h"

enum { EXISTING_TOLD = 5 };

static int show_problem(void *user, const char *path, const char *what, const struct f2fs_error_detail *detail)
{
	struct cli_copy_in *in = user;
	const char *target = in->options.target ? in->options.target : "";
	int length = (int)strlen(target);

	if (detail->code == F2FS_ERR_EXISTS && ++in->existing > EXISTING_TOLD && !in->tells_all)
		return 0;
	while (length > 0 && target[length - 1] == '/')
		length--;
	cli_error(in->cli, "%s%.*s%s%s: %s%s%s", target[0] && target[0] != '/' ? "/" : "", length, target,
		  path[0] || !length ? "/" : "", path, what, what[0] ? ": " : "", detail->message);
	return 0;
}

static int show_entry(void *user, const char *path)
{
	(void)user;
	if (path[0]) {
		cli_put_text(stdout, path);
		putchar('\n');
	}
	return ferror(stdout);
}

int cli_copy_in(struct cli_copy_in *in, struct cli *cli, struct f2fs_volume *vol)
{
	int err;

	in->cli = cli;
	in->existing = 0;
	in->options.struct_size = sizeof(in->options);
	in->result.struct_size = sizeof(in->result);
	in->options.problem = show_problem;
	in->options.entry = in->is_verbose ? show_entry : NULL;
	in->options.user = in;
	if (in->keeps_flags)
		in->options.keep |= F2FS_KEEP_FLAGS | F2FS_KEEP_PROJECT;
	if (cli->show_progress)
		in->options.flags |= F2FS_POPULATE_TOTAL;
	err = f2fs_populate(vol, &in->options, &in->result);
	if (in->existing > EXISTING_TOLD && !in->tells_all)
		cli_error(cli, "%llu more exist already: choose what happens with --existing, list all with --verbose",
			  (unsigned long long)(in->existing - EXISTING_TOLD));
	if (!err || err == F2FS_ERR_INCOMPLETE)
		return err != 0;
	if (cli_is_full(f2fs_volume_context(vol), err))
		return CLI_COPY_IN_NO_ROOM;
	cli_error_of(cli, f2fs_volume_context(vol), in->source);
	return -1;
}

int cli_copy_in_is_stream(const struct cli_copy_in *in)
{
	const struct f2fs_populate_options *o = &in->options;

	return (o->tar && !o->tar->path) || (o->manifest && !o->manifest->path);
}

/*
 * Drop the copy, for which one transaction had no room, and run GC. Returns 1 when that freed sections, so that another
 * try is worthwhile.
 */
static int make_room(const struct cli_copy_in *in, struct cli *cli, struct f2fs_volume *vol)
{
	const struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options), .used_limit = 100 };
	struct f2fs_gc_result result = { F2FS_SIZED(f2fs_gc_result) };
	char why[400];

	snprintf(why, sizeof(why), "%s", f2fs_context_error(f2fs_volume_context(vol))->message);
	result.free_after = result.free_before = 0;
	if (!in->no_gc && !cli_copy_in_is_stream(in)) {
		f2fs_volume_rollback(vol);
		if (f2fs_gc(vol, &options, &result))
			result.free_after = 0;
	}
	if (result.free_after <= result.free_before) {
		cli_error(cli, "%s: %s", in->source, why);
		return 0;
	}
	cli_warning(cli, "GC emptied %u sections, %u more are free now: copying again", (unsigned)result.sections,
		    (unsigned)(result.free_after - result.free_before));
	return 1;
}

/* Say what might help, and how large a volume would have to be, unless the source can be read only once. */
static void tell_no_room(const struct cli_copy_in *in, struct cli *cli, struct f2fs_volume *vol)
{
	struct f2fs_context *ctx = f2fs_volume_context(vol);
	const struct f2fs_geometry *geo = f2fs_volume_geometry(vol);
	const struct f2fs_mkfs_options own = { F2FS_SIZED(f2fs_mkfs_options),
					       .block_size = geo->block_size, .feature = geo->feature };
	struct f2fs_populate_options options = in->options;
	uint64_t size;

	if (in->hint)
		cli_error(cli, "%s: %s", in->source, in->hint);
	if (cli_copy_in_is_stream(in))
		return;
	options.problem = NULL;
	options.entry = NULL;
	options.flags &= ~(unsigned)F2FS_POPULATE_TOTAL;
	options.struct_size = sizeof(options);
	if (f2fs_populate_size(ctx, in->mkfs ? in->mkfs : &own, &options, host_temporary_directory(), &size) == 0)
		cli_error(cli, CLI_COPY_IN_NEEDS, in->source, cli_mebibytes(size));
}

int cli_copy_in_commit(struct cli_copy_in *in, struct cli *cli, struct f2fs_volume *vol, const char *path)
{
	int rc = cli_copy_in(in, cli, vol);

	if (rc == CLI_COPY_IN_NO_ROOM && make_room(in, cli, vol)) {
		rc = cli_copy_in(in, cli, vol);
		if (rc == CLI_COPY_IN_NO_ROOM)
			cli_error_of(cli, f2fs_volume_context(vol), in->source);
	}
	if (rc == CLI_COPY_IN_NO_ROOM)
		tell_no_room(in, cli, vol);
	return rc < 0 || cli_commit(cli, vol, path) ? -1 : rc;
}

/* The counts: the words of the line, the names of the record. */
static const struct count {
	const char *name, *words; /* no words: only said when there are some */
	size_t offset;
} counts[] = {
	{ "files", " files", offsetof(struct f2fs_populate_result, files) },
	{ "directories", " directories", offsetof(struct f2fs_populate_result, directories) },
	{ "symlinks", " symbolic links", offsetof(struct f2fs_populate_result, symlinks) },
	{ "specials", " special files", offsetof(struct f2fs_populate_result, specials) },
	{ "links", " further links", offsetof(struct f2fs_populate_result, links) },
	{ "bytes", " bytes", offsetof(struct f2fs_populate_result, bytes) },
	{ "problems", NULL, offsetof(struct f2fs_populate_result, problems) },
	{ "skipped", NULL, offsetof(struct f2fs_populate_result, skipped) },
	{ "kept", NULL, offsetof(struct f2fs_populate_result, kept) },
	{ "replaced", NULL, offsetof(struct f2fs_populate_result, replaced) },
	{ "deleted", NULL, offsetof(struct f2fs_populate_result, deleted) },
};
#define COUNTS (sizeof(counts) / sizeof(counts[0]))

static uint64_t count_of(const struct cli_copy_in *in, const struct count *count)
{
	uint64_t value;

	memcpy(&value, (const char *)&in->result + count->offset, sizeof(value));
	return value;
}

void cli_copy_in_say(const struct cli_copy_in *in)
{
	const char *between = "Info: copied ";

	for (size_t i = 0; i < COUNTS; i++) {
		const unsigned long long count = count_of(in, &counts[i]);

		if (counts[i].words)
			printf("%s%llu%s", between, count, counts[i].words);
		else if (count)
			printf("%s%llu %s", between, count, counts[i].name);
		between = ", ";
	}
	printf("\n");
}

void cli_copy_in_print(const struct cli_copy_in *in, struct cli_print *p)
{
	for (size_t i = 0; i < COUNTS; i++)
		cli_print_u64(p, counts[i].name, count_of(in, &counts[i]));
}
