/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The compression codecs: streams of a kernel, our own streams there and back with every level, the form the kernel
 * needs (FORMAT files 8.3), limits, damaged streams.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/comp.h"
#include "comp_vectors.h"

static uint8_t sample[SAMPLE_SIZE], output[2 * SAMPLE_SIZE], packed[2 * SAMPLE_SIZE];

static const struct {
	enum comp_algorithm algorithm;
	const uint8_t *bytes;
	size_t len;
} vectors[] = {
	{ COMP_LZO, kernel_lzo, sizeof(kernel_lzo) },	 { COMP_LZORLE, kernel_lzorle, sizeof(kernel_lzorle) },
	{ COMP_LZ4, kernel_lz4, sizeof(kernel_lz4) },	 { COMP_LZ4, kernel_lz4hc, sizeof(kernel_lz4hc) },
	{ COMP_ZSTD, kernel_zstd, sizeof(kernel_zstd) },
};

#define GUARD 4096u
#define VECTORS (sizeof(vectors) / sizeof(vectors[0]))

static enum comp_result decompress(enum comp_algorithm algorithm, const uint8_t *in, size_t in_len, size_t out_len)
{
	uint8_t *from = malloc(in_len ? in_len : 1), *to = malloc(out_len ? out_len : 1);
	struct comp_state state;
	enum comp_result result;

	assert_non_null(from);
	assert_non_null(to);
	memcpy(from, in, in_len);
	comp_init(&state);
	result = comp_decompress(&state, algorithm, from, in_len, to, out_len);
	comp_fini(&state);
	memcpy(output, to, out_len);
	free(from);
	free(to);
	return result;
}

static void test_kernel_streams(void **state)
{
	(void)state;
	for (size_t i = 0; i < VECTORS; i++) {
		enum comp_algorithm algorithm = vectors[i].algorithm;

		if (!comp_can_decompress(algorithm)) {
			assert_int_equal(decompress(algorithm, vectors[i].bytes, vectors[i].len, SAMPLE_SIZE),
					 COMP_UNAVAILABLE);
			continue;
		}
		memset(output, 0xEE, sizeof(output));
		assert_int_equal(decompress(algorithm, vectors[i].bytes, vectors[i].len, SAMPLE_SIZE), COMP_OK);
		assert_memory_equal(output, sample, SAMPLE_SIZE);
		/* exactly this many bytes, from exactly these */
		assert_int_equal(decompress(algorithm, vectors[i].bytes, vectors[i].len, SAMPLE_SIZE - 1),
				 COMP_CORRUPT);
		assert_int_equal(decompress(algorithm, vectors[i].bytes, vectors[i].len, SAMPLE_SIZE + 1),
				 COMP_CORRUPT);
		assert_int_equal(decompress(algorithm, vectors[i].bytes, vectors[i].len - 1, SAMPLE_SIZE),
				 COMP_CORRUPT);
		assert_int_equal(decompress(algorithm, vectors[i].bytes, 0, SAMPLE_SIZE), COMP_CORRUPT);
	}
}

static enum comp_result compress(enum comp_algorithm algorithm, unsigned int level, const uint8_t *in, size_t in_len,
				 size_t cap, size_t *packed_len)
{
	void *work = malloc(comp_work_size(algorithm, level, in_len) + 1);
	uint8_t *to = malloc(cap ? cap : 1);
	struct comp_state state;
	struct comp_job job;
	enum comp_result result;

	assert_non_null(work);
	assert_non_null(to);
	comp_init(&state);
	job = (struct comp_job){ .in = in, .in_len = in_len, .out = to, .cap = cap, .work = work };
	result = comp_compress(&state, algorithm, level, &job);
	*packed_len = job.out_len;
	comp_fini(&state);
	if (result == COMP_OK) {
		assert_true(*packed_len <= cap);
		memcpy(packed, to, *packed_len);
	}
	free(work);
	free(to);
	return result;
}

static void test_every_level(void **state)
{
	(void)state;
	for (unsigned int algorithm = 0; algorithm < COMP_COUNT; algorithm++) {
		if (!comp_can_compress(algorithm))
			continue;
		for (unsigned int level = 0; level < 256; level++) {
			size_t n = 0, again = 0;

			if (!comp_level_is_valid(algorithm, level)) {
				assert_int_equal(compress(algorithm, level, sample, SAMPLE_SIZE, SAMPLE_SIZE, &n),
						 COMP_BAD_LEVEL);
				continue;
			}
			assert_int_equal(compress(algorithm, level, sample, SAMPLE_SIZE, SAMPLE_SIZE, &n), COMP_OK);
			assert_true(n < 600);
			assert_int_equal(decompress(algorithm, packed, n, SAMPLE_SIZE), COMP_OK);
			assert_memory_equal(output, sample, SAMPLE_SIZE);
			/* it fits exactly, and in no less */
			assert_int_equal(compress(algorithm, level, sample, SAMPLE_SIZE, n - 1, &again), COMP_NO_ROOM);
		}
	}
}

