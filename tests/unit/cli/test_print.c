/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The same record as text, as JSON, and as a stream.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cli/print.h"

static char text[4096];

static struct cli_print *start(enum cli_format format, FILE **f)
{
	struct cli_print *p;

	*f = tmpfile();
	assert_non_null(*f);
	p = cli_print_open(*f, format);
	assert_non_null(p);
	return p;
}

static const char *finish(struct cli_print *p, FILE *f)
{
	size_t n;

	assert_int_equal(cli_print_close(p), 0);
	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void put_record(struct cli_print *p)
{
	cli_print_begin(p, NULL);
	cli_print_u64(p, "size", UINT64_MAX);
	cli_print_s64(p, "delta", -1);
	cli_print_hex(p, "flags", 0x1f);
	cli_print_fixed(p, "ratio", 1.25, 2);
	cli_print_bool(p, "clean", 1);
	cli_print_string(p, "label", "a \"b\"");
	cli_print_null(p, "none");
	cli_print_bytes(p, "name", "x\xff\n", 3);
	cli_print_bytes(p, "plain", "\xc3\xa9\\", 3);
	cli_print_uuid(p, "uuid", (const uint8_t *)"0123456789abcdef");
	cli_print_begin_array(p, "areas");
	cli_print_u64(p, NULL, 7);
	cli_print_begin(p, NULL);
	cli_print_u64(p, "start", 1);
	cli_print_begin(p, "sub");
	cli_print_u64(p, "deep", 2);
	cli_print_end(p);
	cli_print_end(p);
	cli_print_end_array(p);
	cli_print_u64(p, "last", 9);
	cli_print_end(p);
}

static void test_text(void **state)
{
	FILE *f;
	struct cli_print *p = start(CLI_TEXT, &f);

	(void)state;
	put_record(p);
	assert_string_equal(finish(p, f), "size = 18446744073709551615\n"
					  "delta = -1\n"
					  "flags = 0x1f\n"
					  "ratio = 1.25\n"
					  "clean = yes\n"
					  "label = a \"b\"\n"
					  "none = -\n"
					  "name = x\\xff\\x0a\n"
					  "plain = \xc3\xa9\\\\\n"
					  "uuid = 30313233-3435-3637-3839-616263646566\n"
					  "areas[0] = 7\n"
					  "areas[1].start = 1\n"
					  "areas[1].sub.deep = 2\n"
					  "last = 9\n");
}

static const char one_line[] =
	"{\"size\":18446744073709551615,\"delta\":-1,\"flags\":31,\"ratio\":1.25,\"clean\":true,"
	"\"label\":\"a \\\"b\\\"\",\"none\":null,\"name\":\"x\\\\xff\\\\x0a\",\"name_hex\":\"78ff0a\","
	"\"plain\":\"\xc3\xa9\\\\\",\"uuid\":\"30313233-3435-3637-3839-616263646566\","
	"\"areas\":[7,{\"start\":1,\"sub\":{\"deep\":2}}],\"last\":9}\n";

static void test_ndjson(void **state)
{
	FILE *f;
	struct cli_print *p = start(CLI_NDJSON, &f);

	(void)state;
	cli_print_stream(p);
	put_record(p);
	assert_string_equal(finish(p, f), one_line);
}

static void put_small(struct cli_print *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		cli_print_begin(p, NULL);
		cli_print_u64(p, "i", i);
		cli_print_end(p);
	}
}

