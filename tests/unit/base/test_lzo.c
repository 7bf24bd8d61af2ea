/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The LZO decoder: each instruction by itself, streams of a kernel, every way to break them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/lzo.h"
#include "comp_vectors.h"

#define EOS 0x11, 0, 0

/* Decompress from and into heap blocks of exactly the right size, so that a sanitizer sees each byte too far. */
static enum lzo_result decode(const uint8_t *in, size_t in_len, uint8_t *out, size_t cap, size_t *out_len)
{
	uint8_t *from = malloc(in_len ? in_len : 1), *to = malloc(cap + 1);
	enum lzo_result result;

	assert_non_null(from);
	assert_non_null(to);
	memcpy(from, in, in_len);
	to[cap] = 0xA5;
	result = lzo_decompress(from, in_len, to, cap, out_len);
	assert_int_equal(to[cap], 0xA5);
	if (result == LZO_OK) {
		assert_true(*out_len <= cap);
		memcpy(out, to, *out_len);
	}
	free(from);
	free(to);
	return result;
}

static uint8_t output[SAMPLE_SIZE + 64];

static void check(const uint8_t *in, size_t in_len, const char *want, size_t want_len)
{
	size_t n = 0;

	assert_int_equal(decode(in, in_len, output, want_len, &n), LZO_OK);
	assert_int_equal(n, want_len);
	assert_memory_equal(output, want, n);
	for (size_t cap = 0; cap < want_len; cap++)
		assert_int_equal(decode(in, in_len, output, cap, &n), LZO_OUTPUT_OVERRUN);
	for (size_t cut = 0; cut < in_len; cut++)
		assert_int_not_equal(decode(in, cut, output, want_len, &n), LZO_OK);
}

#define CHECK(want, ...)                                                                                               \
	do {                                                                                                           \
		const uint8_t stream[] = { __VA_ARGS__ };                                                              \
		check(stream, sizeof(stream), want, sizeof(want) - 1);                                                 \
	} while (0)

static void test_literals(void **state)
{
	(void)state;
	CHECK("", EOS);
	CHECK("a", 18, 'a', EOS);
	CHECK("abcd", 21, 'a', 'b', 'c', 'd', EOS);
	CHECK("abcd", 1, 'a', 'b', 'c', 'd', EOS);
	CHECK("0123456789abcdefghi", 0, 1, '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e',
	      'f', 'g', 'h', 'i', EOS);
}

static void test_matches(void **state)
{
	(void)state;
	/* 64..255: 3 bytes from 4 back, one literal */
	CHECK("abcdabcX", 21, 'a', 'b', 'c', 'd', 0x4D, 0, 'X', EOS);
	/* then, with one literal before it, 0..15: 2 bytes from 1 back */
	CHECK("abcdabcXXX", 21, 'a', 'b', 'c', 'd', 0x4D, 0, 'X', 0x00, 0, EOS);
	/* a first run of 1..3 literals counts as such literals; 2 bytes from 2 back, three literals */
	CHECK("ababxyz", 19, 'a', 'b', 0x07, 0, 'x', 'y', 'z', EOS);
	/* 32..63: 7 bytes from 3 back, over themselves, two literals */
	CHECK("abcabcabcaYZ", 20, 'a', 'b', 'c', 0x25, 0x0A, 0, 'Y', 'Z', EOS);
	/* the same with an extended length, 33 + 2 */
	CHECK("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", 18, 'z', 0x20, 2, 0, 0, EOS);
	/* after a match without literals, 0..15 is a literal run */
	CHECK("aaaa1234", 18, 'a', 0x40, 0, 1, '1', '2', '3', '4', EOS);
}

/* Literals, then zeros of LZO-RLE: (op & 7 | x << 3) + 4 of them. */
static void test_zero_runs(void **state)
{
	(void)state;
	CHECK("ab\0\0\0\0cd", 0x11, 1, 19, 'a', 'b', 0x18, 0xFE, 0xFF, 0, 'c', 'd', EOS);
	CHECK("ab\0\0\0\0\0\0\0\0\0\0\0\0\0", 0x11, 1, 19, 'a', 'b', 0x19, 0xFC, 0xFF, 1, EOS);
}

