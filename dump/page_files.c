/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of the page: a chart of their times, and the largest ones.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/stat.h"
#include "dump/page_cells.h"
#include "dump/page_charts.h"
#include "dump/page_files.h"
#include "dump/session.h"

enum { NANO = 1000000000 };

static const struct page_column columns[] = { { "path", 0 }, { "type", 0 },	 { "mode", 0 },	   { "uid", 1 },
					      { "size", 1 }, { "allocated", 1 }, { "changed", 1 }, { "inode", 1 } };

/* The type that the inode has, or, where it is none of the usual ones, its entry. */
static const char *type_name(const struct f2fs_listing_row *row)
{
	const unsigned type = f2fs_type_of_mode(row->stat.mode);

	return cli_type_name(type != F2FS_TYPE_UNKNOWN ? type : row->type);
}

/* The path of a row, from its end; free it. NULL when memory is short. */
static char *path_of(const struct f2fs_listing_row *rows, const char *text, const struct f2fs_listing_row *row)
{
	const struct f2fs_listing_row *at;
	size_t length = 0, place;
	char *path;

	for (at = row; at->parent != F2FS_NO_ROW; at = &rows[at->parent])
		length += 1 + at->name_length;
	path = malloc(length + 2);
	if (!path)
		return NULL;
	path[0] = row == rows ? '/' : '\0';
	path[1] = '\0';
	for (at = row, place = length; at->parent != F2FS_NO_ROW; at = &rows[at->parent]) {
		place -= at->name_length;
		memcpy(path + place, text + at->name, at->name_length);
		path[--place] = '/';
		path[length] = '\0';
	}
	return path;
}

static int put_row(struct page *page, const struct f2fs_listing_row *rows, const char *text,
		   const struct f2fs_listing_row *row)
{
	char *path = path_of(rows, text, row);

	if (!path)
		return f2fs_context_fail(page->d->ctx, F2FS_ERR_NOMEM, "out of memory");
	fputs("<tr>", page->to);
	page_cell_text(page->to, 1, path);
	page_cell_text(page->to, 0, type_name(row));
	page_cell_mode(page->to, row->stat.mode);
	page_cell_number(page->to, row->stat.uid);
	page_cell_size(page->to, row->stat.size);
	page_cell_size(page->to, row->stat.blocks * 512);
	page_cell_time(page->to, row->stat.mtime);
	page_cell_number(page->to, row->stat.ino);
	fputs("</tr>", page->to);
	free(path);
	return 0;
}

/* Larger files first, others in the order of the walk. */
static int by_size(const void *a, const void *b)
{
	const struct f2fs_listing_row *first = *(const struct f2fs_listing_row *const *)a;
	const struct f2fs_listing_row *second = *(const struct f2fs_listing_row *const *)b;

	if (first->stat.size != second->stat.size)
		return first->stat.size > second->stat.size ? -1 : 1;
	return first < second ? -1 : first > second;
}

static int put_table(struct page *page, const struct f2fs_listing_row *rows, size_t count, const char *text)
{
	const struct f2fs_listing_row **order = malloc((count ? count : 1) * sizeof(*order));
	char *note = NULL;
	size_t length = 0;
	FILE *words = open_memstream(&note, &length);
	int rc = 0;

	if (words && count > PAGE_ROWS)
		fprintf(words, "the %d with the largest size, of ", PAGE_ROWS);
	if (words) {
		page_grouped(words, count);
		fputs(count > PAGE_ROWS ? "" : " in all", words);
	}
	if (!order || !words || fclose(words) != 0) {
		rc = f2fs_context_fail(page->d->ctx, F2FS_ERR_NOMEM, "out of memory");
	} else {
		for (size_t i = 0; i < count; i++)
			order[i] = &rows[i];
		qsort(order, count, sizeof(*order), by_size);
		page_begin_table(page->to, "files", note, columns, sizeof(columns) / sizeof(columns[0]));
		for (size_t i = 0; i < count && i < PAGE_ROWS && !rc; i++)
			rc = put_row(page, rows, text, order[i]);
		page_end_table(page->to);
	}
	free(order);
	free(note);
	return rc;
}

static int put_times(struct page *page, const struct f2fs_listing_row *rows, size_t count)
{
	uint64_t *times = malloc((count ? count : 1) * sizeof(*times));
	size_t n = 0;

	if (!times)
		return f2fs_context_fail(page->d->ctx, F2FS_ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < count; i++) {
		const struct f2fs_time *t = &rows[i].stat.mtime;

		if (t->seconds < 0 || t->seconds > INT64_MAX / NANO - 1 || (t->seconds == 0 && t->nanoseconds == 0))
			continue; /* none, or beyond what nanoseconds in 64 bits can hold */
		times[n++] = (uint64_t)t->seconds * NANO + t->nanoseconds;
	}
	page_times(page->to, times, n, "files by the time of their last change");
	free(times);
	return 0;
}

static void count_errors(struct page *page, const struct f2fs_listing_row *rows, size_t count)
{
	uint64_t errors = 0;

	for (size_t i = 0; i < count; i++)
		errors += rows[i].error != 0;
	if (errors)
		dump_damage(page->d, "%llu files or directories cannot be read; the page shows what is known of them",
			    (unsigned long long)errors);
}

int page_files(struct page *page)
{
	struct f2fs_inode *root;
	struct f2fs_listing *listing = NULL;
	const struct f2fs_listing_row *rows;
	size_t count = 0, length = 0;
	int rc = f2fs_inode_open(page->d->vol, page->d->geo->root_ino, &root);

	if (rc)
		return rc;
	rc = f2fs_listing_read(root, F2FS_LISTING_UNNAMED, &listing);
	if (!rc) {
		rows = f2fs_listing_rows(listing, &count);
		page->files = count;
		rc = put_times(page, rows, count);
		if (!rc)
			rc = put_table(page, rows, count, f2fs_listing_text(listing, &length));
		count_errors(page, rows, count);
	}
	f2fs_listing_free(listing);
	f2fs_inode_close(root);
	return rc;
}