static void test_stream(void **state)
{
	static const struct {
		enum cli_format format;
		unsigned n;
		const char *text;
	} rows[] = {
		{ CLI_JSON, 0, "[]\n" },
		{ CLI_JSON, 1, "[\n{\"i\":0}\n]\n" },
		{ CLI_JSON, 3, "[\n{\"i\":0},\n{\"i\":1},\n{\"i\":2}\n]\n" },
		{ CLI_NDJSON, 0, "" },
		{ CLI_NDJSON, 2, "{\"i\":0}\n{\"i\":1}\n" },
		{ CLI_TEXT, 2, "i = 0\n\ni = 1\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		FILE *f;
		struct cli_print *p = start(rows[i].format, &f);

		cli_print_stream(p);
		put_small(p, rows[i].n);
		assert_string_equal(finish(p, f), rows[i].text);
	}
}

static void test_pretty(void **state)
{
	FILE *f;
	struct cli_print *p = start(CLI_JSON, &f);

	(void)state;
	put_small(p, 1);
	assert_string_equal(finish(p, f), "{\n  \"i\": 0\n}\n");
}

static const struct cli_column columns[] = { { "i", 3 }, { "name", -4 } };

static void put_table(struct cli_print *p, unsigned n)
{
	cli_print_begin(p, NULL);
	cli_print_begin_table(p, "rows", columns, 2);
	for (unsigned i = 0; i < n; i++) {
		cli_print_begin(p, NULL);
		cli_print_u64(p, "i", i);
		cli_print_begin_array(p, "list");
		cli_print_u64(p, NULL, 5);
		cli_print_end_array(p);
		cli_print_string(p, "name", "a");
		cli_print_bool(p, "more", 0);
		cli_print_end(p);
	}
	cli_print_end_array(p);
	cli_print_begin_array(p, "list");
	cli_print_u64(p, NULL, 1);
	cli_print_u64(p, NULL, 2);
	cli_print_end_array(p);
	cli_print_end(p);
}

static void test_table(void **state)
{
	FILE *f;
	struct cli_print *p = start(CLI_TEXT, &f);

	(void)state;
	put_table(p, 2);
	assert_string_equal(finish(p, f), "  i  name\n"
					  "  0  a\n"
					  "  1  a\n"
					  "list[0] = 1\n"
					  "list[1] = 2\n");
	p = start(CLI_JSON, &f);
	put_table(p, 2);
	assert_string_equal(finish(p, f), "{\n"
					  "  \"rows\": [\n"
					  "    {\"i\":0,\"list\":[5],\"name\":\"a\",\"more\":false},\n"
					  "    {\"i\":1,\"list\":[5],\"name\":\"a\",\"more\":false}\n"
					  "  ],\n"
					  "  \"list\": [1, 2]\n"
					  "}\n");
	p = start(CLI_JSON, &f);
	put_table(p, 0);
	assert_string_equal(finish(p, f), "{\n  \"rows\": [],\n  \"list\": [1, 2]\n}\n");
}

static void test_element(void **state)
{
	FILE *f;
	struct cli_print *p = start(CLI_JSON, &f);

	(void)state;
	cli_print_begin(p, NULL);
	cli_print_begin_array(p, "list");
	for (int i = 0; i < 2; i++) {
		cli_print_begin_element(p);
		cli_print_u64(p, "i", (uint64_t)i);
		cli_print_end(p);
	}
	cli_print_end_array(p);
	cli_print_end(p);
	assert_string_equal(finish(p, f), "{\n  \"list\": [\n    {\n      \"i\": 0\n    },\n    {\n      \"i\": 1\n"
					  "    }\n  ]\n}\n");
}

static void test_flags_and_times(void **state)
{
	static const struct f2fs_flag flags[] = { { "one", 1, "" }, { "four", 4, "" } };
	FILE *f;
	struct cli_print *p = start(CLI_TEXT, &f);

	(void)state;
	cli_print_flags(p, "flags", 0x15, flags, 2);
	cli_print_flags(p, "none", 0, flags, 2);
	cli_print_octal(p, "mode", 0100644);
	cli_print_time(p, "then", 86400);
	cli_print_time(p, "odd", INT64_MAX);
	assert_string_equal(finish(p, f), "flags = 0x15 (one four 0x10)\n"
					  "none = 0x0\n"
					  "mode = 0100644\n"
					  "then = 86400 (1970-01-02 00:00:00 UTC)\n"
					  "odd = 9223372036854775807\n");
	p = start(CLI_NDJSON, &f);
	cli_print_begin(p, NULL);
	cli_print_flags(p, "flags", 0x15, flags, 2);
	cli_print_time(p, "then", -1);
	cli_print_string(p, "text", "a\n\x01");
	cli_print_end(p);
	assert_string_equal(finish(p, f), "{\"flags\":21,\"flags_names\":[\"one\",\"four\",\"0x10\"],\"then\":-1,"
					  "\"text\":\"a\\u000a\\u0001\"}\n");
}

/* Too deep a nesting and a full disk are reported at the end. */
static void test_failures(void **state)
{
	struct cli_print *p = cli_print_open(stdout, CLI_JSON);
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	for (int i = 0; i < 9; i++)
		cli_print_begin(p, "x");
	assert_int_equal(cli_print_close(p), -1);
	if (!full)
		skip();
	p = cli_print_open(full, CLI_TEXT);
	put_record(p);
	assert_int_equal(cli_print_close(p), -1);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),   cmocka_unit_test(test_ndjson),	cmocka_unit_test(test_stream),
		cmocka_unit_test(test_table),  cmocka_unit_test(test_element),	cmocka_unit_test(test_flags_and_times),
		cmocka_unit_test(test_pretty), cmocka_unit_test(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