/* "q" and then @z times 'z'; returns the length of the stream, which has no end yet. */
static size_t begin_far(uint8_t *in, size_t z)
{
	size_t n = 0, extra = z - 1 - 33;

	in[n++] = 19;
	in[n++] = 'q';
	in[n++] = 'z';
	in[n++] = 0x20;
	for (; extra > 255; extra -= 255)
		in[n++] = 0;
	in[n++] = (uint8_t)extra;
	in[n++] = 0;
	in[n++] = 0;
	return n;
}

static void check_far(const uint8_t *tail, size_t tail_len, size_t z, const char *want)
{
	uint8_t in[1024];
	size_t len = begin_far(in, z), n = 0;

	memcpy(in + len, tail, tail_len);
	assert_int_equal(decode(in, len + tail_len, output, sizeof(output), &n), LZO_OK);
	assert_int_equal(n, 1 + z + strlen(want));
	assert_int_equal(output[0], 'q');
	assert_int_equal(output[z], 'z');
	assert_memory_equal(output + 1 + z, want, strlen(want));
	/* one byte less of output before it, and the match starts before the output */
	len = begin_far(in, z - 1);
	memcpy(in + len, tail, tail_len);
	assert_int_equal(decode(in, len + tail_len, output, sizeof(output), &n), LZO_BAD_DISTANCE);
}

static void test_far_matches(void **state)
{
	static const uint8_t nearest[] = { 0x14, 0x04, 0, EOS };		    /* 6 bytes from 16385 back */
	static const uint8_t extended[] = { 0x10, 3, 0x05, 0, 'L', EOS };	    /* 9 + 3 bytes, a literal */
	static const uint8_t farthest[] = { 0x1A, 0xFC, 0xFF, EOS };		    /* 4 bytes from 49151 back */
	static const uint8_t after_run[] = { 1, 'z', 'z', 'z', 'z', 0x04, 1, EOS }; /* 3 bytes from 2054 back */
	static const uint8_t near_2048[] = { 0x7C, 0xFF, EOS };			    /* 4 bytes from 2048 back */

	(void)state;
	check_far(nearest, sizeof(nearest), 16384, "qzzzzz");
	check_far(extended, sizeof(extended), 16384, "qzzzzzzzzzzzL");
	check_far(farthest, sizeof(farthest), 49150, "qzzz");
	check_far(after_run, sizeof(after_run), 2049, "zzzzqzz");
	check_far(near_2048, sizeof(near_2048), 2047, "qzzz");
}

/* The farthest match of a plain stream is a run of zeros in LZO-RLE, and only there. */
static void test_version_matters(void **state)
{
	uint8_t in[1024] = { 0x11, 1 };
	size_t len = 2 + begin_far(in + 2, 49150), n = 0;
	static const uint8_t tail[] = { 0x1A, 0xFC, 0xFF, 0, EOS };

	(void)state;
	memcpy(in + len, tail, sizeof(tail));
	assert_int_equal(decode(in, len + sizeof(tail), output, sizeof(output), &n), LZO_OK);
	assert_int_equal(n, 49151 + 6);
	assert_memory_equal(output + 49151, "\0\0\0\0\0\0", 6);
	/* version 0 with a prefix: an ordinary stream (and "0" above is a literal run, here the end of the stream) */
	in[1] = 0;
	memcpy(in + len, tail, 3);
	memcpy(in + len + 3, tail + 4, 3);
	assert_int_equal(decode(in, len + 6, output, sizeof(output), &n), LZO_OK);
	assert_int_equal(n, 49151 + 4);
	assert_memory_equal(output + 49151, "qzzz", 4);
}

