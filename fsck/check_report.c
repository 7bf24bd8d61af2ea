/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text and JSON of a check.
 */
#include "check_report.h"

#include <stdio.h>
#include <string.h>

int report_open(struct report *report, enum cli_format format, int is_quiet)
{
	report->is_quiet = is_quiet;
	report->out = cli_print_open(stdout, format);
	if (!report->out)
		return -1;
	if (format == CLI_JSON) {
		cli_print_begin(report->out, NULL);
		cli_print_begin_array(report->out, "problems");
	}
	return 0;
}

static void show_number(struct cli_print *out, const char *name, uint64_t value, uint64_t none)
{
	if (value == none)
		cli_print_null(out, name);
	else
		cli_print_u64(out, name, value);
}

static void print_json(struct cli_print *out, const struct f2fs_problem *problem)
{
	const struct f2fs_problem_info *info = problem->info;

	cli_print_begin(out, NULL);
	cli_print_u64(out, "id", info->id);
	cli_print_string(out, "name", info->name);
	cli_print_string(out, "severity", f2fs_severity_name(info->severity));
	cli_print_string(out, "group", info->group);
	cli_print_string(out, "message", problem->message);
	show_number(out, "nid", problem->nid, 0);
	show_number(out, "ino", problem->ino, 0);
	show_number(out, "block", problem->block, F2FS_NO_BLOCK);
	show_number(out, "segno", problem->segno, F2FS_NO_NUMBER);
	show_number(out, "slot", problem->slot, F2FS_NO_NUMBER);
	cli_print_string(out, "path", problem->path);
	cli_print_string(out, "entry", problem->name);
	cli_print_string(out, "rule", problem->rule);
	if (problem->has_values) {
		cli_print_u64(out, "found", problem->found);
		cli_print_u64(out, "expected", problem->expected);
	} else {
		cli_print_null(out, "found");
		cli_print_null(out, "expected");
	}
	cli_print_string(out, "action", problem->action == F2FS_ACTION_FIXED ? "fixed" : "none");
	cli_print_end(out);
}

int report_problem(void *user, const struct f2fs_problem *problem)
{
	struct report *report = user;
	const int is_note = problem->info->severity == F2FS_SEVERITY_NOTE;

	if (!cli_print_is_text(report->out))
		print_json(report->out, problem);
	else if (!(is_note && report->is_quiet))
		printf("P%u %s: %s%s%s%s\n", problem->info->id, f2fs_severity_name(problem->info->severity),
		       problem->message, problem->path[0] ? " (" : "", problem->path, problem->path[0] ? ")" : "");
	return F2FS_DECIDE_SKIP;
}

static const char *state_name(int state)
{
	static const char *const names[] = { "clean", "left", "impossible", "repaired" };

	return names[state];
}

static void summarize(const struct report *report, const struct f2fs_check_result *r)
{
	if (report->is_quiet)
		return;
	printf("%llu files, %llu directories, %llu symlinks, %llu special files, %llu unlinked; "
	       "%llu nodes, %llu blocks, %llu free segments\n",
	       (unsigned long long)r->files, (unsigned long long)r->directories, (unsigned long long)r->symlinks,
	       (unsigned long long)r->specials, (unsigned long long)r->orphans, (unsigned long long)r->nodes,
	       (unsigned long long)r->blocks, (unsigned long long)r->free_segments);
	if (r->state == F2FS_CHECK_CLEAN)
		printf("clean\n");
	else
		printf("%llu problem%s\n", (unsigned long long)r->found, r->found == 1 ? "" : "s");
}

static void summarize_json(struct cli_print *out, const struct f2fs_check_result *r)
{
	cli_print_end_array(out);
	if (r) {
		cli_print_string(out, "state", state_name(r->state));
		cli_print_u64(out, "found", r->found);
		cli_print_u64(out, "notes", r->notes);
		cli_print_u64(out, "pending_nodes", r->pending);
		cli_print_bool(out, "is_unmounted", r->is_unmounted);
		cli_print_u64(out, "files", r->files);
		cli_print_u64(out, "directories", r->directories);
		cli_print_u64(out, "symlinks", r->symlinks);
		cli_print_u64(out, "specials", r->specials);
		cli_print_u64(out, "orphans", r->orphans);
		cli_print_u64(out, "nodes", r->nodes);
		cli_print_u64(out, "blocks", r->blocks);
		cli_print_u64(out, "free_segments", r->free_segments);
		cli_print_u64(out, "memory", r->memory);
	}
	cli_print_end(out);
}

int report_close(struct report *report, const struct f2fs_check_result *result)
{
	if (!cli_print_is_text(report->out))
		summarize_json(report->out, result);
	else if (result)
		summarize(report, result);
	return cli_print_close(report->out);
}

static void explain(struct cli_print *out, const struct f2fs_problem_info *info)
{
	cli_print_begin(out, NULL);
	cli_print_u64(out, "id", info->id);
	cli_print_string(out, "name", info->name);
	cli_print_string(out, "severity", f2fs_severity_name(info->severity));
	cli_print_string(out, "group", info->group);
	cli_print_string(out, "message", info->message);
	cli_print_string(out, "explanation", info->explanation);
	cli_print_string(out, "fix", info->fix);
	cli_print_end(out);
}

int report_explain(const char *id, enum cli_format format)
{
	const struct f2fs_problem_info *info = f2fs_problem_find(id);
	struct cli_print *out;

	if (!info && strcmp(id, "all") != 0)
		return -1;
	out = cli_print_open(stdout, format);
	if (!out)
		return -1;
	if (info) {
		explain(out, info);
	} else {
		cli_print_stream(out);
		for (unsigned i = 0; (info = f2fs_problem_at(i)) != NULL; i++)
			explain(out, info);
	}
	return cli_print_close(out);
}
