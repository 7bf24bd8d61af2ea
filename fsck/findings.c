/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings as text or JSON. Lines of text keep the form that scripts look for in the output of f2fs-tools:
 *
 *	[ASSERT] (DENTRY_HASH: P0093)  --> /a/b: the hash is 0x1, it should be 0x2
 *	[FIX] (DENTRY_HASH: P0093)  --> set the hash
 */
#include "findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_ROOM = 4 * 4096 + 1 };

/* Place of a problem in the table. */
static unsigned place_of(const struct f2fs_problem_info *info)
{
	unsigned i = 0;

	while (f2fs_problem_at(i) != info)
		i++;
	return i;
}

static int has_group(const char *group)
{
	const struct f2fs_problem_info *info;

	for (unsigned i = 0; (info = f2fs_problem_at(i)) != NULL; i++)
		if (strcmp(info->group, group) == 0)
			return 1;
	return 0;
}

/* Note which problems the options leave out. */
static int ignore(struct report *r, const struct arguments *a)
{
	for (unsigned i = 0; i < a->ignore_count; i++) {
		const struct f2fs_problem_info *one = f2fs_problem_find(a->ignore[i]);

		if (!one && !has_group(a->ignore[i])) {
			cli_error(r->cli, "'%s' is neither a problem nor a group of problems (see --list)",
				  a->ignore[i]);
			return -1;
		}
		for (unsigned k = 0; k < r->problem_count; k++)
			if (one ? k == place_of(one) : strcmp(f2fs_problem_at(k)->group, a->ignore[i]) == 0)
				r->is_ignored[k] = 1;
	}
	return 0;
}

int report_init(struct report *r, struct cli *cli, const struct arguments *arguments)
{
	memset(r, 0, sizeof(*r));
	r->cli = cli;
	r->arguments = arguments;
	while (f2fs_problem_at(r->problem_count))
		r->problem_count++;
	r->counts = calloc(r->problem_count, sizeof(r->counts[0]));
	r->is_ignored = calloc(r->problem_count, sizeof(r->is_ignored[0]));
	if (!r->counts || !r->is_ignored) {
		cli_error(cli, "out of memory");
		return -1;
	}
	return ignore(r, arguments);
}

void report_fini(struct report *r)
{
	free(r->counts);
	free(r->is_ignored);
}

void report_restart(struct report *r, int is_repairing)
{
	memset(r->counts, 0, r->problem_count * sizeof(r->counts[0]));
	r->is_repairing = is_repairing;
}

/* "/a/b: ", or what else says where it is. */
static void put_subject(const struct f2fs_problem *problem, char *text, size_t room)
{
	text[0] = '\0';
	if (problem->path[0])
		snprintf(text, room, "%s: ", problem->path);
	else if (problem->ino)
		snprintf(text, room, "inode %u: ", problem->ino);
}

static void print_text(struct report *r, const struct f2fs_problem *problem, uint64_t count, int is_fixed)
{
	const struct f2fs_problem_info *info = problem->info;
	const char *mark = info->severity == F2FS_SEVERITY_NOTE ? "NOTE" : "ASSERT";
	char subject[TEXT_ROOM];

	if (!r->arguments->is_verbose && count > REPORT_SHOWN_PER_KIND)
		return;
	put_subject(problem, subject, sizeof(subject));
	printf("[%s] (%s: P%u)  --> %s%s\n", mark, info->name, info->id, subject, problem->message);
	if (r->arguments->is_verbose && count == 1)
		printf("\t%s\n", info->explanation);
	if (is_fixed)
		printf("[FIX] (%s: P%u)  --> %s\n", info->name, info->id, info->fix);
}

static void put_number(struct cli_print *p, const char *name, uint64_t value, int is_known)
{
	if (is_known)
		cli_print_u64(p, name, value);
	else
		cli_print_null(p, name);
}

static void print_json(struct cli_print *p, const struct f2fs_problem *problem, int is_fixed)
{
	const struct f2fs_problem_info *info = problem->info;

	cli_print_begin(p, NULL);
	cli_print_u64(p, "id", info->id);
	cli_print_string(p, "name", info->name);
	cli_print_string(p, "severity", f2fs_severity_name(info->severity));
	cli_print_string(p, "group", info->group);
	cli_print_string(p, "message", problem->message);
	put_number(p, "nid", problem->nid, problem->nid != 0);
	put_number(p, "ino", problem->ino, problem->ino != 0);
	put_number(p, "block", problem->block, problem->block != F2FS_NO_BLOCK);
	put_number(p, "segno", problem->segno, problem->segno != F2FS_NO_NUMBER);
	put_number(p, "slot", problem->slot, problem->slot != F2FS_NO_NUMBER);
	cli_print_string(p, "path", problem->path);
	cli_print_string(p, "entry", problem->name);
	cli_print_string(p, "rule", problem->rule);
	put_number(p, "found", problem->found, problem->has_values);
	put_number(p, "expected", problem->expected, problem->has_values);
	cli_print_string(p, "action", is_fixed ? "fixed" : "none");
	cli_print_end(p);
}

int report_problem(void *user, const struct f2fs_problem *problem)
{
	struct report *r = user;
	const unsigned place = place_of(problem->info);
	const int is_note = problem->info->severity == F2FS_SEVERITY_NOTE;
	const int is_fixed = r->is_repairing && !is_note;

	if (cli_stopped())
		return F2FS_ERR_CANCELED;
	if (r->is_ignored[place]) {
		r->ignored += !is_note;
	} else {
		r->counts[place]++;
		if (r->json)
			print_json(r->json, problem, is_fixed);
		else if (!r->is_silent)
			print_text(r, problem, r->counts[place], is_fixed);
	}
	return is_fixed ? F2FS_DECIDE_FIX : F2FS_DECIDE_SKIP;
}

/* ---- the table of problems itself ---- */

static void put_row(struct cli_print *p, const struct f2fs_problem_info *info)
{
	cli_print_begin(p, NULL);
	cli_print_u64(p, "id", info->id);
	cli_print_string(p, "name", info->name);
	cli_print_string(p, "severity", f2fs_severity_name(info->severity));
	cli_print_string(p, "group", info->group);
	cli_print_string(p, "message", info->message);
	cli_print_string(p, "explanation", info->explanation);
	cli_print_string(p, "fix", info->fix);
	cli_print_end(p);
}

int report_list(struct cli *cli)
{
	const struct f2fs_problem_info *info;

	(void)cli;
	for (unsigned i = 0; (info = f2fs_problem_at(i)) != NULL; i++)
		printf("P%u %-18s %-9s %-7s %s\n", info->id, info->name, info->group,
		       f2fs_severity_name(info->severity), info->message);
	return CLI_EXIT_OK;
}

int report_explain(struct cli *cli, const char *id, int is_json)
{
	const struct f2fs_problem_info *info = f2fs_problem_find(id);
	struct cli_print *p;

	if (!info && strcmp(id, "all") != 0) {
		cli_error(cli, "'%s' is not a problem (see --list)", id);
		return CLI_EXIT_USAGE;
	}
	p = cli_print_open(stdout, is_json ? CLI_JSON : CLI_TEXT);
	if (!p) {
		cli_error(cli, "out of memory");
		return CLI_EXIT_OPERATIONAL;
	}
	if (info) {
		put_row(p, info);
	} else {
		cli_print_stream(p);
		for (unsigned i = 0; (info = f2fs_problem_at(i)) != NULL; i++)
			put_row(p, info);
	}
	return cli_print_close(p) ? CLI_EXIT_OPERATIONAL : CLI_EXIT_OK;
}