static void test_bad_streams(void **state)
{
	static const struct {
		enum lzo_result want;
		uint8_t len;
		uint8_t in[12];
	} bad[] = {
		{ LZO_INPUT_OVERRUN, 0, { 0 } },
		{ LZO_INPUT_OVERRUN, 1, { 0x11 } },
		{ LZO_INPUT_OVERRUN, 2, { 18, 'a' } },		       /* no end */
		{ LZO_INPUT_OVERRUN, 1, { 0 } },		       /* no length */
		{ LZO_BAD_END, 4, { EOS, 0 } },			       /* bytes after the end */
		{ LZO_BAD_END, 5, { 18, 'a', 0x12, 0, 0 } },	       /* end of another length */
		{ LZO_BAD_DISTANCE, 7, { 0x10, 1, 0, 1, EOS } },       /* before anything was made */
		{ LZO_BAD_DISTANCE, 7, { 18, 'a', 0x44, 0, EOS } },    /* 2 back of 1 */
		{ LZO_BAD_DISTANCE, 7, { 18, 'a', 0x04, 0, EOS } },    /* 2 back of 1, the short form */
		{ LZO_BAD_DISTANCE, 8, { 18, 'a', 0x21, 4, 0, EOS } }, /* 2 back of 1, the middle form */
		{ LZO_OUTPUT_OVERRUN, 5, { 255, 'a', EOS } },
	};
	size_t n = 4711;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(decode(bad[i].in, bad[i].len, output, 100, &n), bad[i].want);
	assert_int_equal(n, 4711);
}

/* A length that fills the whole input ends at the output's size, not after adding up gigabytes. */
static void test_endless_length(void **state)
{
	static const uint8_t zeros[65536] = { 18, 'a', 0x20 };
	size_t n;

	(void)state;
	assert_int_equal(decode(zeros, sizeof(zeros), output, SAMPLE_SIZE, &n), LZO_OUTPUT_OVERRUN);
}

static const struct {
	const uint8_t *bytes;
	size_t len;
} kernel_streams[] = {
	{ kernel_lzo, sizeof(kernel_lzo) },
	{ kernel_lzorle, sizeof(kernel_lzorle) },
};

static void test_kernel_streams(void **state)
{
	static uint8_t want[SAMPLE_SIZE];

	(void)state;
	make_sample(want);
	for (size_t i = 0; i < 2; i++) {
		size_t n = 0;

		assert_int_equal(decode(kernel_streams[i].bytes, kernel_streams[i].len, output, SAMPLE_SIZE, &n),
				 LZO_OK);
		assert_int_equal(n, SAMPLE_SIZE);
		assert_memory_equal(output, want, n);
		/* cut short it never makes all (three bytes of the second one happen to be an end marker) */
		for (size_t cut = 0; cut < kernel_streams[i].len; cut++)
			if (decode(kernel_streams[i].bytes, cut, output, SAMPLE_SIZE, &n) == LZO_OK)
				assert_int_equal(n, 0);
	}
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16;
}

/* Whatever comes in, nothing beyond the two blocks is touched (decode() and the sanitizers watch). */
static void test_damaged_streams(void **state)
{
	uint8_t in[1024];
	uint32_t seed = 1;
	size_t good = 0, n;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t which = next_random(&seed) % 2, len = kernel_streams[which].len;
		size_t cap = round % 4 == 0 ? next_random(&seed) % SAMPLE_SIZE : 3000;

		memcpy(in, kernel_streams[which].bytes, len);
		for (uint32_t hits = 1 + next_random(&seed) % 3; hits > 0; hits--)
			in[next_random(&seed) % len] = (uint8_t)next_random(&seed);
		good += decode(in, len, output, cap, &n) == LZO_OK;
		len = next_random(&seed) % 64;
		for (size_t i = 0; i < len; i++)
			in[i] = (uint8_t)next_random(&seed);
		good += decode(in, len, output, 1 + next_random(&seed) % 300, &n) == LZO_OK;
	}
	assert_true(good < 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_literals),	cmocka_unit_test(test_matches),
		cmocka_unit_test(test_zero_runs),	cmocka_unit_test(test_far_matches),
		cmocka_unit_test(test_version_matters), cmocka_unit_test(test_bad_streams),
		cmocka_unit_test(test_endless_length),	cmocka_unit_test(test_kernel_streams),
		cmocka_unit_test(test_damaged_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
