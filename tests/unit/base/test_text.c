/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bounded builder at every size of the buffer, and what untrusted bytes look like. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "base/utf8.h"

static void test_build(void **state)
{
	char buf[64];
	struct text t;

	(void)state;
	text_init(&t, buf, sizeof(buf));
	assert_string_equal(buf, "");
	text_printf(&t, "%s", "");
	text_add_bytes(&t, "x", 0);
	assert_false(t.truncated);
	text_add(&t, "nid ");
	text_printf(&t, "%u", 42u);
	text_add_bytes(&t, " ok?", 3);
	assert_string_equal(buf, "nid 42 ok");
	assert_int_equal(t.len, strlen(buf));
	assert_false(t.truncated);
}

/* Check the string in a guarded buffer of @cap bytes that was asked to hold @full. */
static void check_result(const struct text *t, size_t cap, const char *full)
{
	size_t want = strlen(full);

	assert_int_equal(t->len, strlen(t->buf));
	assert_true(t->len < cap);
	assert_int_equal((unsigned char)t->buf[cap], 0xA5);
	assert_int_equal(t->truncated, want >= cap);
	assert_true(utf8_is_valid((const uint8_t *)t->buf, t->len));
	if (!t->truncated) {
		assert_string_equal(t->buf, full);
	} else if (cap > 3) {
		assert_string_equal(t->buf + t->len - 3, "...");
		assert_memory_equal(t->buf, full, t->len - 3);
		/* no more is lost than a whole character */
		assert_true(t->len + 4 > cap - 1);
	} else {
		assert_memory_equal(t->buf, full, t->len);
	}
}

static void test_every_size(void **state)
{
	static const char *const pieces[] = {
		"ab", "\xC3\xA9\xC3\xA9", "\xE2\x82\xAC", "c", "\xF0\x9F\x98\x80\xF0\x9F\x98\x80", "d", "tail"
	};
	char full[64] = "";

	(void)state;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++)
		strcat(full, pieces[i]);
	for (size_t cap = 1; cap < sizeof(full); cap++) {
		for (int by_printf = 0; by_printf < 2; by_printf++) {
			char buf[80];
			struct text t;

			memset(buf, 0xA5, sizeof(buf));
			text_init(&t, buf, cap);
			for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
				if (by_printf)
					text_printf(&t, "%s", pieces[i]);
				else
					text_add(&t, pieces[i]);
			}
			check_result(&t, cap, full);
		}
	}
}

static void test_nothing_after_truncation(void **state)
{
	char buf[8];
	struct text t;

	(void)state;
	text_init(&t, buf, sizeof(buf));
	text_add(&t, "0123456789");
	assert_string_equal(buf, "0123...");
	text_add(&t, "x");
	text_printf(&t, "%d", 1);
	text_add_printable(&t, "y", 1);
	assert_string_equal(buf, "0123...");
}

static void check_printable(const char *bytes, size_t n, const char *shown)
{
	char buf[128];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_add_printable(&t, bytes, n);
	assert_string_equal(buf, shown);
	assert_true(t.len <= TEXT_PRINTABLE_SIZE(n));
}

static void test_printable(void **state)
{
	(void)state;
	check_printable("plain", 5, "plain");
	check_printable("", 0, "");
	check_printable("a\0b", 3, "a\\x00b");
	check_printable("\n\t\x1b[31m\x7f", 8, "\\x0a\\x09\\x1b[31m\\x7f");
	check_printable("C:\\x41", 6, "C:\\\\x41");
	check_printable("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 9, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
	check_printable("\xC3(\xFF", 3, "\\xc3(\\xff");
	check_printable("\xC2\x9B", 2, "\\xc2\\x9b");	       /* C1 control */
	check_printable("\xE2\x80\xAE", 3, "\\xe2\\x80\\xae"); /* right-to-left override */
	check_printable("\xEF\xBF\xBF", 3, "\\xef\\xbf\\xbf"); /* noncharacter */
	check_printable("\xE2\x80\x8D", 3, "\xE2\x80\x8D");    /* zero width joiner */
	check_printable("\xED\xA0\x80", 3, "\\xed\\xa0\\x80"); /* surrogate */
}

/* Turn printable text back: the promise of "without doubt". */
static size_t unescape(const char *s, uint8_t *out)
{
	size_t n = 0;

	while (*s) {
		unsigned int byte;

		if (*s != '\\') {
			out[n++] = (uint8_t)*s++;
		} else if (s[1] == '\\') {
			out[n++] = '\\';
			s += 2;
		} else {
			assert_int_equal(sscanf(s, "\\x%2x", &byte), 1);
			out[n++] = (uint8_t)byte;
			s += 4;
		}
	}
	return n;
}

static void test_printable_reversible(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		uint8_t bytes[40], back[40];
		char buf[TEXT_PRINTABLE_SIZE(40) + 1];
		struct text t;

		for (size_t i = 0; i < sizeof(bytes); i++) {
			seed = seed * 1103515245u + 12345u;
			bytes[i] = (uint8_t)(seed >> 16);
		}
		text_init(&t, buf, sizeof(buf));
		text_add_printable(&t, bytes, sizeof(bytes));
		assert_false(t.truncated);
		assert_int_equal(unescape(buf, back), sizeof(bytes));
		assert_memory_equal(back, bytes, sizeof(bytes));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_build),
		cmocka_unit_test(test_every_size),
		cmocka_unit_test(test_nothing_after_truncation),
		cmocka_unit_test(test_printable),
		cmocka_unit_test(test_printable_reversible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