static void test_levels(void **state)
{
	static const struct {
		enum comp_algorithm algorithm;
		unsigned int level;
		bool valid;
	} levels[] = {
		{ COMP_LZO, 0, true },	  { COMP_LZO, 1, false },   { COMP_LZORLE, 0, true }, { COMP_LZORLE, 1, false },
		{ COMP_LZ4, 0, true },	  { COMP_LZ4, 1, false },   { COMP_LZ4, 2, false },   { COMP_LZ4, 3, true },
		{ COMP_LZ4, 12, true },	  { COMP_LZ4, 13, false },  { COMP_ZSTD, 0, true },   { COMP_ZSTD, 22, true },
		{ COMP_ZSTD, 23, false }, { COMP_COUNT, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		assert_int_equal(comp_level_is_valid(levels[i].algorithm, levels[i].level), levels[i].valid);
}

/* Output that fits to the byte. */
static void test_exact_fit(void **state)
{
	size_t n = 0, again = 0;

	(void)state;
	assert_int_equal(compress(COMP_LZO, 0, sample, SAMPLE_SIZE, SAMPLE_SIZE, &n), COMP_OK);
	assert_int_equal(compress(COMP_LZO, 0, sample, SAMPLE_SIZE, n, &again), COMP_OK);
	assert_int_equal(again, n);
}

/* Level 0 of ZSTD means 1; a high level makes something else. */
static void test_default_level(void **state)
{
	static uint8_t first[1024];
	size_t n0 = 0, n = 0;

	(void)state;
	if (!comp_can_compress(COMP_ZSTD))
		skip();
	assert_int_equal(compress(COMP_ZSTD, 0, sample, SAMPLE_SIZE, sizeof(first), &n0), COMP_OK);
	memcpy(first, packed, n0);
	assert_int_equal(compress(COMP_ZSTD, 1, sample, SAMPLE_SIZE, sizeof(first), &n), COMP_OK);
	assert_int_equal(n, n0);
	assert_memory_equal(packed, first, n);
	assert_int_equal(compress(COMP_ZSTD, 22, sample, SAMPLE_SIZE, sizeof(first), &n), COMP_OK);
	assert_true(n != n0 || memcmp(packed, first, n) != 0);
}

/* Lengths that the libraries' int does not hold are refused before anything is touched. */
static void test_absurd_lengths(void **state)
{
	struct comp_state comp;
	struct comp_job endless = { .in_len = SIZE_MAX, .out = output, .cap = 1 };
	struct comp_job job = { .in = sample, .in_len = 1, .out = output, .cap = 1 };

	(void)state;
	comp_init(&comp);
	for (unsigned int algorithm = 0; algorithm < COMP_COUNT; algorithm++) {
		if (comp_can_decompress(algorithm)) {
			assert_int_equal(comp_decompress(&comp, algorithm, NULL, SIZE_MAX, output, 1), COMP_CORRUPT);
			assert_int_equal(comp_decompress(&comp, algorithm, sample, 1, NULL, SIZE_MAX), COMP_CORRUPT);
		}
		if (comp_can_compress(algorithm))
			assert_int_equal(comp_compress(&comp, algorithm, 0, &endless),
					 COMP_NO_ROOM);
	}
	assert_int_equal(comp_compress(&comp, COMP_COUNT, 0, &job), COMP_UNAVAILABLE);
	comp_fini(&comp);
}

/* Descriptor 0 (no content size, checksum, dictionary), and a window no larger than the input. */
static void test_zstd_frame(void **state)
{
	(void)state;
	if (!comp_can_compress(COMP_ZSTD))
		skip();
	for (unsigned int level = 0; level <= 22; level++) {
		for (size_t in_len = 16384; in_len <= SAMPLE_SIZE; in_len *= 2) {
			size_t n, window;

			assert_int_equal(compress(COMP_ZSTD, level, sample, in_len, SAMPLE_SIZE, &n), COMP_OK);
			assert_memory_equal(packed, "\x28\xB5\x2F\xFD\x00", 5);
			window = (size_t)1 << (10 + (packed[5] >> 3));
			window += window / 8 * (packed[5] & 7);
			assert_true(window <= in_len);
		}
	}
}

static void test_incompressible(void **state)
{
	static uint8_t noise[16384];
	uint32_t seed = 99;

	(void)state;
	for (size_t i = 0; i < sizeof(noise); i++) {
		seed = seed * 1103515245u + 12345u;
		noise[i] = (uint8_t)(seed >> 24);
	}
	for (unsigned int algorithm = 0; algorithm < COMP_COUNT; algorithm++) {
		size_t n = 0;

		if (!comp_can_compress(algorithm))
			continue;
		assert_int_equal(compress(algorithm, 0, noise, sizeof(noise), 3 * 4096 - 24, &n), COMP_NO_ROOM);
		assert_int_equal(compress(algorithm, 0, noise, sizeof(noise), sizeof(packed), &n), COMP_OK);
		assert_int_equal(decompress(algorithm, packed, n, sizeof(noise)), COMP_OK);
		assert_memory_equal(output, noise, sizeof(noise));
	}
}

/* A state serves any number of calls, also after a failed one. */
static void test_state_is_reusable(void **state)
{
	struct comp_state comp;

	(void)state;
	comp_init(&comp);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < VECTORS; i++) {
			enum comp_algorithm algorithm = vectors[i].algorithm;

			if (!comp_can_decompress(algorithm))
				continue;
			assert_int_equal(comp_decompress(&comp, algorithm, vectors[i].bytes, vectors[i].len / 2, output,
							 SAMPLE_SIZE),
					 COMP_CORRUPT);
			assert_int_equal(comp_decompress(&comp, algorithm, vectors[i].bytes, vectors[i].len, output,
							 SAMPLE_SIZE),
					 COMP_OK);
			assert_memory_equal(output, sample, SAMPLE_SIZE);
		}
	}
	comp_fini(&comp);
	comp_fini(&comp);
}

