/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The report on fragmentation, as text or JSON: sums, the worst files and directories, free runs, use of segments.
 */
#include <stdlib.h>
#include <string.h>

#include "defrag/fragment_report.h"

/* A file or directory of a list. */
struct row {
	char *path;
	f2fs_nid_t ino;
	uint64_t excess; /* fragments that it has too many: what lists are ordered by */
	uint64_t files, blocks, extents, fragments, small_blocks, requests;
};

/* The worst so far, worst first. */
struct list {
	struct row *rows;
	uint32_t count, room;
};

struct report {
	struct defrag *d;
	struct list files, dirs;
	int is_short; /* of memory */
};

/* Put a row where it belongs, if it is bad enough; 0, or -1 when memory is short. */
static int take(struct list *list, const struct row *row, const char *path)
{
	uint32_t at = list->count;

	if (row->excess == 0 || list->room == 0 ||
	    (at == list->room && list->rows[at - 1].excess >= row->excess))
		return 0;
	if (!list->rows)
		list->rows = calloc(list->room, sizeof(*list->rows));
	if (!list->rows)
		return -1;
	if (at == list->room)
		free(list->rows[--at].path);
	for (; at > 0 && list->rows[at - 1].excess < row->excess; at--)
		list->rows[at] = list->rows[at - 1];
	list->rows[at] = *row;
	list->rows[at].path = strdup(path);
	if (list->count < list->room)
		list->count++;
	return list->rows[at].path ? 0 : -1;
}

static int take_file(void *user, const struct f2fs_file_fragments *f)
{
	struct report *r = user;
	const struct row row = { .ino = f->ino,
				 .excess = f->fragments - f->ideal,
				 .files = 1,
				 .blocks = f->blocks,
				 .extents = f->extents,
				 .fragments = f->fragments,
				 .small_blocks = f->small_blocks,
				 .requests = f->requests };

	r->is_short = r->is_short || take(&r->files, &row, f->path ? f->path : "");
	return r->is_short;
}

static int take_dir(void *user, const struct f2fs_dir_fragments *dir)
{
	struct report *r = user;
	const struct row row = { .ino = dir->ino,
				 .excess = dir->fragments - dir->files,
				 .files = dir->files,
				 .blocks = dir->blocks,
				 .extents = dir->extents,
				 .fragments = dir->fragments,
				 .small_blocks = dir->small_blocks,
				 .requests = dir->requests };

	r->is_short = r->is_short || take(&r->dirs, &row, dir->path);
	return r->is_short;
}

