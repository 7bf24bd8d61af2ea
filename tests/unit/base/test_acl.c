/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Access control lists: a value of a kernel in all three forms, every size, the rules, text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/acl.h"
#include "base/acl_text.h"

#define MAX 16

/* FORMAT files 7.3, as a kernel stored it, and what getxattr gave. */
static const uint8_t on_disk[] = {
	1, 0, 0,    0,	  0x01, 0, 7, 0, 0x02, 0, 7,	0, 0xE8, 0x03, 0,    0, 0x02, 0,
	6, 0, 0xE9, 0x03, 0,	0, 4, 0, 5,    0, 0x10, 0, 7,	 0,    0x20, 0, 5,    0,
};
static const uint8_t as_xattr[] = {
	2,    0, 0, 0, 0x01, 0,	   7,	 0,    0xFF, 0xFF, 0xFF, 0xFF, 0x02, 0,	   7,	 0,    0xE8, 0x03,
	0,    0, 2, 0, 6,    0,	   0xE9, 0x03, 0,    0,	   4,	 0,    5,    0,	   0xFF, 0xFF, 0xFF, 0xFF,
	0x10, 0, 7, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x20, 0,	   5,	 0,    0xFF, 0xFF, 0xFF, 0xFF,
};
static const char as_text[] = "user::rwx,user:1000:rwx,user:1001:rw-,group::r-x,mask::rwx,other::r-x";

static void test_known_value(void **state)
{
	struct acl_entry entries[MAX];
	uint8_t value[ACL_SIZE_MAX(MAX)];
	char buf[128];
	struct text text;
	size_t n = 0;

	(void)state;
	assert_int_equal(acl_decode_disk(on_disk, sizeof(on_disk), entries, 6, &n), ACL_OK);
	assert_int_equal(n, 6);
	assert_int_equal(acl_check(entries, n), ACL_OK);
	assert_int_equal(acl_encode_xattr(entries, n, value), sizeof(as_xattr));
	assert_memory_equal(value, as_xattr, sizeof(as_xattr));
	text_init(&text, buf, sizeof(buf));
	acl_print(entries, n, &text);
	assert_string_equal(buf, as_text);

	memset(entries, 0, sizeof(entries));
	assert_int_equal(acl_decode_xattr(as_xattr, sizeof(as_xattr), entries, 6, &n), ACL_OK);
	assert_int_equal(acl_encode_disk(entries, n, value), sizeof(on_disk));
	assert_memory_equal(value, on_disk, sizeof(on_disk));

	memset(entries, 0, sizeof(entries));
	assert_int_equal(acl_parse(as_text, strlen(as_text), entries, MAX, &n), ACL_OK);
	assert_int_equal(acl_encode_disk(entries, n, value), sizeof(on_disk));
	assert_memory_equal(value, on_disk, sizeof(on_disk));
}

/* A value cut short or with bytes added is never taken for another one. */
static void test_every_size(void **state)
{
	struct acl_entry entries[MAX];
	size_t n = 99;

	(void)state;
	for (size_t len = 0; len <= sizeof(on_disk) + 8; len++) {
		uint8_t *value = calloc(1, len ? len : 1);

		assert_non_null(value);
		memcpy(value, on_disk, len < sizeof(on_disk) ? len : sizeof(on_disk));
		if (len == 4 || len == 8 || len == sizeof(on_disk)) { /* no entry, one, all */
			assert_int_equal(acl_decode_disk(value, len, entries, MAX, &n), ACL_OK);
			assert_int_equal(n, len == 4 ? 0 : len == 8 ? 1 : 6);
		} else {
			assert_int_not_equal(acl_decode_disk(value, len, entries, MAX, &n), ACL_OK);
		}
		free(value);
	}
	for (size_t len = 0; len < sizeof(as_xattr); len++)
		assert_int_equal(acl_decode_xattr(as_xattr, len, entries, MAX, &n) == ACL_OK, len >= 4 && len % 8 == 4);
}

