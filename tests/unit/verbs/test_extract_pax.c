/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pax records and ustar headers: lengths that count themselves, times on both sides of 1970, what needs a record. */
#include "sink/pax.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct f2fs_context *ctx;

static int make_context(void **state)
{
	(void)state;
	return f2fs_context_open(NULL, &ctx);
}

static int free_context(void **state)
{
	(void)state;
	f2fs_context_close(ctx);
	return 0;
}

static void assert_records(const struct vec *records, const char *expected)
{
	assert_int_equal(records->count, strlen(expected));
	assert_memory_equal(records->items, expected, records->count);
}

/* Each record's length, in front of it, is its own: for every size around the changes of digits. */
static void records_count_themselves(void **state)
{
	char value[1100];
	struct vec records;

	(void)state;
	memset(value, 'v', sizeof(value));
	vec_init(&records, ctx, 1);
	for (size_t n = 0; n <= sizeof(value); n++) {
		char *end;

		records.count = 0;
		assert_int_equal(pax_add(&records, "key", value, n), 0);
		assert_int_equal(strtoul(records.items, &end, 10), records.count);
		assert_memory_equal(end, " key=", 5);
		assert_int_equal((size_t)(end - (char *)records.items) + 5 + n + 1, records.count);
		assert_int_equal(((char *)records.items)[records.count - 1], '\n');
	}
	vec_fini(&records);
}

static void keys_are_escaped(void **state)
{
	struct vec records;

	(void)state;
	vec_init(&records, ctx, 1);
	assert_int_equal(pax_add(&records, "a=b%c", "=%\n", 3), 0);
	assert_records(&records, "17 a%3Db%25c==%\n\n");
	vec_fini(&records);
}

static void times(void **state)
{
	static const struct {
		struct f2fs_time t;
		const char *expected;
	} cases[] = {
		{ { 0, 0 }, "7 k=0\n" },
		{ { 1, 500000000 }, "9 k=1.5\n" },
		{ { 1234567890, 987654321 }, "26 k=1234567890.987654321\n" },
		{ { 0, 1 }, "17 k=0.000000001\n" },
		{ { -1, 0 }, "7 k=-1\n" },
		{ { -1, 999999999 }, "18 k=-0.000000001\n" },
		{ { -1000000000, 6 }, "26 k=-999999999.999999994\n" },
		{ { INT64_MIN, 0 }, "25 k=-9223372036854775808\n" },
		{ { 5, 4000000000u }, "17 k=5.999999999\n" },
	};
	struct vec records;

	(void)state;
	vec_init(&records, ctx, 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char found[64];

		records.count = 0;
		assert_int_equal(pax_add_time(&records, "k", &cases[i].t), 0);
		snprintf(found, sizeof(found), "%.*s", (int)records.count, (char *)records.items);
		/* the first number is tested above */
		assert_string_equal(strchr(found, ' '), strchr(cases[i].expected, ' '));
	}
	vec_fini(&records);
}

/* A number of octal digits at an offset of the last header. */
static uint64_t octal_at(const struct vec *out, size_t offset)
{
	return strtoull((char *)out->items + out->count - TAR_BLOCK + offset, NULL, 8);
}

static void assert_checksum(const uint8_t *block)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i >= 148 && i < 156 ? ' ' : block[i];
	assert_int_equal(strtoul((const char *)block + 148, NULL, 8), sum);
}

static void plain_entries_need_no_records(void **state)
{
	struct pax_entry entry = { .path = "a/b",
				   .type = TAR_FILE,
				   .mode = 04755,
				   .uid = 07777777,
				   .gid = 1,
				   .size = 077777777777u,
				   .has_times = true };
	struct vec out, records;

	(void)state;
	entry.mtime.seconds = entry.atime.seconds = entry.ctime.seconds = 1234567890;
	entry.has_times = false;
	vec_init(&out, ctx, 1);
	vec_init(&records, ctx, 1);
	assert_int_equal(pax_build(&out, &records, &entry), 0);
	assert_int_equal(out.count, TAR_BLOCK);
	assert_checksum(out.items);
	assert_string_equal(out.items, "a/b");
	assert_int_equal(octal_at(&out, 100), 04755);
	assert_int_equal(octal_at(&out, 108), 07777777);
	assert_int_equal(octal_at(&out, 124), 077777777777u);
	assert_memory_equal((char *)out.items + 257, "ustar\00000", 8);
	vec_fini(&records);
	vec_fini(&out);
}

/* What does not fit into the header: one step beyond each limit. */
static void records_for_what_does_not_fit(void **state)
{
	char path[102], link[102];
	struct pax_entry entry = { .path = path,
				   .link = link,
				   .type = TAR_CHARACTER,
				   .uid = 010000000,
				   .gid = UINT32_MAX,
				   .major = 010000000,
				   .minor = 010000000,
				   .size = 0100000000000u };
	struct vec out, records;
	char *text;

	(void)state;
	memset(path, 'p', 101);
	memset(link, 'l', 101);
	path[101] = link[101] = '\0';
	vec_init(&out, ctx, 1);
	vec_init(&records, ctx, 1);
	assert_int_equal(pax_build(&out, &records, &entry), 0);
	assert_int_equal(out.count % TAR_BLOCK, 0);
	assert_checksum(out.items);
	assert_checksum((uint8_t *)out.items + out.count - TAR_BLOCK);
	assert_int_equal(((char *)out.items)[156], 'x');
	text = calloc(1, records.count + 1);
	memcpy(text, records.items, records.count);
	assert_non_null(strstr(text, " path=ppp"));
	assert_non_null(strstr(text, " linkpath=lll"));
	assert_non_null(strstr(text, " uid=2097152\n"));
	assert_non_null(strstr(text, " gid=4294967295\n"));
	assert_non_null(strstr(text, " size=8589934592\n"));
	assert_non_null(strstr(text, " SCHILY.devmajor=2097152\n"));
	assert_non_null(strstr(text, " SCHILY.devminor=2097152\n"));
	assert_null(strstr(text, "hdrcharset"));
	free(text);
	path[100] = link[100] = '\0'; /* 100 bytes fit, without a NUL */
	entry.uid = entry.gid = entry.major = entry.minor = 0;
	entry.size = 0;
	records.count = 0;
	assert_int_equal(pax_build(&out, &records, &entry), 0);
	assert_int_equal(out.count, TAR_BLOCK);
	vec_fini(&records);
	vec_fini(&out);
}

static void names_that_are_not_text(void **state)
{
	struct pax_entry entry = { .path = "a\xff", .type = TAR_FILE };
	struct vec out, records;

	(void)state;
	vec_init(&out, ctx, 1);
	vec_init(&records, ctx, 1);
	assert_int_equal(pax_build(&out, &records, &entry), 0);
	assert_records(&records, "11 path=a\xff\n21 hdrcharset=BINARY\n");
	vec_fini(&records);
	vec_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_count_themselves),
		cmocka_unit_test(keys_are_escaped),
		cmocka_unit_test(times),
		cmocka_unit_test(plain_entries_need_no_records),
		cmocka_unit_test(records_for_what_does_not_fit),
		cmocka_unit_test(names_that_are_not_text),
	};

	return cmocka_run_group_tests(tests, make_context, free_context);
}
