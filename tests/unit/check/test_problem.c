/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of problems is in order, and every template can be filled in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "facts/problem.h"

static void numbers_and_names_are_unique(void **state)
{
	const struct f2fs_problem_info *row, *last = NULL;

	(void)state;
	for (unsigned i = 0; (row = f2fs_problem_at(i)) != NULL; i++, last = row) {
		assert_true(!last || row->id > last->id);
		assert_ptr_equal(f2fs_problem_find(row->name), row);
		assert_true(row->severity >= F2FS_SEVERITY_NOTE && row->severity <= F2FS_SEVERITY_LOSS);
		assert_true(row->message[0] && row->fix[0] && row->explanation[0]);
	}
	assert_non_null(last);
}

/* A group is one pass, and its numbers are contiguous. */
static void groups_lie_together(void **state)
{
	const struct f2fs_problem_info *row, *last = NULL;

	(void)state;
	for (unsigned i = 0; (row = f2fs_problem_at(i)) != NULL; i++, last = row)
		if (last)
			assert_int_equal(row->id / 100 == last->id / 100, strcmp(row->group, last->group) == 0);
}

static void templates_can_be_filled_in(void **state)
{
	struct finding finding = { .text = "word" };
	char buffer[600];
	struct text text;

	(void)state;
	for (unsigned i = 0; f2fs_problem_at(i); i++) {
		finding.problem = (uint16_t)f2fs_problem_at(i)->id;
		text_init(&text, buffer, sizeof(buffer));
		problem_render(&finding, "name", &text);
		assert_true(text.len > 0 && !text.truncated);
		assert_null(strchr(buffer, '{'));
		assert_null(strstr(buffer, "  ")); /* an unknown word leaves a hole */
		assert_null(strstr(buffer, " ,"));
		assert_true(buffer[0] != ' ' && buffer[text.len - 1] != ' ');
	}
}

static void problems_are_found_by_number(void **state)
{
	(void)state;
	assert_string_equal(f2fs_problem_find("604")->name, "LINKS_FILE");
	assert_string_equal(f2fs_problem_find("P604")->name, "LINKS_FILE");
	assert_null(f2fs_problem_find("0"));
	assert_null(f2fs_problem_find("604x"));
	assert_null(f2fs_problem_find(""));
	assert_null(f2fs_problem_find("99999999999999999999"));
	assert_string_equal(f2fs_severity_name(F2FS_SEVERITY_LOSS), "loss");
	assert_string_equal(f2fs_severity_name(7), "?");
}

static void rules_lead_to_problems(void **state)
{
	(void)state;
	assert_int_equal(problem_of_rule(RULE_INODE_MODE), P_INODE_MODE);
	assert_int_equal(problem_of_rule(RULE_SB_MAGIC), P_NONE); /* the copy is reported, with the rule */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_and_names_are_unique), cmocka_unit_test(groups_lie_together),
		cmocka_unit_test(templates_can_be_filled_in),	cmocka_unit_test(problems_are_found_by_number),
		cmocka_unit_test(rules_lead_to_problems),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
