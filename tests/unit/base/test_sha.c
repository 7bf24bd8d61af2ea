/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Digests against FIPS 180-4's examples; the portable SHA-256 against the chosen one; streaming in odd pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha.h"

#define TWO_BLOCKS "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"

static void to_hex(const uint8_t *digest, size_t n, char *hex)
{
	for (size_t i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

static void check(enum sha_algorithm algorithm, const void *data, size_t n, const char *want)
{
	uint8_t digest[SHA_MAX_SIZE];
	char hex[2 * SHA_MAX_SIZE + 1];

	assert_int_equal(sha_digest(algorithm, data, n, digest), 0);
	to_hex(digest, sha_size(algorithm), hex);
	assert_string_equal(hex, want);
}

static void test_sha256(void **state)
{
	(void)state;
	check(SHA_256, "", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	check(SHA_256, "abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	check(SHA_256, TWO_BLOCKS, 56, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_sha512(void **state)
{
	(void)state;
	if (!sha_is_available(SHA_512)) {
		struct sha sha;

		assert_int_equal(sha_init(&sha, SHA_512), -1);
		return;
	}
	check(SHA_512, "abc", 3,
	      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
	      "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
}

/* RFC 1321, RFC 3174. */
static void test_of_lists(void **state)
{
	(void)state;
	assert_int_equal(sha_is_available(SHA_1), sha_is_available(SHA_512));
	assert_int_equal(sha_is_available(SHA_MD5), sha_is_available(SHA_512));
	if (!sha_is_available(SHA_MD5))
		return;
	check(SHA_1, "abc", 3, "a9993e364706816aba3e25717850c26c9cd0d89d");
	check(SHA_1, TWO_BLOCKS, 56, "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
	check(SHA_MD5, "abc", 3, "900150983cd24fb0d6963f7d28e17f72");
	check(SHA_MD5, "message digest", 14, "f96b697d7cb7938d525a2f31aaf161d0");
}

static void test_million(void **state)
{
	uint8_t digest[SHA_MAX_SIZE];
	char a[1000], hex[65];
	struct sha sha;

	(void)state;
	memset(a, 'a', sizeof(a));
	assert_int_equal(sha_init(&sha, SHA_256), 0);
	for (int twice = 0; twice < 2; twice++) {
		assert_int_equal(sha_start(&sha), 0);
		for (int i = 0; i < 1000; i++)
			assert_int_equal(sha_update(&sha, a, sizeof(a)), 0);
		assert_int_equal(sha_finish(&sha, digest), 0);
		to_hex(digest, 32, hex);
		assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	}
	sha_fini(&sha);
}

/* Every length around the padding's edges, in pieces of different size. */
static void test_soft(void **state)
{
	uint8_t data[300], want[SHA_MAX_SIZE], got[SHA256_SOFT_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 31 + 7);
	for (size_t n = 0; n <= sizeof(data); n++) {
		struct sha256_soft soft;

		sha256_soft_start(&soft);
		for (size_t at = 0, piece = 1; at < n; piece += 13) {
			size_t part = piece < n - at ? piece : n - at;

			sha256_soft_update(&soft, data + at, part);
			at += part;
		}
		sha256_soft_finish(&soft, got);
		assert_int_equal(sha_digest(SHA_256, data, n, want), 0);
		assert_memory_equal(got, want, sizeof(got));
	}
}

static void test_soft_vector(void **state)
{
	struct sha256_soft soft;
	uint8_t digest[SHA256_SOFT_SIZE];
	char hex[65];

	(void)state;
	sha256_soft_start(&soft);
	sha256_soft_update(&soft, TWO_BLOCKS, 56);
	sha256_soft_finish(&soft, digest);
	to_hex(digest, sizeof(digest), hex);
	assert_string_equal(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_facts(void **state)
{
	(void)state;
	assert_true(sha_is_available(SHA_256));
	assert_false(sha_is_available(0));
	assert_false(sha_is_available(3));
	assert_int_equal(sha_size(SHA_256), 32);
	assert_int_equal(sha_size(SHA_512), 64);
	assert_int_equal(sha_input_block(SHA_256), 64);
	assert_int_equal(sha_input_block(SHA_512), 128);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sha256), cmocka_unit_test(test_sha512),	   cmocka_unit_test(test_million),
		cmocka_unit_test(test_soft),   cmocka_unit_test(test_soft_vector), cmocka_unit_test(test_facts),
		cmocka_unit_test(test_of_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
