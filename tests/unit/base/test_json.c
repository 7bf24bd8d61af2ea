/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON: texts as sequences of tokens, decoded strings, errors in texts. */
#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The tokens of a text, a character each; values in brackets after them. */
static void describe(const char *text, char *out, size_t room)
{
	static const char letters[] = "EB{[)ksn10z";
	char copy[256];
	struct json j;
	enum json_type type;
	size_t n = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	json_init(&j, copy, strlen(copy));
	do {
		type = json_next(&j);
		n += (size_t)snprintf(out + n, room - n, "%c", letters[type]);
		if (type == JSON_KEY || type == JSON_STRING || type == JSON_NUMBER)
			n += (size_t)snprintf(out + n, room - n, "<%.*s>", (int)j.length, j.text);
	} while (type != JSON_END && type != JSON_BAD);
	if (type == JSON_BAD) {
		assert_non_null(j.why);
		assert_int_equal(json_next(&j), JSON_BAD);
	}
}

static void texts_become_tokens(void **state)
{
	static const char *const cases[][2] = {
		{ "{}", "{)E" },
		{ " [ ] ", "[)E" },
		{ "{\"a\":1,\"b\":[true,false,null,-1.5e+3]}", "{k<a>n<1>k<b>[10zn<-1.5e+3>))E" },
		{ "\"x\"", "s<x>E" },
		{ "[{\"a\":{}},[]]", "[{k<a>{))[))E" },
		{ "\"\\\"\\\\\\/\\u0041\\u00e9\\ud83d\\ude00\"", "s<\"\\/A\xC3\xA9\xF0\x9F\x98\x80>E" },
		{ "\"\\b\\f\\n\\r\\t\"", "s<\b\f\n\r\t>E" },
		{ "", "B" },
		{ "{", "{B" },
		{ "{\"a\"}", "{B" },
		{ "{\"a\":}", "{k<a>B" },
		{ "{\"a\":1,}", "{k<a>n<1>B" },
		{ "{1:2}", "{B" },
		{ "[1 2]", "[n<1>B" },
		{ "[1,]", "[n<1>B" },
		{ "[,1]", "[B" },
		{ "[}", "[B" },
		{ "{]", "{B" },
		{ "1 1", "n<1>B" },
		{ "01", "B" },
		{ "1.", "B" },
		{ "1e", "B" },
		{ "-", "B" },
		{ "tru", "B" },
		{ "\"\\x\"", "B" },
		{ "\"\\ud800\"", "B" },
		{ "\"\\udc00\"", "B" },
		{ "\"\\u12\"", "B" },
		{ "\"\n\"", "B" },
		{ "\"open", "B" },
		{ "\"open\\", "B" },
	};
	char out[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		describe(cases[i][0], out, sizeof(out));
		assert_string_equal(out, cases[i][1]);
	}
}

static void depth_has_a_limit(void **state)
{
	char text[JSON_MAX_DEPTH + 1];
	struct json j;

	(void)state;
	memset(text, '[', sizeof(text));
	json_init(&j, text, sizeof(text));
	for (unsigned i = 0; i < JSON_MAX_DEPTH; i++)
		assert_int_equal(json_next(&j), JSON_ARRAY);
	assert_int_equal(json_next(&j), JSON_BAD);
}

static void values_are_skipped(void **state)
{
	char text[] = "{\"a\": [1, {\"b\": [[]]}], \"c\": 2}", open[] = "[[1]";
	struct json j;

	(void)state;
	json_init(&j, text, strlen(text));
	assert_int_equal(json_next(&j), JSON_OBJECT);
	assert_int_equal(json_next(&j), JSON_KEY);
	assert_true(json_skip(&j, json_next(&j)));
	assert_int_equal(json_next(&j), JSON_KEY);
	assert_true(json_skip(&j, json_next(&j)));
	assert_int_equal(json_next(&j), JSON_CLOSE);
	assert_int_equal(json_next(&j), JSON_END);
	json_init(&j, open, strlen(open));
	assert_false(json_skip(&j, json_next(&j)));
}

static void integers_have_a_range(void **state)
{
	static const struct {
		const char *text;
		bool is_good;
		int64_t value;
	} cases[] = {
		{ "0", true, 0 },
		{ "-5", true, -5 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "9223372036854775808", false, 0 },
		{ "1.5", false, 0 },
		{ "1e3", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[32];
		int64_t value;
		struct json j;

		snprintf(text, sizeof(text), "%s", cases[i].text);
		json_init(&j, text, strlen(text));
		assert_int_equal(json_next(&j), JSON_NUMBER);
		assert_int_equal(json_integer(&j, INT64_MIN, INT64_MAX, &value), cases[i].is_good);
		if (cases[i].is_good)
			assert_int_equal(value, cases[i].value);
		if (cases[i].is_good && cases[i].value > 0)
			assert_false(json_integer(&j, 0, cases[i].value - 1, &value));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_become_tokens),
		cmocka_unit_test(depth_has_a_limit),
		cmocka_unit_test(values_are_skipped),
		cmocka_unit_test(integers_have_a_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