/* The form knows no order: entries that acl_check() refuses can still be read, and shown. */
static void test_any_order(void **state)
{
	static const struct acl_entry odd[] = {
		{ ACL_OTHER, 1, ACL_NO_ID },	{ ACL_MASK, 2, ACL_NO_ID }, { ACL_GROUP_OBJ, 3, ACL_NO_ID },
		{ ACL_USER_OBJ, 4, ACL_NO_ID }, { ACL_GROUP, 5, 70000 },    { ACL_USER, 6, 1 },
	};
	uint8_t value[ACL_SIZE_MAX(6)];
	struct acl_entry entries[6];
	size_t n = 0, len = acl_encode_disk(odd, 6, value);

	(void)state;
	assert_int_equal(len, 4 + 4 * 4 + 2 * 8);
	assert_int_equal(acl_decode_disk(value, len, entries, 6, &n), ACL_OK);
	assert_int_equal(n, 6);
	assert_memory_equal(entries, odd, sizeof(odd));
	assert_int_equal(acl_check(entries, n), ACL_BAD_ORDER);
}

static void test_refuses_forms(void **state)
{
	struct acl_entry entries[MAX];
	uint8_t value[sizeof(on_disk)];
	size_t n = 99;

	(void)state;
	memcpy(value, on_disk, sizeof(value));
	assert_int_equal(acl_decode_disk(value, sizeof(value), entries, 5, &n), ACL_NO_ROOM);
	assert_int_equal(acl_decode_xattr(as_xattr, sizeof(as_xattr), entries, 5, &n), ACL_NO_ROOM);
	assert_int_equal(acl_decode_disk(as_xattr, sizeof(as_xattr), entries, MAX, &n), ACL_BAD_VERSION);
	assert_int_equal(acl_decode_xattr(value, sizeof(value), entries, MAX, &n), ACL_BAD_VERSION);
	value[4] = 3;
	assert_int_equal(acl_decode_disk(value, sizeof(value), entries, MAX, &n), ACL_BAD_TAG);
	value[4] = 2; /* now with an id: everything after it is read elsewhere */
	assert_int_not_equal(acl_decode_disk(value, sizeof(value), entries, MAX, &n), ACL_OK);
	assert_int_equal(n, 99);
}

static const struct {
	enum acl_result want;
	struct acl_entry entries[6];
} rules[] = {
#define U                                                                                                              \
	{                                                                                                              \
		ACL_USER_OBJ, 7, ACL_NO_ID                                                                             \
	}
#define G                                                                                                              \
	{                                                                                                              \
		ACL_GROUP_OBJ, 5, ACL_NO_ID                                                                            \
	}
#define M                                                                                                              \
	{                                                                                                              \
		ACL_MASK, 7, ACL_NO_ID                                                                                 \
	}
#define O                                                                                                              \
	{                                                                                                              \
		ACL_OTHER, 0, ACL_NO_ID                                                                                \
	}
#define USER(id)                                                                                                       \
	{                                                                                                              \
		ACL_USER, 4, id                                                                                        \
	}
#define GROUP(id)                                                                                                      \
	{                                                                                                              \
		ACL_GROUP, 4, id                                                                                       \
	}
	{ ACL_OK, { U, G, O } },
	{ ACL_OK, { U, G, M, O } },
	{ ACL_OK, { U, USER(9), USER(3), G, M, O } },
	{ ACL_OK, { U, G, GROUP(0), M, O } },
	{ ACL_MISSING_ENTRY, { U } },
	{ ACL_MISSING_ENTRY, { U, G } },
	{ ACL_MISSING_ENTRY, { U, O } },
	{ ACL_MISSING_ENTRY, { G, O } },
	{ ACL_MISSING_ENTRY, { U, USER(1), G, O } },
	{ ACL_MISSING_ENTRY, { U, G, GROUP(1), O } },
	{ ACL_BAD_ORDER, { U, U, G, O } },
	{ ACL_BAD_ORDER, { G, U, O } },
	{ ACL_BAD_ORDER, { U, G, USER(1), M, O } },
	{ ACL_BAD_ORDER, { U, G, M, GROUP(1), O } },
	{ ACL_BAD_ORDER, { U, G, O, M } },
	{ ACL_BAD_ID, { U, USER(ACL_NO_ID), G, M, O } },
	{ ACL_BAD_PERM, { U, G, { ACL_OTHER, 8, ACL_NO_ID } } },
	{ ACL_BAD_TAG, { U, G, { 0x40, 0, ACL_NO_ID }, O } },
};

