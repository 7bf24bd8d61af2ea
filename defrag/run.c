/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Defragment a volume as the options say, and report the result.
 */
#include <stdio.h>

#include "cli/image.h"
#include "cli/size.h"
#include "defrag/access_list.h"
#include "host/temporary.h"

static void print_state(struct cli_print *out, const char *name, const struct f2fs_fragments *f, uint32_t block_size)
{
	cli_print_begin(out, name);
	cli_print_u64(out, "files", f->files);
	cli_print_u64(out, "broken_files", f->broken);
	cli_print_u64(out, "fragments", f->fragments);
	cli_print_u64(out, "requests", f->requests);
	cli_print_u64(out, "ideal_requests", f->ideal_requests);
	cli_print_u64(out, "small_bytes", f->small_blocks * block_size);
	cli_print_u64(out, "free_sections", f->free_sections);
	cli_print_u64(out, "free_runs", f->free_runs);
	cli_print_u64(out, "longest_free_run_bytes", f->longest_run * block_size);
	cli_print_end(out);
}

static int print_json(struct defrag *d, const struct f2fs_defrag_result *r)
{
	struct cli_print *out = cli_print_open(stdout, CLI_JSON);
	const uint32_t size = f2fs_volume_geometry(d->vol)->block_size;
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = { { "files", r->files },
		     { "files_placed", r->files_placed },
		     { "blocks_placed", r->blocks_placed },
		     { "blocks_cleared", r->blocks_cleared },
		     { "blocks_often", r->blocks_often },
		     { "most_moves", r->most_moves },
		     { "nodes_cleared", r->nodes_cleared },
		     { "commits", r->commits },
		     { "pinned", r->pinned },
		     { "unconfirmed", r->unconfirmed },
		     { "unreadable", r->unreadable } };

	if (!out)
		return -1;
	cli_print_begin(out, NULL);
	cli_print_string(out, "end", f2fs_defrag_end_name(r->end));
	cli_print_bool(out, "dry_run", d->a->dry_run);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cli_print_u64(out, rows[i].name, rows[i].value);
	print_state(out, "before", &r->before, size);
	print_state(out, "after", &r->after, size);
	cli_print_end(out);
	return cli_print_close(out);
}

static void print_change(const char *what, uint64_t before, uint64_t after)
{
	printf("%-32s %12llu -> %llu\n", what, (unsigned long long)before, (unsigned long long)after);
}

static const char *reason(const struct f2fs_defrag_result *r)
{
	static const char *const texts[] = { [F2FS_DEFRAG_DONE] = "all that can be done is done",
					     [F2FS_DEFRAG_LIMIT] = "the limit was reached",
					     [F2FS_DEFRAG_NO_ROOM] = "there is too little room to continue",
					     [F2FS_DEFRAG_STOPPED] = "it was stopped" };

	return texts[r->end];
}

static void print_text(struct defrag *d, const struct f2fs_defrag_result *r)
{
	const uint64_t size = f2fs_volume_geometry(d->vol)->block_size;
	char longest[2][24];

	/* files that were in the way and got a place of their own count, too */
	printf(r->files_placed > r->files ? "%s %llu files to defragment %llu: " : "%s %llu of %llu files: ",
	       d->a->dry_run ? "would move" : "moved", (unsigned long long)r->files_placed,
	       (unsigned long long)r->files);
	printf("%llu blocks into place, %llu out of the way; %s\n", (unsigned long long)r->blocks_placed,
	       (unsigned long long)r->blocks_cleared, reason(r));
	if (r->blocks_often)
		printf("%llu blocks moved more than twice: with little free room, blocks in the way move again\n",
		       (unsigned long long)r->blocks_often);
	if (r->after.files || r->end != F2FS_DEFRAG_STOPPED) {
		print_change("files in more than one piece", r->before.broken, r->after.broken);
		print_change("fragments", r->before.fragments, r->after.fragments);
		print_change("reads for all files", r->before.requests, r->after.requests);
		print_change("free sections", r->before.free_sections, r->after.free_sections);
		printf("%-32s %12s -> %s\n", "longest free run",
		       cli_format_size(r->before.longest_run * size, longest[0]),
		       cli_format_size(r->after.longest_run * size, longest[1]));
	}
	if (r->pinned)
		printf("%u files or sections left alone: pinned (see --move-pinned), or a device\n",
		       (unsigned)r->pinned);
	if (r->unconfirmed + r->unreadable)
		printf("%u files or sections left alone: damaged or unreadable, see fsck.f2fs\n",
		       (unsigned)(r->unconfirmed + r->unreadable));
}

int defrag_run(struct defrag *d)
{
	const struct arguments *a = d->a;
	struct access_list list = { 0 };
	struct f2fs_defrag_options options = { F2FS_SIZED(f2fs_defrag_options), .order = a->order,
					       .paths = a->paths,
					       .path_count = a->path_count,
					       .include = a->include,
					       .include_count = a->include_count,
					       .blocks = a->blocks,
					       .seconds = a->seconds,
					       .free_goal = a->free_goal,
					       .move_pinned = (uint8_t)a->move_pinned,
					       .dry_run = (uint8_t)a->dry_run,
					       .spill_dir = host_temporary_directory() };
	struct f2fs_defrag_result result = { F2FS_SIZED(f2fs_defrag_result) };
	int rc = a->order_file ? access_list_read(d, &list) : 0, shown = 0;

	if (a->bytes)
		options.blocks = (a->bytes + f2fs_volume_geometry(d->vol)->block_size - 1) /
				 f2fs_volume_geometry(d->vol)->block_size;
	options.list = list.parts;
	options.list_count = (uint32_t)list.count;
	if (rc) {
		access_list_free(&list);
		return rc;
	}
	rc = f2fs_defrag(d->vol, &options, &result);
	if (rc)
		cli_error_of(d->cli, d->ctx,
			     rc == F2FS_ERR_NOT_FOUND && a->path_count == 1 ? a->paths[0] : a->image.path);
	if (!rc || result.commits > 0) {
		if (a->is_json)
			shown = print_json(d, &result);
		else
			print_text(d, &result);
		fflush(stdout); /* a program that was stopped ends without it */
	}
	access_list_free(&list);
	return rc ? rc : shown;
}
