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

/* Do all words name problems? */
static int are_known(struct cli *cli, const char *option, const struct words *words)
{
	const struct f2fs_problem_info *info;

	for (unsigned i = 0; i < words->count; i++) {
		int is_known = 0;

		for (unsigned k = 0; (info = f2fs_problem_at(k)) != NULL && !is_known; k++)
			is_known = f2fs_problem_matches(info, words->at[i]);
		if (!is_known) {
			cli_usage_error(cli, option, words->at[i],
					"is neither a problem nor a group of problems (see --problems)");
			return 0;
		}
	}
	return 1;
}

/* Note which problems the options leave out. */
static int ignore(struct report *r, const struct arguments *a)
{
	if (!are_known(r->cli, "--ignore", &a->ignore) || !are_known(r->cli, "--only", &a->only) ||
	    !are_known(r->cli, "--except", &a->except))
		return -1;
	for (unsigned i = 0; i < a->ignore.count; i++)
		for (unsigned k = 0; k < r->problem_count; k++)
			r->is_ignored[k] |= (uint8_t)f2fs_problem_matches(f2fs_problem_at(k), a->ignore.at[i]);
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
	r->is_asking = is_repairing && r->arguments->is_asking;
	r->common = -1;
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

/* Is the count-th finding of a kind printed? */
static int is_shown(const struct report *r, uint64_t count)
{
	return r->arguments->is_verbose || r->is_asking || count <= REPORT_SHOWN_PER_KIND;
}

static void print_text(const struct report *r, const struct f2fs_problem *problem, uint64_t count)
{
	const struct f2fs_problem_info *info = problem->info;
	const char *mark = info->severity == F2FS_SEVERITY_NOTE ? "NOTE" : "ASSERT";
	char subject[TEXT_ROOM];

	put_subject(problem, subject, sizeof(subject));
	printf("[%s] (%s: P%u)  --> ", mark, info->name, info->id);
	cli_put_text(stdout, subject);
	cli_put_text(stdout, problem->message);
	putchar('\n');
	if (r->arguments->is_verbose && count == 1)
		printf("\t%s\n", info->explanation);
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

/* Ask until there is an answer; no input is "quit". */
static char ask(const char *question)
{
	char line[64];

	for (;;) {
		printf("\t%s? [y/n/a/q] ", question);
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 'q';
		line[0] |= 0x20; /* lower case */
		if (line[0] == 'y' || line[0] == 'n' || line[0] == 'a' || line[0] == 'q')
			return line[0];
	}
}

/* Ask the user. Problems that follow from others are one question. */
static int decide_by_person(struct report *r, const struct f2fs_problem_info *info)
{
	const int is_common = f2fs_problem_repair_kind(info) == F2FS_REPAIR_COMMON;
	int decision = F2FS_DECIDE_FIX;

	if (is_common && r->common >= 0)
		return r->common;
	switch (ask(is_common ? "repair all problems that follow from others" : info->fix)) {
	case 'a':
		r->is_asking = 0;
		break;
	case 'n':
		decision = F2FS_DECIDE_SKIP;
		break;
	case 'q':
		r->is_quit = 1;
		return F2FS_DECIDE_STOP;
	default:
		break;
	}
	if (is_common)
		r->common = decision;
	return decision;
}

static int decide(struct report *r, const struct f2fs_problem *problem, int is_ignored)
{
	if (!r->is_repairing || problem->action != F2FS_ACTION_FIXED)
		return F2FS_DECIDE_SKIP;
	if (!r->is_asking)
		return F2FS_DECIDE_FIX;
	return is_ignored ? F2FS_DECIDE_SKIP : decide_by_person(r, problem->info);
}

int report_problem(void *user, const struct f2fs_problem *problem)
{
	struct report *r = user;
	const struct f2fs_problem_info *info = problem->info;
	const unsigned place = place_of(info);
	int decision, is_text;

	if (cli_stopped())
		return F2FS_ERR_CANCELED;
	if (r->is_ignored[place]) {
		r->ignored += info->severity != F2FS_SEVERITY_NOTE;
		return decide(r, problem, 1);
	}
	r->counts[place]++;
	if (strcmp(info->name, "DEVICE_SHORT") == 0) {
		r->device_has = problem->found;
		r->device_needs = problem->expected;
	}
	r->has_hop |= strcmp(info->name, "RESIZE_HOP") == 0;
	is_text = !r->json && !r->is_silent && is_shown(r, r->counts[place]);
	if (is_text)
		print_text(r, problem, r->counts[place]);
	decision = decide(r, problem, 0);
	if (r->json && !r->is_silent)
		print_json(r->json, problem, decision == F2FS_DECIDE_FIX);
	else if (is_text && decision == F2FS_DECIDE_FIX)
		printf("[FIX] (%s: P%u)  --> %s\n", info->name, info->id, info->fix);
	return decision;
}

/* ---- the table of problems itself ---- */

static const char *const kinds[] = {
	[F2FS_REPAIR_NONE] = "none", [F2FS_REPAIR_COMMON] = "common", [F2FS_REPAIR_CHOICE] = "choice"
};

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
	cli_print_string(p, "repair", kinds[f2fs_problem_repair_kind(info)]);
	cli_print_end(p);
}

int report_list(struct cli *cli)
{
	const struct f2fs_problem_info *info;

	(void)cli;
	for (unsigned i = 0; (info = f2fs_problem_at(i)) != NULL; i++)
		printf("P%u %-18s %-9s %-7s %c %s\n", info->id, info->name, info->group,
		       f2fs_severity_name(info->severity),
		       f2fs_problem_repair_kind(info) == F2FS_REPAIR_COMMON ? '*' : ' ', info->message);
	return CLI_EXIT_OK;
}

/* For people. */
static void say_row(const struct f2fs_problem_info *info)
{
	static const char *const severities[] = {
		[F2FS_SEVERITY_NOTE] = "note: worth knowing, nothing is wrong",
		[F2FS_SEVERITY_STALE] = "stale: can be derived from the rest, user data is not touched",
		[F2FS_SEVERITY_DAMAGE] = "damage: a structure is wrong, user data may be affected",
		[F2FS_SEVERITY_LOSS] = "loss: user data, or the way to it, is lost",
	};
	static const char *const choices[] = {
		[F2FS_REPAIR_NONE] = "there is nothing to choose",
		[F2FS_REPAIR_COMMON] = "every repair that writes also fixes it",
		[F2FS_REPAIR_CHOICE] = "--only, --except and --ask can leave it as it is",
	};

	printf("%s (P%u, group %s)\n\n  %s\n\n", info->name, info->id, info->group, info->message);
	printf("Meaning:  %s\nSeverity: %s\nRepair:   %s\nChoice:   %s\n", info->explanation,
	       severities[info->severity], info->fix, choices[f2fs_problem_repair_kind(info)]);
}

static int say_rows(const struct f2fs_problem_info *info)
{
	if (info) {
		say_row(info);
		return CLI_EXIT_OK;
	}
	for (unsigned i = 0; (info = f2fs_problem_at(i)) != NULL; i++) {
		if (i)
			putchar('\n');
		say_row(info);
	}
	return CLI_EXIT_OK;
}

int report_explain(struct cli *cli, const char *id, int is_json)
{
	const struct f2fs_problem_info *info = f2fs_problem_find(id);
	struct cli_print *p;

	if (!info && strcmp(id, "all") != 0) {
		cli_error(cli, "'%s' is not a problem (see --problems)", id);
		return CLI_EXIT_USAGE;
	}
	if (!is_json)
		return say_rows(info);
	p = cli_print_open(stdout, CLI_JSON);
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
