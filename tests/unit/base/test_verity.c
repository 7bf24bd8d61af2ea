/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Merkle trees: file digests that a kernel measured for the same contents, one stored tree of a kernel, every single
 * byte of data and tree damaged, failing callbacks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/verity.h"

static const struct vector {
	uint32_t size;
	unsigned int algorithm, log_block;
	const char *salt; /* hex */
	const char *digest;
} vectors[] = {
	{ 0, 1, 12, "", "3d248ca542a24fc62d1c43b916eae5016878e2533c88238480b26128a1f1af95" },
	{ 1, 1, 12, "", "9845e616f7d2f7a1cd6742f0546a36d2e74d4eb8ae7d9bdc0b0df982c27861b7" },
	{ 4096, 1, 12, "", "59faa776da5dfc5d6ee08c40d2b5b9c0a02201ce1a9a7677a1dca2b1653ec32f" },
	{ 4097, 1, 12, "", "64829002ce8194a6a32062f68de618d5eef8ac574b01d5c6a74d5ac8c0168b91" },
	{ 524288, 1, 12, "", "6c685bdbf6f74b5aedce80800c4d53c6e2aedd5c67deabc961a1b6b65aa101fc" },
	{ 524289, 1, 12, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
	  "6d112eb4a5ac188ab2eeb835ddbba046508eda4fe677c086a85ab32feba01f32" },
	{ 700000, 1, 12, "73616c74", "cda6a8222ac5ece6dd26ff3b07dd1c698eab0fddd059732852e999b31087c1be" },
	{ 300000, 2, 10, "",
	  "edfda4eb3c4f3efb4ac794fd2e514554200e03c90bd91d391f4c192f0d6d93b4"
	  "b6c60ee39112862b801d770499541fbd2f1ec29ba17f2df6df4b8ce5cfa71deb" },
	{ 300000, 2, 12, "30313233343536373839",
	  "2f96d595521b77e3bbdd8d6b1435463e08700c432f62e54585221fce3616104d"
	  "3cf491e84d488fec9c88d51043fa8abc76618ca069346ef3f89f9b771567b457" },
	{ 65536, 1, 10, "", "3ae5ce9fa047ccd66983b3065a5625ced9a4df30fb026533b275f46be05d5db8" },
	{ 262144, 2, 10, "78",
	  "c8dcb5417b4db21de1c1864a5494e86c120f5c3bf7024a86d95d11dda4180b23"
	  "3cdf16560723c2b8c82eb5293a9192b125274c9ddd6a5287ed009689e57daba0" },
};

#define VECTORS (sizeof(vectors) / sizeof(vectors[0]))

/* A file in memory, with its tree. */
struct file {
	struct verity v;
	struct verity_io io;
	uint8_t *data, *tree, *work;
	uint8_t root[SHA_MAX_SIZE];
	/* arguments of report() */
	int reports, level;
	uint64_t index;
	/* let the callback whose turn it is fail */
	int calls_left;
};

static int next_call(struct file *f)
{
	return f->calls_left >= 0 && f->calls_left-- == 0 ? -77 : 0;
}

static int read_data(void *user, uint64_t offset, void *buf, size_t n)
{
	struct file *f = user;

	assert_true(offset <= f->v.params.data_size && n <= f->v.params.data_size - offset);
	memcpy(buf, f->data + offset, n);
	return next_call(f);
}

static int read_tree(void *user, uint64_t index, void *buf, size_t n)
{
	struct file *f = user;

	assert_true(index < f->v.tree_blocks);
	assert_int_equal(n, f->v.block_size);
	memcpy(buf, f->tree + index * n, n);
	return next_call(f);
}

static int write_tree(void *user, uint64_t index, const void *buf, size_t n)
{
	struct file *f = user;

	assert_true(index < f->v.tree_blocks);
	assert_int_equal(n, f->v.block_size);
	memcpy(f->tree + index * n, buf, n);
	return next_call(f);
}

static int report(void *user, int level, uint64_t index)
{
	struct file *f = user;

	f->reports++;
	f->level = level;
	f->index = index;
	return next_call(f);
}

static size_t from_hex(const char *hex, uint8_t *out)
{
	size_t n = strlen(hex) / 2;

	for (size_t i = 0; i < n; i++) {
		unsigned int byte;

		assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
		out[i] = (uint8_t)byte;
	}
	return n;
}