static void free_list(struct list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		free(list->rows[i].path);
	free(list->rows);
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void print_sums(struct cli_print *out, const struct f2fs_fragments *f, uint32_t block_size)
{
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = { { "files", f->files },
		     { "inline_files", f->inlines },
		     { "broken_files", f->broken },
		     { "unreadable", f->unreadable },
		     { "bytes", f->blocks * block_size },
		     { "extents", f->extents },
		     { "fragments", f->fragments },
		     { "ideal_fragments", f->ideal },
		     { "small_bytes", f->small_blocks * block_size } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cli_print_u64(out, rows[i].name, rows[i].value);
	cli_print_fixed(out, "small_share", share(f->small_blocks, f->blocks), 4);
	cli_print_u64(out, "requests", f->requests);
	cli_print_u64(out, "ideal_requests", f->ideal_requests);
	cli_print_u64(out, "free_bytes", f->free_blocks * block_size);
	cli_print_u64(out, "free_runs", f->free_runs);
	cli_print_u64(out, "longest_free_run_bytes", f->longest_run * block_size);
	cli_print_u64(out, "free_segments", f->free_segments);
	cli_print_u64(out, "free_sections", f->free_sections);
}

static void print_list(struct cli_print *out, const char *name, const struct list *list)
{
	static const struct cli_column columns[] = { { "fragments", 9 }, { "extents", 9 },  { "files", 8 },
						     { "blocks", 10 },	 { "small", 10 },   { "requests", 9 },
						     { "ino", 8 },	 { "path", -1 } };

	cli_print_begin_table(out, name, columns, sizeof(columns) / sizeof(columns[0]));
	for (uint32_t i = 0; i < list->count; i++) {
		const struct row *row = &list->rows[i];

		cli_print_begin(out, NULL);
		cli_print_u64(out, "fragments", row->fragments);
		cli_print_u64(out, "extents", row->extents);
		cli_print_u64(out, "files", row->files);
		cli_print_u64(out, "blocks", row->blocks);
		cli_print_u64(out, "small_blocks", row->small_blocks);
		cli_print_u64(out, "requests", row->requests);
		cli_print_u64(out, "ino", row->ino);
		cli_print_bytes(out, "path", row->path, strlen(row->path));
		cli_print_end(out);
	}
	cli_print_end_array(out);
}

static void print_runs(struct cli_print *out, const struct f2fs_fragments *f)
{
	static const struct cli_column columns[] = { { "from", 10 }, { "to", 10 }, { "runs", 10 }, { "blocks", 12 } };

	cli_print_begin_table(out, "free_run_lengths", columns, 4);
	for (unsigned k = 0; k < F2FS_RUN_CLASSES; k++) {
		if (f->run_counts[k] == 0)
			continue;
		cli_print_begin(out, NULL);
		cli_print_u64(out, "from", (uint64_t)1 << k);
		cli_print_u64(out, "to", ((uint64_t)2 << k) - 1);
		cli_print_u64(out, "runs", f->run_counts[k]);
		cli_print_u64(out, "blocks", f->run_blocks[k]);
		cli_print_end(out);
	}
	cli_print_end_array(out);
}

/* A type of segments: how many, and how many of them are used to 0 to 9 percent, 10 to 19, ..., full. */
static void print_segments(struct cli_print *out, const struct f2fs_fragments *f)
{
	static const char *const names[F2FS_USE_CLASSES] = { "used_0",	"used_10", "used_20", "used_30",
							     "used_40", "used_50", "used_60", "used_70",
							     "used_80", "used_90", "full" };
	static const struct cli_column columns[] = { { "type", -10 }, { "segments", 8 }, { "blocks", 10 }, { "use", 6 },
						     { "0%", 6 },     { "10%", 6 },	 { "20%", 6 },	   { "30%", 6 },
						     { "40%", 6 },    { "50%", 6 },	 { "60%", 6 },	   { "70%", 6 },
						     { "80%", 6 },    { "90%", 6 },	 { "full", 6 } };

	cli_print_begin_table(out, "segments", columns, sizeof(columns) / sizeof(columns[0]));
	for (unsigned t = 0; t < F2FS_SEGMENT_TYPES; t++) {
		cli_print_begin(out, NULL);
		cli_print_string(out, "type", f2fs_log_type_name(t));
		cli_print_u64(out, "segments", f->type_segments[t]);
		cli_print_u64(out, "blocks", f->type_blocks[t]);
		cli_print_fixed(out, "use", share(f->type_blocks[t], f->type_segments[t] * F2FS_SEGMENT_BLOCKS), 3);
		for (unsigned k = 0; k < F2FS_USE_CLASSES; k++)
			cli_print_u64(out, names[k], f->used_segments[t * F2FS_USE_CLASSES + k]);
		cli_print_end(out);
	}
	cli_print_end_array(out);
}

static int print(const struct report *r, const struct f2fs_fragments *sums)
{
	const struct arguments *a = r->d->a;
	struct cli_print *out = cli_print_open(stdout, a->is_json ? CLI_JSON : CLI_TEXT);

	if (!out)
		return -1;
	cli_print_begin(out, NULL);
	print_sums(out, sums, f2fs_volume_geometry(r->d->vol)->block_size);
	if (a->top) {
		cli_print_heading(out, "");
		print_list(out, "worst_files", &r->files);
		cli_print_heading(out, "");
		print_list(out, "worst_directories", &r->dirs);
	}
	cli_print_heading(out, "");
	print_runs(out, sums);
	cli_print_heading(out, "");
	print_segments(out, sums);
	cli_print_end(out);
	return cli_print_close(out);
}

int defrag_report(struct defrag *d)
{
	struct report r = { .d = d, .files.room = d->a->top, .dirs.room = d->a->top };
	const struct f2fs_fragments_options options = { F2FS_SIZED(f2fs_fragments_options), .paths = d->a->paths,
							.path_count = d->a->path_count,
							.file = take_file,
							.directory = take_dir,
							.user = &r };
	struct f2fs_fragments sums;
	int rc = f2fs_fragments_count(d->vol, &options, &sums);

	if (r.is_short)
		cli_error(d->cli, "out of memory");
	else if (rc)
		cli_error_of(d->cli, d->ctx, d->a->image.path);
	else
		rc = print(&r, &sums);
	free_list(&r.files);
	free_list(&r.dirs);
	return rc;
}
