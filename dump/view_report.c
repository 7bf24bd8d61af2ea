/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write a report about the volume as one page of HTML that needs nothing else: overview, findings of a check, map of
 * the segments, files, deleted files. A section that damage keeps from being made says so on the page.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dump/page_cells.h"
#include "dump/page_charts.h"
#include "dump/page_deleted.h"
#include "dump/page_files.h"
#include "dump/page_overview.h"
#include "dump/session.h"
#include "dump/views.h"
#include "report_parts.h"

enum { NANO = 1000000000 };

static const struct section {
	const char *identity, *title;
	int (*write)(struct page *page);
} sections[] = {
	{ "overview", "Overview", page_overview },
	{ "findings", "Findings", page_findings },
	{ "space", "Space", page_map },
	{ "files", "Files", page_files },
	{ "deleted", "Deleted files", page_deleted },
};
enum { SECTIONS = sizeof(sections) / sizeof(sections[0]) };

/* ---- places of the frame ---- */

static int put_title(struct page *page)
{
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };

	f2fs_volume_statfs(page->d->vol, &st);
	if (*st.label)
		page_text(page->to, st.label, strlen(st.label));
	else
		page_uuid(page->to, st.uuid);
	return 0;
}

static int put_made(struct page *page)
{
	const struct f2fs_time now = { page->d->cli.host.now_ns(&page->d->cli) / NANO, 0 };

	page_time(page->to, now, 16);
	fputs(" UTC", page->to);
	return 0;
}

static int put_links(struct page *page)
{
	for (unsigned i = 0; i < SECTIONS; i++)
		fprintf(page->to, "<li><a href=\"#%s\">%s</a></li>", sections[i].identity, sections[i].title);
	return 0;
}

static int put_style(struct page *page)
{
	fwrite(report_look, 1, sizeof(report_look), page->to);
	return 0;
}

static int put_script(struct page *page)
{
	fwrite(report_sort, 1, sizeof(report_sort), page->to);
	return 0;
}

static int put_body(struct page *page)
{
	for (unsigned i = 0; i < SECTIONS; i++) {
		const struct section *s = &sections[i];
		int rc;

		fprintf(page->to, "<section aria-labelledby=\"%s\"><h2 id=\"%s\">%s</h2>", s->identity, s->identity,
			s->title);
		rc = s->write(page);
		if (rc == F2FS_ERR_NOMEM || rc == F2FS_ERR_CANCELED)
			return rc;
		if (rc) {
			const char *message = f2fs_context_error(page->d->ctx)->message;

			fputs("<p class=\"bad\">Incomplete: ", page->to);
			page_text(page->to, message, strlen(message));
			fputs("</p>", page->to);
			dump_fail(page->d, rc, s->title);
		}
		fputs("</section>", page->to);
	}
	return 0;
}

static const struct place {
	const char *name;
	int (*write)(struct page *page);
} places[] = {
	{ "{title}", put_title }, { "{style}", put_style },   { "{made}", put_made },
	{ "{links}", put_links }, { "{script}", put_script }, { "{body}", put_body },
};

/* Write the frame, and at each place in it what belongs there. */
static int put_page(struct page *page)
{
	const char *at = report_frame, *const end = report_frame + sizeof(report_frame);
	int rc = 0;

	while (at < end && !rc) {
		const struct place *found = NULL;

		for (unsigned i = 0; *at == '{' && i < sizeof(places) / sizeof(places[0]); i++)
			if (strlen(places[i].name) <= (size_t)(end - at) &&
			    !memcmp(at, places[i].name, strlen(places[i].name)))
				found = &places[i];
		if (!found) {
			fputc(*at++, page->to);
			continue;
		}
		rc = found->write(page);
		at += strlen(found->name);
	}
	return rc;
}

/* ---- the file ---- */

static int open_file(struct dump *d, const char *path, FILE **to, int *is_new)
{
	const int fd = cli_create(&d->cli, d->ctx, path, 0666, is_new);

	*to = fd < 0 ? NULL : fdopen(fd, "w");
	if (*to)
		return 0;
	if (fd >= 0) {
		cli_error(&d->cli, "%s: %s", path, strerror(errno));
		close(fd);
	}
	d->status |= DUMP_FAILED;
	return F2FS_ERR_IO;
}

static int close_file(struct dump *d, const char *path, FILE *to)
{
	const int failed = ferror(to), code = errno;

	if (fclose(to) == 0 && !failed)
		return 0;
	cli_error(&d->cli, "%s: %s", path, cli_stopped() ? "stopped" : strerror(failed ? code : errno));
	d->status |= DUMP_FAILED;
	return F2FS_ERR_IO;
}

int view_report(struct dump *d, const char *argument)
{
	const int is_output = !strcmp(argument, "-");
	struct page page = { .d = d, .to = stdout };
	int is_new = 0, rc;

	if (!is_output && (rc = open_file(d, argument, &page.to, &is_new)) != 0)
		return rc;
	rc = put_page(&page);
	if (rc)
		dump_fail(d, rc, argument);
	if (is_output)
		return rc;
	if (close_file(d, argument, page.to) || rc) {
		cli_leave_part(&d->cli, argument, is_new);
		return rc ? rc : F2FS_ERR_IO;
	}
	cli_print_u64(d->out, "files", page.files);
	cli_print_u64(d->out, "deleted", page.deleted);
	cli_print_u64(d->out, "problems", page.problems);
	return 0;
}
