/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The LZO compressor: everything comes back, at every size and around every limit of the format; its bound of room; the
 * same stream on every machine. Our own decoder judges both forms, the LZO library, where it is installed, the plain
 * one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/crc.h"
#include "base/lzo.h"
#include "base/lzo_encode.h"
#include "common/lzo_peer.h"
#include "comp_vectors.h"

#define LARGEST (1u << 20)

static uint8_t plain[LARGEST], again[LARGEST], packed[LARGEST * 2];
static bool has_peer;

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16;
}

/* Compress into a block of exactly @cap bytes and into packed[]. @filler fills the work memory before. */
static bool compress(size_t n, bool has_zero_runs, size_t cap, int filler, size_t *length)
{
	uint8_t *from = malloc(n ? n : 1), *to = malloc(cap ? cap : 1);
	void *work = malloc(lzo_work_size());
	struct lzo_input in = { from, n, has_zero_runs };
	bool fits;

	assert_non_null(from);
	assert_non_null(to);
	assert_non_null(work);
	memcpy(from, plain, n);
	memset(work, filler, lzo_work_size());
	fits = lzo_compress(&in, to, cap, length, work);
	if (fits) {
		assert_true(*length <= cap);
		memcpy(packed, to, *length);
	}
	free(from);
	free(to);
	free(work);
	return fits;
}

/* Both forms of the first @n bytes of plain[] there and back. Returns the length of the plain one. */
static size_t round_trip(size_t n)
{
	size_t length = 0, plain_length = 0, made;

	for (int has_zero_runs = 1; has_zero_runs >= 0; has_zero_runs--) {
		assert_true(compress(n, has_zero_runs, lzo_bound(n), 0, &length));
		assert_int_equal(lzo_decompress(packed, length, again, n, &made), LZO_OK);
		assert_int_equal(made, n);
		assert_memory_equal(again, plain, n);
		if (has_zero_runs)
			assert_memory_equal(packed, "\x11\x01", 2);
		else
			plain_length = length;
	}
	if (has_peer) {
		memset(again, 0xEE, n);
		assert_true(lzo_peer_decompress(packed, plain_length, again, n, &made));
		assert_int_equal(made, n);
		assert_memory_equal(again, plain, n);
	}
	return plain_length;
}

static void fill_noise(uint8_t *to, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (uint8_t)next_random(&seed);
}

static void test_small(void **state)
{
	(void)state;
	for (size_t n = 0; n <= 600; n++) {
		memset(plain, 0, n);
		round_trip(n);
		memset(plain, 'z', n);
		round_trip(n);
		fill_noise(plain, n, 1);
		round_trip(n);
		for (size_t i = 0; i < n; i++)
			plain[i] = (uint8_t)"abcab"[i % 5];
		round_trip(n);
	}
}

/* Clusters of every size: zeros, one letter, noise. */
static void test_extremes(void **state)
{
	(void)state;
	for (size_t n = 16384; n <= LARGEST; n *= 2) {
		size_t length;

		memset(plain, 0, n);
		assert_true(round_trip(n) < n / 250 + 16);
		assert_true(compress(n, true, lzo_bound(n), 0, &length));
		assert_true(length <= 8 + (n / 2051 + 1) * 4 + n / 40000); /* instructions of 4 bytes, some literals */
		memset(plain, 'z', n);
		assert_true(round_trip(n) < n / 250 + 16);
		fill_noise(plain, n, 3);
		assert_true(round_trip(n) > n);
	}
}

/* Literals, a match, literals: all lengths and distances around every limit of the format. */
static void test_limits(void **state)
{
	static const size_t lengths[] = { 4, 5, 8, 9, 10, 33, 34, 35, 260, 261, 264, 265, 266, 288, 289, 520, 5000 };
	static const size_t distances[] = { 1,	   2,	  7,	 2047,	2048,  2049,  16383, 16384,
					    16385, 32767, 32768, 32831, 49149, 49150, 49151, 49152 };
	static const size_t literals[] = { 0, 1, 2, 3, 4, 17, 18, 19, 272, 273, 274, 529 };

	(void)state;
	for (size_t d = 0; d < sizeof(distances) / sizeof(distances[0]); d++) {
		for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
			for (size_t k = 0; k < sizeof(literals) / sizeof(literals[0]); k++) {
				size_t start = distances[d] < 6000 ? 6000 : distances[d], n = start + literals[k];

				fill_noise(plain, n, (uint32_t)(d + l));
				for (size_t i = 0; i < lengths[l]; i++, n++)
					plain[n] = plain[n - distances[d]];
				fill_noise(plain + n, literals[k] + 24, (uint32_t)k + 77);
				round_trip(n + literals[k] + 24);
			}
		}
	}
}

/* Zeros of every length that matters, at the start, in the middle and at the end. */
static void test_zero_runs(void **state)
{
	static const size_t lengths[] = { 1,  3,  4,	5,    11,   12,	  31,	32,  33,
					  34, 39, 2050, 2051, 2052, 2055, 4102, 4103, 9000 };

	(void)state;
	for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
		for (size_t before = 0; before < 22; before++) {
			for (size_t after = 0; after < 44; after += 3) {
				memset(plain, 'x', before);
				memset(plain + before, 0, lengths[l]);
				fill_noise(plain + before + lengths[l], after, 5);
				round_trip(before + lengths[l] + after);
			}
		}
	}
}