/* The same with guard bytes around the output that must not change, where no sanitizer watches. */
static enum comp_result decompress_guarded(enum comp_algorithm algorithm, const uint8_t *in, size_t in_len)
{
	static uint8_t room[SAMPLE_SIZE + 2 * GUARD];
	struct comp_state state;
	enum comp_result result;

	memset(room, 0xa5, sizeof(room));
	comp_init(&state);
	result = comp_decompress(&state, algorithm, in, in_len, room + GUARD, SAMPLE_SIZE);
	comp_fini(&state);
	for (size_t i = 0; i < GUARD; i++)
		assert_true(room[i] == 0xa5 && room[GUARD + SAMPLE_SIZE + i] == 0xa5);
	return result;
}

/* decompress() gives each call blocks of exactly its sizes; the sanitizers watch their ends. */
static void test_damaged_streams(void **state)
{
	unsigned refused[VECTORS] = { 0 };
	enum comp_result result;
	uint32_t seed = 5;

	(void)state;
	for (int round = 0; round < 4000; round++) {
		size_t which = (size_t)round % VECTORS, len = vectors[which].len;
		uint8_t in[1024];

		memcpy(in, vectors[which].bytes, len);
		for (int hits = 0; hits < 2; hits++) {
			seed = seed * 1103515245u + 12345u;
			in[(seed >> 16) % len] = (uint8_t)(seed >> 8);
		}
		result = decompress(vectors[which].algorithm, in, len, SAMPLE_SIZE);
		assert_int_equal(decompress_guarded(vectors[which].algorithm, in, len), result);
		refused[which] += result == COMP_CORRUPT;
	}
	for (size_t i = 0; i < VECTORS; i++)
		assert_true(comp_can_decompress(vectors[i].algorithm) ? refused[i] > 50 : refused[i] == 0);
}

/* Whatever algorithm a stream is said to be of, what reads it is found; what none reads stays damaged. */
static void test_another_name(void **state)
{
	struct comp_state codecs;

	(void)state;
	comp_init(&codecs);
	for (size_t i = 0; i < VECTORS; i++)
		for (unsigned said = 0; said < 2 * COMP_COUNT; said++) {
			const int is_same = said == COMP_LZORLE && vectors[i].algorithm == COMP_LZO;
			unsigned algorithm = said;

			if (!comp_can_decompress(vectors[i].algorithm) || said == vectors[i].algorithm)
				continue;
			assert_int_equal(comp_decompress_other(&codecs, &algorithm, vectors[i].bytes, vectors[i].len,
							       output, SAMPLE_SIZE),
					 is_same ? COMP_CORRUPT : COMP_OK);
			if (is_same)
				continue;
			assert_memory_equal(output, sample, SAMPLE_SIZE);
			assert_int_equal(comp_decompress_other(&codecs, &algorithm, vectors[i].bytes,
							       vectors[i].len - 1, output, SAMPLE_SIZE),
					 COMP_CORRUPT);
		}
	comp_fini(&codecs);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(comp_name(COMP_LZO), "lzo");
	assert_string_equal(comp_name(COMP_LZ4), "lz4");
	assert_string_equal(comp_name(COMP_ZSTD), "zstd");
	assert_string_equal(comp_name(COMP_LZORLE), "lzo-rle");
	assert_null(comp_name(COMP_COUNT));
	assert_null(comp_name(255));
	assert_false(comp_can_decompress(COMP_COUNT));
	assert_false(comp_can_compress(COMP_COUNT));
	assert_true(comp_can_decompress(COMP_LZO));
	assert_true(comp_can_decompress(COMP_LZORLE));
	assert_true(comp_can_compress(COMP_LZO));
	assert_true(comp_can_compress(COMP_LZORLE));
	assert_int_equal(decompress(COMP_COUNT, sample, 10, 10), COMP_UNAVAILABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_streams),
		cmocka_unit_test(test_every_level),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_exact_fit),
		cmocka_unit_test(test_default_level),
		cmocka_unit_test(test_absurd_lengths),
		cmocka_unit_test(test_zstd_frame),
		cmocka_unit_test(test_incompressible),
		cmocka_unit_test(test_state_is_reusable),
		cmocka_unit_test(test_damaged_streams),
		cmocka_unit_test(test_another_name),
		cmocka_unit_test(test_names),
	};

	make_sample(sample);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
