/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The deleted files of the page: those with the newest times. Twice as many rows as the page shows are kept in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/stat.h"
#include "dump/page_cells.h"
#include "dump/page_deleted.h"
#include "dump/past_search.h"

static const struct page_column columns[] = { { "path", 0 },	{ "type", 0 },	     { "what is left", 0 },
					      { "size", 1 },	{ "changed", 1 },    { "checkpoint", 1 },
					      { "inode", 1 },	{ "block", 1 } };

enum { KEPT = 2 * PAGE_ROWS };

struct row {
	uint64_t number; /* in the order of the search */
	char *path;
	uint8_t type;
	int confidence;
	uint64_t size;
	struct f2fs_time mtime;
	uint32_t cp_ver;
	f2fs_nid_t ino;
	f2fs_blk_t addr;
};

struct kept {
	struct page *page;
	struct row rows[KEPT];
	unsigned count;
	uint64_t total;
};

static int by_time(const void *a, const void *b)
{
	const struct row *first = a, *second = b;

	if (first->mtime.seconds != second->mtime.seconds)
		return first->mtime.seconds > second->mtime.seconds ? -1 : 1;
	if (first->mtime.nanoseconds != second->mtime.nanoseconds)
		return first->mtime.nanoseconds > second->mtime.nanoseconds ? -1 : 1;
	return first->number < second->number ? -1 : first->number > second->number;
}

/* Sort, and keep no more rows than this. */
static void cut(struct kept *kept, unsigned count)
{
	qsort(kept->rows, kept->count, sizeof(kept->rows[0]), by_time);
	while (kept->count > count)
		free(kept->rows[--kept->count].path);
}

static int keep(void *user, const struct f2fs_deleted *file)
{
	struct kept *kept = user;
	struct f2fs_context *ctx = kept->page->d->ctx;
	const struct f2fs_version *v = &file->version;
	struct row *row;

	if (kept->count == KEPT)
		cut(kept, PAGE_ROWS);
	row = &kept->rows[kept->count];
	row->path = strdup(file->path);
	if (!row->path)
		return f2fs_context_fail(ctx, F2FS_ERR_NOMEM, "out of memory");
	row->number = kept->total++;
	row->type = file->type;
	row->confidence = file->confidence;
	row->size = v->stat.size;
	row->mtime = v->stat.mtime;
	row->cp_ver = v->cp_ver;
	row->ino = v->ino;
	row->addr = v->addr;
	kept->count++;
	return cli_stopped() ? f2fs_context_fail(ctx, F2FS_ERR_CANCELED, "stopped") : 0;
}

static void put_rows(FILE *to, const struct kept *kept)
{
	for (unsigned i = 0; i < kept->count; i++) {
		const struct row *row = &kept->rows[i];

		fputs("<tr>", to);
		page_cell_text(to, 1, row->path);
		page_cell_text(to, 0, cli_type_name(row->type));
		page_cell_text(to, 0, f2fs_confidence_name(row->confidence));
		page_cell_size(to, row->size);
		page_cell_time(to, row->mtime);
		page_cell_number(to, row->cp_ver);
		page_cell_number(to, row->ino);
		page_cell_number(to, row->addr);
		fputs("</tr>", to);
	}
}

static int put_table(struct page *page, const struct kept *kept)
{
	char *note = NULL;
	size_t length = 0;
	FILE *words = open_memstream(&note, &length);

	if (words && kept->total > PAGE_ROWS)
		fprintf(words, "the %d with the largest changed, of ", PAGE_ROWS);
	if (words) {
		page_grouped(words, kept->total);
		fputs(kept->total > PAGE_ROWS ? "" : " in all", words);
	}
	if (!words || fclose(words) != 0) {
		free(note);
		return f2fs_context_fail(page->d->ctx, F2FS_ERR_NOMEM, "out of memory");
	}
	page_begin_table(page->to, "deleted", note, columns, sizeof(columns) / sizeof(columns[0]));
	put_rows(page->to, kept);
	page_end_table(page->to);
	free(note);
	return 0;
}

int page_deleted(struct page *page)
{
	const struct f2fs_past_options options = { F2FS_SIZED(f2fs_past_options),
						   .flags = page->d->is_thorough ? F2FS_PAST_THOROUGH : 0 };
	struct kept *kept = calloc(1, sizeof(*kept));
	struct f2fs_past *past = NULL;
	int rc;

	if (!kept)
		return f2fs_context_fail(page->d->ctx, F2FS_ERR_NOMEM, "out of memory");
	rc = f2fs_past_open(page->d->vol, &options, &past);
	if (!rc) {
		kept->page = page;
		rc = f2fs_past_list_deleted(past, keep, kept);
		cut(kept, PAGE_ROWS);
		page->deleted = kept->total;
	}
	if (!rc && kept->total == 0)
		fputs("<p>None was found.</p>", page->to);
	else if (!rc)
		rc = put_table(page, kept);
	if (past)
		dump_past_close(page->d, past);
	cut(kept, 0);
	free(kept);
	return rc;
}
