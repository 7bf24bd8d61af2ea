/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regular expressions of Windows programs: matches worked out by hand, faults, and patterns beside the C library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expressions_of_host.h"
#include "host/windows/regex.h"

#define PATTERNS 4000u
#define TEXTS	 12u

/* As host_expression_matches(). */
static int matches(const char *pattern, const char *text)
{
	regex_t regex;
	int rc;

	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return -1;
	rc = regexec(&regex, text, 0, NULL, 0);
	assert_int_equal(regexec(&regex, text, 0, NULL, 0), rc); /* again, on what the first call left */
	regfree(&regex);
	return rc == 0;
}

static void labels_of_paths(void **state)
{
	static const struct {
		const char *pattern, *text;
		int expected;
	} rows[] = {
		{ "^/system(/.*)?$", "/system", 1 },
		{ "^/system(/.*)?$", "/system/", 1 },
		{ "^/system(/.*)?$", "/system/bin/sh", 1 },
		{ "^/system(/.*)?$", "/systemx", 0 },
		{ "^/dev/block/mmcblk[0-9]+p[[:digit:]]{1,2}$", "/dev/block/mmcblk0p12", 1 },
		{ "^/dev/block/mmcblk[0-9]+p[[:digit:]]{1,2}$", "/dev/block/mmcblk0p123", 0 },
		{ "^/data/(app|misc/[^/]+)/lib\\.so$", "/data/misc/x/lib.so", 1 },
		{ "^/data/(app|misc/[^/]+)/lib\\.so$", "/data/misc/x/y/lib.so", 0 },
		{ "^/data/(app|misc/[^/]+)/lib\\.so$", "/data/app/libxso", 0 },
		{ "^a{3}$", "aaa", 1 },
		{ "^a{3}$", "aa", 0 },
		{ "^(ab){2,}$", "abababab", 1 },
		{ "^(ab){2,}$", "ab", 0 },
		{ "^(|x)y$", "y", 1 },
		{ "^(a*)*b$", "aaab", 1 },
		{ "^[]x]$", "]", 1 },
		{ "^[^]x]$", "]", 0 },
		{ "^[a-]$", "-", 1 },
		{ "^\\.\\*\\\\$", ".*\\", 1 },
		{ "^\xc3.$", "\xc3\xa9", 1 },
		{ "b", "abc", 1 },
		{ "", "", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (matches(rows[i].pattern, rows[i].text) != rows[i].expected)
			fail_msg("%s on %s", rows[i].pattern, rows[i].text);
}

static void faults_have_a_sentence(void **state)
{
	static const struct {
		const char *pattern;
		int rc;
	} rows[] = {
		{ "(a", REG_EPAREN },	{ "[a", REG_EBRACK },	   { "a{1", REG_EBRACE },     { "a{x}", REG_BADBR },
		{ "a{2,1}", REG_BADBR }, { "[b-a]", REG_ERANGE },   { "[[:ab:]]", REG_ECTYPE }, { "a\\", REG_EESCAPE },
		{ "*a", REG_BADRPT },	{ "^*a", REG_BADRPT },	   { "\\w", REG_BADPAT },     { "(a)\\1", REG_BADPAT },
		{ "[[.a.]]", REG_BADPAT }, { "a{1000}{1000}", REG_ESPACE }, { "a{1001}", REG_ESPACE },
	};
	char nested[300], why[100];
	regex_t regex;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const int rc = regcomp(&regex, rows[i].pattern, REG_EXTENDED | REG_NOSUB);

		if (rc != rows[i].rc)
			fail_msg("%s: %d", rows[i].pattern, rc);
		assert_true(regerror(rc, &regex, why, sizeof(why)) > 5);
	}
	memset(nested, '(', 150);
	memset(nested + 150, ')', 149);
	nested[299] = '\0';
	assert_int_equal(regcomp(&regex, nested, REG_EXTENDED | REG_NOSUB), REG_ESPACE);
}

/* ---- beside the C library, where it is a judge */

#ifdef HAVE_JUDGE

struct maker {
	uint64_t state;
	char text[200];
	size_t length;
};

static unsigned roll(struct maker *m, unsigned n)
{
	m->state = m->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(m->state >> 33) % n;
}

static void add(struct maker *m, const char *text)
{
	strcpy(m->text + m->length, text);
	m->length += strlen(text);
}

/* A pattern of parts that every C library reads alike. */
static void add_pattern(struct maker *m, unsigned depth)
{
	static const char *const atoms[] = { "a", "b", "c", ".", "[ab]", "[^a]", "[b-c]", "\\.", "[[:alpha:]]" };
	static const char *const repeats[] = { "*", "+", "?", "{2}", "{0,2}", "{1,}", "{1,3}" };
	const unsigned parts = 1 + roll(m, 3);

	for (unsigned i = 0; i < parts && m->length < 100; i++) {
		if (depth > 0 && roll(m, 3) == 0) {
			add(m, "(");
			add_pattern(m, depth - 1);
			add(m, ")");
		} else {
			add(m, atoms[roll(m, 9)]);
		}
		if (roll(m, 2) == 0)
			add(m, repeats[roll(m, 7)]);
		if (i + 1 < parts && roll(m, 4) == 0)
			add(m, "|");
	}
}

static void the_c_library_says_the_same(void **state)
{
	unsigned found[2] = { 0 };

	(void)state;
	for (unsigned n = 0; n < PATTERNS; n++) {
		struct maker pattern = { .state = n };

		add(&pattern, n % 4 ? "^" : "");
		add_pattern(&pattern, 3);
		add(&pattern, n % 4 ? "$" : "");
		for (unsigned i = 0; i < TEXTS; i++) {
			struct maker text = { .state = (uint64_t)n * TEXTS + i };
			int expected;

			for (unsigned left = roll(&text, 8); left > 0; left--)
				add(&text, (const char *const[]){ "a", "b", "c", "." }[roll(&text, 4)]);
			expected = host_expression_matches(pattern.text, text.text);
			if (expected < 0 || matches(pattern.text, text.text) != expected)
				fail_msg("%s on %s: %d", pattern.text, text.text, expected);
			found[expected]++;
		}
	}
	assert_true(found[0] > 1000 && found[1] > 1000);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_of_paths),
		cmocka_unit_test(faults_have_a_sentence),
#ifdef HAVE_JUDGE
		cmocka_unit_test(the_c_library_says_the_same),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
