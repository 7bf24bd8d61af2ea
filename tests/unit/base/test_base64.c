/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Base64url: the vectors of RFC 4648 without padding, all bytes there and back, invalid encodings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base64.h"

static const struct {
	const char *bytes, *text;
} vectors[] = {
	{ "", "" },	      { "f", "Zg" },	      { "fo", "Zm8" },		{ "foo", "Zm9v" },
	{ "foob", "Zm9vYg" }, { "fooba", "Zm9vYmE" }, { "foobar", "Zm9vYmFy" }, { "\xFB\xEF\xFF", "--__" },
};

static void test_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const char *bytes = vectors[i].bytes, *want = vectors[i].text;
		size_t n = strlen(bytes), len = strlen(want), back = 99;
		char text[16];
		uint8_t out[16];

		assert_int_equal(BASE64_TEXT_SIZE(n), len);
		assert_int_equal(base64_encode((const uint8_t *)bytes, n, text), len);
		assert_memory_equal(text, want, len);
		assert_int_equal(base64_decode(want, len, out, n, &back), 0);
		assert_int_equal(back, n);
		assert_memory_equal(out, bytes, n);
		if (n > 0)
			assert_int_equal(base64_decode(want, len, out, n - 1, &back), -1);
	}
}

static void test_round_trip(void **state)
{
	uint8_t bytes[200], out[200];
	char text[BASE64_TEXT_SIZE(200)];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 167 + 13);
	for (size_t n = 0; n <= sizeof(bytes); n++) {
		size_t len = base64_encode(bytes, n, text), back = 999;

		assert_int_equal(len, BASE64_TEXT_SIZE(n));
		assert_int_equal(base64_decode(text, len, out, sizeof(out), &back), 0);
		assert_int_equal(back, n);
		assert_memory_equal(out, bytes, n);
	}
}

static void test_refuses(void **state)
{
	static const char *const bad[] = { "A", "AAAAA", "Zg==", "Zh", "Zm9", "Zm8+", "Zm8/", "Z g0", "Zm\x80", "AB" };
	uint8_t out[16];
	size_t n = 5;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(base64_decode(bad[i], strlen(bad[i]), out, sizeof(out), &n), -1);
	assert_int_equal(n, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