/* False if the build lacks the algorithm. */
static bool open_file(struct file *f, const struct vector *vector)
{
	struct verity_params params = {
		.algorithm = vector->algorithm,
		.log_block = vector->log_block,
		.data_size = vector->size,
	};
	uint32_t seed = vector->size;

	memset(f, 0, sizeof(*f));
	f->calls_left = -1;
	params.salt_size = from_hex(vector->salt, params.salt);
	if (!sha_is_available(vector->algorithm)) {
		assert_int_equal(verity_init(&f->v, &params), VERITY_UNAVAILABLE);
		return false;
	}
	assert_int_equal(verity_init(&f->v, &params), VERITY_OK);
	f->io = (struct verity_io){ f, read_data, read_tree, write_tree, report };
	f->data = malloc(vector->size + 1);
	f->tree = malloc((size_t)verity_tree_size(&f->v) + 1);
	f->work = malloc(verity_work_size(&f->v));
	assert_non_null(f->data);
	assert_non_null(f->tree);
	assert_non_null(f->work);
	for (uint32_t i = 0; i < vector->size; i++) {
		seed = seed * 1103515245u + 12345u;
		f->data[i] = (uint8_t)(seed >> 24);
	}
	assert_int_equal(verity_build(&f->v, &f->io, f->work, f->root), VERITY_OK);
	return true;
}

static void close_file(struct file *f)
{
	verity_fini(&f->v);
	free(f->data);
	free(f->tree);
	free(f->work);
}

static int verify(struct file *f)
{
	f->reports = 0;
	return verity_verify(&f->v, &f->io, f->root, f->work);
}

static void check_file_digest(const struct file *f, const char *want)
{
	uint8_t descriptor[VERITY_DESCRIPTOR_SIZE] = { 1 }, digest[SHA_MAX_SIZE], expected[SHA_MAX_SIZE];
	const struct verity_params *p = &f->v.params;

	descriptor[1] = (uint8_t)p->algorithm;
	descriptor[2] = (uint8_t)p->log_block;
	descriptor[3] = (uint8_t)p->salt_size;
	put_le32(descriptor + 4, 99); /* the size of a signature does not count */
	put_le64(descriptor + 8, p->data_size);
	memcpy(descriptor + 16, f->root, f->v.digest_size);
	memcpy(descriptor + 80, p->salt, p->salt_size);
	assert_int_equal(verity_file_digest(p->algorithm, descriptor, digest), VERITY_OK);
	assert_int_equal(from_hex(want, expected), f->v.digest_size);
	assert_memory_equal(digest, expected, f->v.digest_size);
}

static void test_kernel_digests(void **state)
{
	(void)state;
	for (size_t i = 0; i < VECTORS; i++) {
		struct file f;

		if (!open_file(&f, &vectors[i]))
			continue;
		check_file_digest(&f, vectors[i].digest);
		assert_int_equal(verify(&f), VERITY_OK);
		assert_int_equal(f.reports, 0);
		for (uint64_t k = 0; k < f.v.data_blocks; k += 37)
			assert_int_equal(verity_verify_block(&f.v, &f.io, f.root, k, f.work), VERITY_OK);
		close_file(&f);
	}
}

/* The digest of the tree that a kernel stored for the vector with three levels. */
static void test_kernel_tree(void **state)
{
	uint8_t digest[SHA_MAX_SIZE], want[SHA_MAX_SIZE];
	struct file f;

	(void)state;
	if (!open_file(&f, &vectors[7]))
		skip();
	assert_int_equal(f.v.levels, 3);
	assert_int_equal(verity_tree_size(&f.v), 22528);
	assert_int_equal(sha_digest(SHA_256, f.tree, 22528, digest), 0);
	from_hex("70af451184dce09f309947acbdebf39356835273d9102555a78635bf12703778", want);
	assert_memory_equal(digest, want, 32);
	close_file(&f);
}

static void test_damaged_data(void **state)
{
	(void)state;
	for (size_t i = 1; i < VECTORS; i++) {
		struct file f;

		if (!open_file(&f, &vectors[i]))
			continue;
		for (uint32_t at = 0; at < vectors[i].size; at += 1 + vectors[i].size / 5) {
			f.data[at] ^= 0x10;
			assert_int_equal(verify(&f), VERITY_MISMATCH);
			assert_int_equal(f.reports, 1);
			assert_int_equal(f.level, VERITY_DATA);
			assert_int_equal(f.index, at >> f.v.params.log_block);
			assert_int_equal(verity_verify_block(&f.v, &f.io, f.root, f.index, f.work), VERITY_MISMATCH);
			f.data[at] ^= 0x10;
		}
		f.root[0] ^= 1;
		assert_int_equal(verify(&f), VERITY_MISMATCH);
		close_file(&f);
	}
}

