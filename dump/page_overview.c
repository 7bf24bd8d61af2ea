/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The head of the page: an overview of the volume, and the findings of a check.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dump/fields.h"
#include "dump/page_cells.h"
#include "dump/page_overview.h"

static void begin_fact(FILE *to, const char *label)
{
	fprintf(to, "<tr><th scope=\"row\">%s</th><td>", label);
}

static void end_fact(FILE *to)
{
	fputs("</td></tr>", to);
}

static void put_text(FILE *to, const char *label, const char *text)
{
	if (!*text)
		return;
	begin_fact(to, label);
	page_text(to, text, strlen(text));
	end_fact(to);
}

static void put_size(FILE *to, const char *label, uint64_t bytes)
{
	begin_fact(to, label);
	page_size(to, bytes);
	end_fact(to);
}

static void put_number(FILE *to, const char *label, uint64_t number)
{
	begin_fact(to, label);
	page_grouped(to, number);
	end_fact(to);
}

static void put_digest(FILE *to, const char *name, const uint8_t *bytes, size_t size)
{
	fprintf(to, ", %s ", name);
	for (size_t i = 0; i < size; i++)
		fprintf(to, "%02x", bytes[i]);
}

/* Show the container of the volume, and the byte where the volume begins. */
static void put_wrapping(const struct page *page)
{
	struct f2fs_device *device = f2fs_volume_device(page->d->vol);
	struct f2fs_evidence evidence = { F2FS_SIZED(f2fs_evidence) };
	const uint64_t offset = f2fs_device_offset(device);

	if (f2fs_device_evidence(device, &evidence) == 0) {
		begin_fact(page->to, "Container");
		page_text(page->to, evidence.format, strlen(evidence.format));
		if (evidence.has_md5)
			put_digest(page->to, "MD5", evidence.md5, sizeof(evidence.md5));
		if (evidence.has_sha1)
			put_digest(page->to, "SHA-1", evidence.sha1, sizeof(evidence.sha1));
		end_fact(page->to);
	}
	if (offset)
		put_number(page->to, "Begins at byte", offset);
}

static void put_features(FILE *to, uint32_t mask)
{
	const char *between = "";
	unsigned count = 0;
	const struct f2fs_flag *flags = f2fs_flags_find("feature", &count);

	begin_fact(to, "Features");
	for (unsigned i = 0; i < count; i++) {
		if (!(mask & flags[i].mask))
			continue;
		fputs(between, to);
		for (const char *letter = flags[i].name; *letter; letter++)
			fputc(tolower((unsigned char)*letter), to);
		between = " ";
	}
	fputs(*between ? "" : "none", to);
	end_fact(to);
}

/* "valid", the rule that a copy breaks, or "unreadable" */
static void put_state(FILE *to, int state, int is_used)
{
	const char *name = state == 0 ? "valid" : state < 0 ? "unreadable" : "invalid";
	const struct f2fs_rule *rule;

	for (unsigned i = 0; state > 0 && (rule = f2fs_rule_at(i)) != NULL; i++)
		if (rule->id == state)
			name = rule->name;
	page_own(to, name);
	fputs(is_used ? " (in use)" : "", to);
}

static void put_copies(struct page *page)
{
	const struct f2fs_volume *vol = page->d->vol;
	unsigned used = 0, pack = 0;

	f2fs_volume_superblock(vol, &used);
	f2fs_volume_checkpoint(vol, NULL, &pack);
	begin_fact(page->to, "Superblocks");
	for (unsigned i = 0; i < 2; i++) {
		fputs(i ? ", " : "", page->to);
		put_state(page->to, f2fs_volume_superblock_state(vol, i), used == i);
	}
	end_fact(page->to);
	begin_fact(page->to, "Checkpoint packs");
	for (unsigned i = 1; i <= 2; i++) {
		uint64_t version = 0;
		const int state = f2fs_volume_pack_state(page->d->vol, i, &version);

		fputs(i > 1 ? ", " : "", page->to);
		page_grouped(page->to, version);
		fputc(' ', page->to);
		put_state(page->to, state, pack == i);
	}
	end_fact(page->to);
}

static void put_notes(struct page *page)
{
	const char *note;

	for (unsigned i = 0; (note = f2fs_volume_note(page->d->vol, i)) != NULL; i++) {
		if (i == 0)
			begin_fact(page->to, "Notes");
		fputs(i ? "; " : "", page->to);
		page_text(page->to, note, strlen(note));
	}
	if (f2fs_volume_note(page->d->vol, 0))
		end_fact(page->to);
}