static void test_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		size_t n = 0;

		while (n < 6 && rules[i].entries[n].tag != 0)
			n++;
		assert_int_equal(acl_check(rules[i].entries, n), rules[i].want);
		assert_true(strlen(acl_result_text(rules[i].want)) > 0);
	}
	assert_int_equal(acl_check(NULL, 0), ACL_MISSING_ENTRY);
}

static void check_parse(const char *text, enum acl_result want, const char *again)
{
	struct acl_entry entries[6];
	char buf[200];
	struct text out;
	size_t n = 0;

	assert_int_equal(acl_parse(text, strlen(text), entries, 6, &n), want);
	if (want != ACL_OK)
		return;
	text_init(&out, buf, sizeof(buf));
	acl_print(entries, n, &out);
	assert_string_equal(buf, again);
}

static void test_parse(void **state)
{
	(void)state;
	check_parse("o::0,u::7,g::r--", ACL_OK, "user::rwx,group::r--,other::---");
	check_parse("other::r-x\nmask::rw-\ngroup:20:5\ngroup:3:rwx\ngroup::r--\nuser::rwx\n", ACL_OK,
		    "user::rwx,group::r--,group:3:rwx,group:20:r-x,mask::rw-,other::r-x");
	check_parse("u::7,u:4294967294:7,g::7,m::7,o::7", ACL_OK,
		    "user::rwx,user:4294967294:rwx,group::rwx,mask::rwx,other::rwx");
	check_parse("u::7,u:1:7,u:1:6,g::7,m::7,o::7", ACL_BAD_ORDER, NULL);
	check_parse("u::7,u:1:7,u:2:6,u:3:1,g::7,m::7,o::7", ACL_NO_ROOM, NULL);
	check_parse("u::7,g::7", ACL_MISSING_ENTRY, NULL);
	check_parse("", ACL_MISSING_ENTRY, NULL);
	check_parse("u::8,g::7,o::7", ACL_BAD_TEXT, NULL);
	check_parse("u::rxw,g::7,o::7", ACL_BAD_TEXT, NULL);
	check_parse("u::7,u:4294967295:7,g::7,m::7,o::7", ACL_BAD_TEXT, NULL);
	check_parse("u::7,u:99999999999999999999999:7,g::7,m::7,o::7", ACL_BAD_TEXT, NULL);
	check_parse("u::7,u:root:7,g::7,m::7,o::7", ACL_BAD_TEXT, NULL);
	check_parse("u::7,g::7,o:5:7", ACL_BAD_TEXT, NULL);
	check_parse("users::7,g::7,o::7", ACL_BAD_TEXT, NULL);
	check_parse("u::7,,g::7,o::7", ACL_BAD_TEXT, NULL);
	check_parse("u:7,g::7,o::7", ACL_BAD_TEXT, NULL);
	check_parse("u::7:,g::7,o::7", ACL_BAD_TEXT, NULL);
}

/* Random values: what decodes encodes to the same bytes. */
static void test_random(void **state)
{
	uint32_t seed = 3;
	int good = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		static const uint8_t tags[] = { 1, 2, 4, 8, 16, 32, 2, 2, 8, 64 };
		uint8_t value[44] = { 1 }, again[ACL_SIZE_MAX(MAX)];
		struct acl_entry entries[MAX];
		size_t len = 4, n;

		for (size_t at = 4; at < sizeof(value); at++) {
			seed = seed * 1103515245u + 12345u;
			value[at] = at % 4 == 0 ? tags[(seed >> 16) % 10] : at % 4 == 2 ? (seed >> 16) % 8 : 0;
		}
		len += (seed >> 20) % 11 * 4;
		if (acl_decode_disk(value, len, entries, MAX, &n) != ACL_OK)
			continue;
		good++;
		assert_true(n <= ACL_COUNT_MAX(len));
		assert_int_equal(acl_encode_disk(entries, n, again), len);
		assert_memory_equal(value, again, len);
		assert_int_equal(acl_decode_xattr(again, acl_encode_xattr(entries, n, again), entries, MAX, &n),
				 ACL_OK);
		assert_int_equal(acl_encode_disk(entries, n, again), len);
		assert_memory_equal(value, again, len);
	}
	assert_true(good > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_value), cmocka_unit_test(test_every_size),
		cmocka_unit_test(test_any_order),   cmocka_unit_test(test_refuses_forms),
		cmocka_unit_test(test_rules),	    cmocka_unit_test(test_parse),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
