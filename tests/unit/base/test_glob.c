/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Patterns: a table of cases, and all short patterns over all short texts against a plain recursive matcher. */
#include "base/glob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void matches_table(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool expected;
	} cases[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "a", "", false },
		{ "abc", "abc", true },
		{ "abc", "abd", false },
		{ "*.c", "main.c", true },
		{ "*.c", "src/main.c", false },
		{ "src/*.c", "src/main.c", true },
		{ "**.c", "src/main.c", true },
		{ "**/*.c", "main.c", true },
		{ "**/*.c", "a/b/main.c", true },
		{ "a/**/b", "a/b", true },
		{ "a/**/b", "a/x/y/b", true },
		{ "a/**/b", "a/xb", false },
		{ "a/**", "a/x/y", true },
		{ "a/**", "a", false },
		{ "?", "\xC3\xA4", true },
		{ "?", "\xFF", true },
		{ "??", "\xC3\xA4", false },
		{ "?", "/", false },
		{ "[a-c]", "b", true },
		{ "[!a-c]", "b", false },
		{ "[^a-c]", "d", true },
		{ "[!a]", "/", false },
		{ "[\xC3\xA0-\xC3\xB6]", "\xC3\xA4", true },
		{ "[]a]", "]", true },
		{ "[a-]", "-", true },
		{ "[\\]]", "]", true },
		{ "[abc", "[abc", true },
		{ "\\*", "*", true },
		{ "\\*", "a", false },
		{ "a\\", "a\\", true },
		{ "*a*b*c*", "xxaxxbxxcxx", true },
		{ "*a*b*c*", "xxaxxcxxbxx", false },
		{ "**a*b/c", "a/aab/ab/c", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (glob_match(cases[i].pattern, cases[i].text) != cases[i].expected) {
			print_error("pattern \"%s\", text \"%s\"\n", cases[i].pattern, cases[i].text);
			fail();
		}
	}
}

/* The definition, word by word. */
static bool plain_match(const char *start, const char *p, const char *t)
{
	if (!*p)
		return !*t;
	if (p[0] == '*' && p[1] == '*') {
		const char *rest = p + strspn(p, "*");

		if ((p == start || p[-1] == '/') && *rest == '/') {
			if (plain_match(start, rest + 1, t))
				return true;
			for (; *t; t++)
				if (*t == '/' && plain_match(start, rest + 1, t + 1))
					return true;
			return false;
		}
		for (;; t++) {
			if (plain_match(start, rest, t))
				return true;
			if (!*t)
				return false;
		}
	}
	if (*p == '*') {
		for (;; t++) {
			if (plain_match(start, p + 1, t))
				return true;
			if (!*t || *t == '/')
				return false;
		}
	}
	if (!*t)
		return false;
	return (*p == '?' ? *t != '/' : *p == *t) && plain_match(start, p + 1, t + 1);
}

/* Write the n-th string of exactly length letters. */
static void spell(char *out, unsigned length, unsigned n, const char *letters)
{
	unsigned count = (unsigned)strlen(letters);

	for (unsigned i = 0; i < length; i++, n /= count)
		out[i] = letters[n % count];
	out[length] = 0;
}

static unsigned power(unsigned base, unsigned exponent)
{
	unsigned p = 1;

	while (exponent--)
		p *= base;
	return p;
}

static void agrees_with_definition(void **state)
{
	char pattern[8], text[8];

	(void)state;
	for (unsigned pl = 0; pl <= 6; pl++)
		for (unsigned pn = 0; pn < power(4, pl); pn++) {
			spell(pattern, pl, pn, "a*/?");
			for (unsigned tl = 0; tl <= 5; tl++)
				for (unsigned tn = 0; tn < power(3, tl); tn++) {
					spell(text, tl, tn, "ab/");
					if (glob_match(pattern, text) != plain_match(pattern, pattern, text)) {
						print_error("pattern \"%s\", text \"%s\"\n", pattern, text);
						fail();
					}
				}
		}
}

static void matches_paths(void **state)
{
	static const struct {
		const char *pattern, *path;
		bool is_match;
	} rows[] = {
		{ "b", "b", true },      { "b", "a/b", true },    { "b", "b/a", false },
		{ "/b", "b", true },     { "/b", "a/b", false },  { "a/b", "a/b", true },
		{ "a/b", "c/a/b", false }, { "/a/b", "a/b", true }, { "*", "a/b", true },
		{ "**" "/b", "a/c/b", true }, { "a", "", false },  { "a*", "b/ac", true },
	};
	const char *const both[] = { "x", "b" };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (glob_match_any(&rows[i].pattern, 1, rows[i].path) != rows[i].is_match)
			fail_msg("pattern \"%s\", path \"%s\"", rows[i].pattern, rows[i].path);
	assert_true(glob_match_any(both, 2, "a/b"));
	assert_false(glob_match_any(both, 1, "a/b"));
	assert_false(glob_match_any(both, 0, "a/b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(matches_table), cmocka_unit_test(matches_paths),
					    cmocka_unit_test(agrees_with_definition) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