/* Was the volume unmounted, and what would a mount do? */
static int put_condition(struct page *page, uint32_t flags)
{
	const uint64_t orphans = f2fs_orphan_count(page->d->vol);
	uint64_t nodes = 0;
	const int rc = f2fs_volume_pending(page->d->vol, &nodes);

	begin_fact(page->to, "State");
	fputs(flags & 1 ? "unmounted cleanly" : "not unmounted cleanly", page->to);
	if (nodes)
		fprintf(page->to, "; a mount would recover %llu nodes", (unsigned long long)nodes);
	if (orphans)
		fprintf(page->to, "; %llu orphans", (unsigned long long)orphans);
	end_fact(page->to);
	return rc;
}

int page_overview(struct page *page)
{
	const struct f2fs_struct *type = dump_struct("checkpoint");
	const uint8_t *cp = f2fs_volume_checkpoint(page->d->vol, NULL, NULL);
	const struct f2fs_geometry *geo = page->d->geo;
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	int rc;

	f2fs_volume_statfs(page->d->vol, &st);
	fputs("<table class=\"facts\">", page->to);
	put_wrapping(page);
	put_text(page->to, "Label", st.label);
	begin_fact(page->to, "UUID");
	page_uuid(page->to, st.uuid);
	end_fact(page->to);
	put_features(page->to, geo->feature);
	put_size(page->to, "Block size", geo->block_size);
	put_size(page->to, "Size", geo->block_count * geo->block_size);
	put_size(page->to, "In use", st.valid_blocks * geo->block_size);
	put_size(page->to, "Free", st.free_blocks * geo->block_size);
	put_number(page->to, "Inodes", st.valid_inodes);
	begin_fact(page->to, "Segments");
	page_grouped(page->to, geo->segment_count_main);
	fputs(", ", page->to);
	page_grouped(page->to, st.free_segments);
	fputs(" free", page->to);
	end_fact(page->to);
	put_number(page->to, "Checkpoint", dump_get(type, cp, "checkpoint_ver", 0));
	rc = put_condition(page, (uint32_t)dump_get(type, cp, "ckpt_flags", 0));
	put_copies(page);
	put_notes(page);
	fputs("</table>", page->to);
	return rc;
}

/* ---- findings ---- */

struct findings {
	FILE *to; /* rows */
	uint64_t count;
};

static int put_finding(void *user, const struct f2fs_problem *p)
{
	struct findings *f = user;

	if (f->count++ >= PAGE_ROWS)
		return F2FS_DECIDE_FIX;
	fputs("<tr>", f->to);
	page_cell_text(f->to, 0, f2fs_severity_name(p->info->severity));
	page_cell_text(f->to, 1, p->info->name);
	page_cell_text(f->to, 1, p->message);
	page_cell_text(f->to, 1, p->path);
	if (p->ino)
		page_cell_number(f->to, p->ino);
	else
		page_cell_none(f->to);
	if (p->block != F2FS_NO_BLOCK)
		page_cell_number(f->to, p->block);
	else
		page_cell_none(f->to);
	fputs("</tr>", f->to);
	return F2FS_DECIDE_FIX;
}

static void put_findings(struct page *page, const struct f2fs_check_result *result, uint64_t count, const char *rows)
{
	static const struct page_column columns[] = { { "severity", 0 }, { "name", 0 },	 { "message", 0 },
						      { "path", 0 },	 { "inode", 1 }, { "block", 1 } };
	char note[80] = "";

	page->problems = result->found;
	if (result->state == F2FS_CHECK_SOUND) {
		fputs("<p class=\"good\">A check found nothing wrong.</p>", page->to);
	} else {
		fputs("<p class=\"bad\">A check found ", page->to);
		page_grouped(page->to, result->found);
		fputs(" problems.</p>", page->to);
	}
	if (count == 0)
		return;
	if (count > PAGE_ROWS)
		snprintf(note, sizeof(note), "the first %d of %llu", PAGE_ROWS, (unsigned long long)count);
	page_begin_table(page->to, "findings", note, columns, sizeof(columns) / sizeof(columns[0]));
	fputs(rows, page->to);
	page_end_table(page->to);
}

int page_findings(struct page *page)
{
	struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options) };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	struct findings found = { NULL, 0 };
	char *rows = NULL;
	size_t length = 0;
	int rc = 0;

	found.to = open_memstream(&rows, &length);
	options.problem = put_finding;
	options.user = &found;
	options.open = page->d->opening;
	if (found.to)
		rc = f2fs_check(page->d->ctx, page->d->device, &options, &result);
	if (!found.to || (fclose(found.to) != 0 && !rc))
		rc = f2fs_context_fail(page->d->ctx, F2FS_ERR_NOMEM, "out of memory");
	if (!rc)
		put_findings(page, &result, found.count, rows);
	free(rows);
	return rc;
}