/* Words that come again, runs and noise in all proportions, up to several windows long. */
static void test_mixtures(void **state)
{
	uint32_t seed = 11;

	(void)state;
	for (unsigned int round = 0; round < 300; round++) {
		size_t n = 0, size = next_random(&seed) % (round % 20 ? 20000 : 300000);
		unsigned int kinds = 1 + next_random(&seed) % 4, letters = 1u << next_random(&seed) % 9;

		while (n < size) {
			size_t length = 1 + next_random(&seed) % (next_random(&seed) % 8 ? 24 : 700);
			size_t distance = 1 + (next_random(&seed) << 3) % 60000;
			unsigned int kind = next_random(&seed) % kinds;

			for (; length > 0 && n < size; length--, n++) {
				if (kind == 1 && distance <= n)
					plain[n] = plain[n - distance];
				else if (kind == 2)
					plain[n] = 0;
				else
					plain[n] = (uint8_t)(next_random(&seed) % letters);
			}
		}
		round_trip(n);
	}
}

/* It fits exactly, in no less, and what fits never looks otherwise; nothing beyond the room is touched. */
static void test_room(void **state)
{
	static uint8_t whole[4096 + 400];

	(void)state;
	for (int has_zero_runs = 0; has_zero_runs < 2; has_zero_runs++) {
		for (unsigned int kind = 0; kind < 3; kind++) {
			size_t n = 4096, length = 0, other = 0;

			make_sample(again);
			memcpy(plain, again, n);
			if (kind)
				fill_noise(plain, n, kind);
			for (size_t i = 0; kind == 2 && i < n; i++)
				plain[i] &= 3;
			assert_true(compress(n, has_zero_runs, lzo_bound(n), 0, &length));
			assert_true(length <= sizeof(whole));
			memcpy(whole, packed, length);
			for (size_t cap = 0; cap < length; cap++)
				assert_false(compress(n, has_zero_runs, cap, 0, &other));
			for (size_t cap = length; cap < length + 70; cap++) {
				assert_true(compress(n, has_zero_runs, cap, (int)cap, &other));
				assert_int_equal(other, length);
				assert_memory_equal(packed, whole, length);
			}
		}
	}
}

/* The same of every small input, where the first instruction and the end marker meet. */
static void test_room_for_little(void **state)
{
	size_t length = 0, other = 0;

	(void)state;
	for (size_t n = 0; n < 80; n++) {
		for (int kind = 0; kind < 2; kind++) {
			fill_noise(plain, n, 2);
			if (kind)
				memset(plain + n / 3, 0, n - n / 3);
			for (int has_zero_runs = 0; has_zero_runs < 2; has_zero_runs++) {
				assert_true(compress(n, has_zero_runs, lzo_bound(n), 0, &length));
				for (size_t cap = 0; cap < length; cap++)
					assert_false(compress(n, has_zero_runs, cap, 0, &other));
				assert_true(compress(n, has_zero_runs, length, 0, &other));
				assert_int_equal(other, length);
			}
		}
	}
}

/* The worst there is: literals that just need a longer count, then the shortest match from far. */
static void test_bound(void **state)
{
	size_t n = 40000;

	(void)state;
	fill_noise(plain, n, 9);
	for (size_t from = 100; n + 23 < 2 * 40000; from += 29) {
		fill_noise(plain + n, 19, (uint32_t)from);
		memcpy(plain + n + 19, plain + from, 4);
		n += 23;
	}
	assert_true(round_trip(n) > n); /* round_trip() gives it no more than the bound */
}

/* Images have to be the same wherever they are made, so streams are. */
static void test_same_everywhere(void **state)
{
	size_t length = 0;

	(void)state;
	make_sample(plain);
	assert_true(compress(SAMPLE_SIZE, false, lzo_bound(SAMPLE_SIZE), 0x5A, &length));
	assert_int_equal(length, 452);
	assert_int_equal(crc_f2fs(CRC_F2FS_SEED, packed, length), 0xF742E8A2u);
	assert_true(compress(SAMPLE_SIZE, true, lzo_bound(SAMPLE_SIZE), 0xFF, &length));
	assert_int_equal(length, 309);
	assert_int_equal(crc_f2fs(CRC_F2FS_SEED, packed, length), 0xFDA1680Bu);
}

/* As small as the library makes it, or nearly. */
static void test_size(void **state)
{
	static uint8_t theirs[2 * SAMPLE_SIZE];
	void *work = malloc(LZO_PEER_WORK);
	size_t their_length = 0;
	uint32_t seed = 4;
	size_t n = 0;

	(void)state;
	assert_non_null(work);
	while (n < SAMPLE_SIZE - 16) { /* as text: some 200 words */
		uint32_t word = next_random(&seed) % 200, letters = 3 + word % 7;

		for (uint32_t i = 0; i < letters; i++)
			plain[n++] = (uint8_t)('a' + (word * 31 + i * (word + 7)) % 26);
		plain[n++] = ' ';
	}
	if (has_peer) {
		assert_true(lzo_peer_compress(plain, n, theirs, &their_length, work));
		assert_true(round_trip(n) * 100 <= their_length * 102);
	} else {
		print_message("liblzo2 is not installed: its sizes are not compared\n");
	}
	free(work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_zero_runs),
		cmocka_unit_test(test_mixtures),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_room_for_little),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_same_everywhere),
		cmocka_unit_test(test_size),
	};

	has_peer = lzo_peer_load();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
