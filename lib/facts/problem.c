/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of problems at run time: look up rows, and make the sentence of a finding from its template.
 */
#include "facts/problem.h"

#include <stdlib.h>
#include <string.h>

static const struct f2fs_problem_info rows[] = {
#define PROBLEM(id, name, severity, repair, group, message, fix, explanation)                                          \
	{ id, F2FS_SEVERITY_##severity, #name, group, message, fix, explanation },
#include "facts/problems.def"
#undef PROBLEM
};
enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

static const struct {
	enum rule rule;
	enum problem problem;
} rule_problems[] = {
#define RULE_PROBLEM(rule, problem) { RULE_##rule, P_##problem },
#include "facts/rule_problems.def"
#undef RULE_PROBLEM
};

#define PROBLEM(id, name, severity, repair, group, message, fix, explanation)                                          \
	_Static_assert((id) < PROBLEM_LIMIT, "numbers have three digits");
#include "facts/problems.def"
#undef PROBLEM

/* Repairs of the rows. */
static const enum f2fs_repair_kind kinds[ROW_COUNT] = {
#define PROBLEM(id, name, severity, repair, group, message, fix, explanation) F2FS_REPAIR_##repair,
#include "facts/problems.def"
#undef PROBLEM
};

const struct f2fs_problem_info *f2fs_problem_at(unsigned index)
{
	return index < ROW_COUNT ? &rows[index] : NULL;
}

const struct f2fs_problem_info *problem_row(enum problem problem)
{
	for (unsigned i = 0; i < ROW_COUNT; i++)
		if (rows[i].id == problem)
			return &rows[i];
	return NULL;
}

const struct f2fs_problem_info *f2fs_problem_find(const char *id_or_name)
{
	const char *digits = id_or_name[0] == 'P' || id_or_name[0] == 'p' ? id_or_name + 1 : id_or_name;
	char *end;
	unsigned long id = strtoul(digits, &end, 10);

	if (digits[0] >= '0' && digits[0] <= '9' && *end == '\0')
		return id < 10000 ? problem_row((enum problem)id) : NULL;
	for (unsigned i = 0; i < ROW_COUNT; i++)
		if (strcmp(rows[i].name, id_or_name) == 0)
			return &rows[i];
	return NULL;
}

int f2fs_problem_matches(const struct f2fs_problem_info *info, const char *word)
{
	return f2fs_problem_find(word) == info || strcmp(info->group, word) == 0;
}

enum f2fs_repair_kind problem_kind(enum problem problem)
{
	return kinds[problem_row(problem) - rows];
}

int f2fs_problem_repair_kind(const struct f2fs_problem_info *info)
{
	return (int)problem_kind((enum problem)info->id);
}

const char *f2fs_severity_name(int severity)
{
	static const char *const names[] = { "note", "stale", "damage", "loss" };

	return severity >= F2FS_SEVERITY_NOTE && severity <= F2FS_SEVERITY_LOSS ? names[severity] : "?";
}

enum problem problem_of_rule(enum rule rule)
{
	for (size_t i = 0; i < sizeof(rule_problems) / sizeof(rule_problems[0]); i++)
		if (rule_problems[i].rule == rule)
			return rule_problems[i].problem;
	return P_NONE;
}

bool problem_is_of_inode(enum problem problem)
{
	for (size_t i = 0; i < sizeof(rule_problems) / sizeof(rule_problems[0]); i++)
		if (rule_problems[i].problem == problem && rule_problems[i].rule >= RULE_INODE_CHECKSUM &&
		    rule_problems[i].rule <= RULE_INODE_MODE)
			return true;
	return problem == P_DIR_DEPTH_RANGE;
}

static bool is_word(const char *word, size_t n, const char *what)
{
	return strlen(what) == n && memcmp(word, what, n) == 0;
}

/* Add the broken rule. The finding's own text, if any, is better. */
static void add_rule(struct text *out, const struct finding *f)
{
	if (f->text) {
		text_add(out, f->text);
	} else if (f->rule) {
		text_add(out, "broken rule: ");
		text_add(out, rule_row((enum rule)f->rule)->text);
	} else {
		text_add(out, "it cannot be read");
	}
}

/* Name the witnesses that were believed. */
static void add_witnesses(struct text *out, unsigned witnesses)
{
	static const char *const names[] = {
		"the NAT", "the footer", "the pointer", "the summary", "the SIT", "the free place", "i_blocks",
		"the checksum", "its nodes", "the places of names", "the size of the volume", "its contents",
		"i_compr_blocks", "the hash", "i_name", "i_links"
	};
	bool is_first = true;

	if (witnesses == 0)
		text_add(out, "all others");
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!(witnesses >> i & 1))
			continue;
		if (!is_first)
			text_add(out, witnesses >> i == 1 ? " and " : ", ");
		text_add(out, names[i]);
		is_first = false;
	}
}

/* Add the value of a word between braces. */
static void add_word(const struct finding *f, const char *word, size_t n, const char *name, struct text *out)
{
	if (is_word(word, n, "nid"))
		text_printf(out, "%u", (unsigned)f->nid);
	else if (is_word(word, n, "ino"))
		text_printf(out, "%u", (unsigned)f->ino);
	else if (is_word(word, n, "block"))
		text_printf(out, "%u", (unsigned)f->block);
	else if (is_word(word, n, "segno"))
		text_printf(out, "%u", (unsigned)f->segno);
	else if (is_word(word, n, "slot"))
		text_printf(out, "%u", (unsigned)f->slot);
	else if (is_word(word, n, "found"))
		text_printf(out, "%llu", (unsigned long long)f->found);
	else if (is_word(word, n, "expected"))
		text_printf(out, "%llu", (unsigned long long)f->expected);
	else if (is_word(word, n, "found_mode"))
		text_printf(out, "%#o", (unsigned)f->found);
	else if (is_word(word, n, "expected_mode"))
		text_printf(out, "%#o", (unsigned)f->expected);
	else if (is_word(word, n, "name"))
		text_add(out, name);
	else if (is_word(word, n, "rule"))
		add_rule(out, f);
	else if (is_word(word, n, "witnesses"))
		add_witnesses(out, f->witnesses);
}

void problem_render(const struct finding *finding, const char *name, struct text *out)
{
	const char *at = problem_row((enum problem)finding->problem)->message;

	while (*at) {
		const char *open = strchr(at, '{'), *close = open ? strchr(open, '}') : NULL;

		if (!close) {
			text_add(out, at);
			return;
		}
		text_add_bytes(out, at, (size_t)(open - at));
		add_word(finding, open + 1, (size_t)(close - open - 1), name, out);
		at = close + 1;
	}
}