/* A damaged hash: the block that holds it is reported, and the block below that it belongs to. */
static void test_damaged_tree(void **state)
{
	struct file f;

	(void)state;
	if (!open_file(&f, &(struct vector){ 65536, SHA_256, 10, "", "" }))
		skip();
	assert_int_equal(f.v.tree_blocks, 3);
	/* hash 3 of the root block: of the second level's blocks there are two, so it is padding */
	f.tree[3 * 32] ^= 1;
	assert_int_equal(verify(&f), VERITY_MISMATCH);
	assert_int_equal(f.reports, 1);
	assert_int_equal(f.level, 1);
	f.tree[3 * 32] ^= 1;
	/* hash 5 of the second leaf block belongs to data block 37 */
	f.tree[2 * 1024 + 5 * 32] ^= 1;
	assert_int_equal(verify(&f), VERITY_MISMATCH);
	assert_int_equal(f.reports, 2);
	assert_int_equal(f.level, VERITY_DATA);
	assert_int_equal(f.index, 37);
	/* data under another leaf block is still good; a block under this one is not, though its own hash is right */
	assert_int_equal(verity_verify_block(&f.v, &f.io, f.root, 0, f.work), VERITY_OK);
	f.reports = 0;
	assert_int_equal(verity_verify_block(&f.v, &f.io, f.root, 32, f.work), VERITY_MISMATCH);
	assert_int_equal(f.reports, 1);
	assert_int_equal(f.level, 0);
	assert_int_equal(f.index, 1);
	/* without someone to report to, the first one ends it */
	f.io.report = NULL;
	assert_int_equal(verify(&f), VERITY_MISMATCH);
	close_file(&f);
}

static void test_empty(void **state)
{
	struct file f;

	(void)state;
	assert_true(open_file(&f, &(struct vector){ 0, SHA_256, 12, "", "" }));
	assert_int_equal(f.v.tree_blocks, 0);
	assert_int_equal(verify(&f), VERITY_OK);
	f.root[31] = 1;
	assert_int_equal(verify(&f), VERITY_MISMATCH);
	close_file(&f);
}

/* Whichever callback fails, its number comes back. */
static void test_failing_callbacks(void **state)
{
	uint8_t root[SHA_MAX_SIZE];
	int calls = 0, result;
	struct file f;

	(void)state;
	assert_true(open_file(&f, &(struct vector){ 200000, SHA_256, 10, "", "" }));
	do {
		f.calls_left = calls++;
		result = verity_build(&f.v, &f.io, f.work, root);
	} while (result == -77);
	assert_int_equal(result, VERITY_OK);
	assert_true(calls > 8);
	f.data[199999] ^= 1;
	calls = 0;
	do {
		f.calls_left = calls++;
		result = verify(&f);
	} while (result == -77);
	assert_int_equal(result, VERITY_MISMATCH);
	assert_true(calls > 8);
	close_file(&f);
}

static void test_params(void **state)
{
	static const struct verity_params bad[] = {
		{ .algorithm = 0, .log_block = 12 },
		{ .algorithm = 3, .log_block = 12 },
		{ .algorithm = SHA_256, .log_block = 9 },
		{ .algorithm = SHA_256, .log_block = 17 },
		{ .algorithm = SHA_256, .log_block = 12, .salt_size = 33 },
	};
	const struct verity_params largest = { .algorithm = SHA_256, .log_block = 16, .salt_size = 32 };
	const struct verity_params huge = { .algorithm = SHA_256, .log_block = 10, .data_size = UINT64_MAX };
	uint8_t digest[SHA_MAX_SIZE], descriptor[VERITY_DESCRIPTOR_SIZE] = { 0 };
	struct verity v;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(verity_init(&v, &bad[i]), VERITY_BAD_PARAMS);
	assert_int_equal(verity_file_digest(3, descriptor, digest), VERITY_BAD_PARAMS);
	assert_int_equal(verity_init(&v, &largest), VERITY_OK);
	assert_true(verity_work_size(&v) < 1500000);
	verity_fini(&v);
	assert_int_equal(verity_init(&v, &huge), VERITY_OK);
	assert_true(v.data_blocks == (uint64_t)1 << 54);
	assert_int_equal(v.levels, 11);
	assert_true(verity_work_size(&v) < 1500000);
	verity_fini(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_digests), cmocka_unit_test(test_kernel_tree),
		cmocka_unit_test(test_damaged_data),   cmocka_unit_test(test_damaged_tree),
		cmocka_unit_test(test_empty),	       cmocka_unit_test(test_failing_callbacks),
		cmocka_unit_test(test_params),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
