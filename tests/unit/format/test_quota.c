/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quota files: one of a kernel read in full, each kind of damage, random damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "format/quota.h"
#include "format/quota_walk.h"
#include "quota_sample.h"

#define ENTRIES 71 /* of the sample */

/* A file in memory and the results of a walk. */
struct fixture {
	uint8_t *bytes;
	uint64_t size;
	struct quota_file file;
	struct quota_work *work;
	uint8_t *map;
	int reads, fail_at;
	int entries, problems, stop_at;
	uint64_t inodes, space;
	uint32_t last_id;
	struct quota_problem problem; /* the first */
};

static int read_bytes(void *user, uint64_t offset, void *buf, size_t n)
{
	struct fixture *f = user;

	assert_true(offset <= f->size && n <= f->size - offset);
	if (++f->reads == f->fail_at)
		return -33;
	memcpy(buf, f->bytes + offset, n);
	return 0;
}

static int on_entry(void *user, const struct quota_entry *entry)
{
	struct fixture *f = user;

	assert_true(f->entries == 0 || entry->id > f->last_id);
	f->last_id = entry->id;
	f->inodes += entry->inodes;
	f->space += entry->space;
	return ++f->entries == f->stop_at ? -44 : 0;
}

static int on_problem(void *user, const struct quota_problem *problem)
{
	struct fixture *f = user;

	if (f->problems++ == 0)
		f->problem = *problem;
	assert_true(strlen(quota_problem_text(problem->kind)) > 0);
	return 0;
}

static void set_up(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->size = QUOTA_SAMPLE_SIZE;
	f->bytes = malloc(QUOTA_SAMPLE_SIZE);
	f->work = malloc(sizeof(*f->work));
	assert_non_null(f->bytes);
	assert_non_null(f->work);
	make_quota_sample(f->bytes);
}

static int open_file(struct fixture *f)
{
	int result = quota_open(&f->file, read_bytes, f, f->size);

	free(f->map);
	f->map = result == 0 ? malloc(quota_check_size(&f->file)) : NULL;
	return result;
}

static void tear_down(struct fixture *f)
{
	free(f->bytes);
	free(f->work);
	free(f->map);
}

static int walk(struct fixture *f)
{
	struct quota_visitor visitor = { f, on_entry, on_problem };

	f->entries = f->problems = f->reads = 0;
	f->inodes = f->space = 0;
	return quota_walk(&f->file, f->work, &visitor);
}

static int check(struct fixture *f)
{
	struct quota_visitor visitor = { f, on_entry, on_problem };

	f->entries = f->problems = f->reads = 0;
	f->inodes = f->space = 0;
	return quota_check(&f->file, f->work, f->map, &visitor);
}

static void test_header(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	assert_int_equal(open_file(&f), QUOTA_OK);
	assert_int_equal(f.file.type, QUOTA_USER);
	assert_string_equal(quota_type_name(f.file.type), "user");
	assert_int_equal(f.file.version, 1);
	assert_int_equal(f.file.blocks, 26);
	assert_int_equal(f.file.space_grace, 604800);
	assert_int_equal(f.file.inodes_grace, 604800);
	tear_down(&f);
}

static void test_walk(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	assert_int_equal(open_file(&f), QUOTA_OK);
	assert_int_equal(walk(&f), QUOTA_OK);
	assert_int_equal(f.entries, ENTRIES);
	assert_int_equal(f.problems, 0);
	assert_int_equal(f.inodes, 71); /* 70 files and the root; the 71st id owns nothing */
	assert_int_equal(f.last_id, 4294967294u);
	assert_int_equal(check(&f), QUOTA_OK);
	assert_int_equal(f.entries, ENTRIES);
	assert_int_equal(f.problems, 0);
	f.stop_at = 5;
	assert_int_equal(walk(&f), -44);
	assert_int_equal(f.entries, 5);
	tear_down(&f);
}

static void test_lookup(void **state)
{
	struct quota_entry e = { .id = 7 };
	struct fixture f;

	(void)state;
	set_up(&f);
	assert_int_equal(open_file(&f), QUOTA_OK);
	assert_int_equal(quota_lookup(&f.file, f.work, 4294967294u, &e), QUOTA_OK);
	assert_int_equal(e.id, 4294967294u);
	assert_int_equal(e.inodes, 1);
	assert_int_equal(e.inodes_soft, 5);
	assert_true(e.inodes_hard == (uint64_t)1 << 33);
	assert_int_equal(e.space, 8192);
	assert_true(e.space_soft == (uint64_t)1 << 32);
	assert_true(e.space_hard == (uint64_t)1 << 33);
	assert_int_equal(e.inodes_grace, 0);
	assert_int_equal(e.space_grace, 0);
	assert_int_equal(quota_lookup(&f.file, f.work, 2000, &e), QUOTA_NOT_FOUND);
	assert_int_equal(quota_lookup(&f.file, f.work, 123456, &e), QUOTA_NOT_FOUND);
	assert_int_equal(e.id, 4294967294u);
	tear_down(&f);
}

/* Id 0 without usage and limits is stored with a time of 1, which means nothing. */
static void test_escaped_zero(void **state)
{
	struct quota_entry e;
	struct fixture f;
	uint8_t *entry;

	(void)state;
	set_up(&f);
	assert_int_equal(open_file(&f), QUOTA_OK);
	entry = f.bytes + 5 * QUOTA_BLOCK_SIZE + 16;
	memset(entry, 0, 72);
	entry[64] = 1;
	assert_int_equal(quota_lookup(&f.file, f.work, 0, &e), QUOTA_OK);
	assert_int_equal(e.id, 0);
	assert_int_equal(e.inodes_grace, 0);
	entry[8] = 1; /* with a limit it is a time */
	assert_int_equal(quota_lookup(&f.file, f.work, 0, &e), QUOTA_OK);
	assert_int_equal(e.inodes_grace, 1);
	entry[8] = entry[64] = 0; /* all zeros is no entry */
	assert_int_equal(quota_lookup(&f.file, f.work, 0, &e), QUOTA_DAMAGED);
	assert_int_equal(f.file.last_problem.kind, QUOTA_NO_ENTRY);
	tear_down(&f);
}

/* The older version: the same tree, 21 entries of 48 bytes. */
static void test_version_0(void **state)
{
	struct quota_entry e;
	struct fixture f;
	uint8_t *entry;

	(void)state;
	set_up(&f);
	memset(f.bytes + 5 * QUOTA_BLOCK_SIZE, 0, 1024);
	put_le32(f.bytes + 4, 0);
	put_le16(f.bytes + 5 * QUOTA_BLOCK_SIZE + 8, 1);
	entry = f.bytes + 5 * QUOTA_BLOCK_SIZE + 16 + 20 * 48; /* the last one */
	for (uint32_t i = 1; i < 6; i++)
		put_le32(entry + 4 * i, i);
	put_le32(entry, 1000);
	put_le64(entry + 24, 6);
	put_le64(entry + 32, 7);
	put_le64(entry + 40, 8);
	assert_int_equal(open_file(&f), QUOTA_OK);
	assert_int_equal(quota_lookup(&f.file, f.work, 1000, &e), QUOTA_OK);
	assert_int_equal(e.inodes_hard, 1);
	assert_int_equal(e.inodes_soft, 2);
	assert_int_equal(e.inodes, 3);
	assert_int_equal(e.space_hard, 4);
	assert_int_equal(e.space_soft, 5);
	assert_int_equal(e.space, 6);
	assert_int_equal(e.space_grace, 7);
	assert_int_equal(e.inodes_grace, 8);
	tear_down(&f);
}

static void test_bad_headers(void **state)
{
	static const struct {
		uint32_t offset, value;
		enum quota_problem_kind kind;
	} bad[] = {
		{ 0, 0xD9C01F12, QUOTA_MAGIC }, { 4, 2, QUOTA_VERSION },    { 20, 27, QUOTA_TOO_SHORT },
		{ 20, 1, QUOTA_TOO_SHORT },	{ 20, 0, QUOTA_TOO_SHORT }, { 20, 0xFFFFFFFF, QUOTA_TOO_SHORT },
		{ 24, 26, QUOTA_FREE_HEAD },	{ 24, 1, QUOTA_FREE_HEAD }, { 28, 26, QUOTA_FREE_HEAD },
		{ 28, 1, QUOTA_FREE_HEAD },
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		set_up(&f);
		put_le32(f.bytes + bad[i].offset, bad[i].value);
		assert_int_equal(open_file(&f), QUOTA_DAMAGED);
		assert_int_equal(f.file.last_problem.kind, bad[i].kind);
		tear_down(&f);
	}
	set_up(&f);
	f.size = 31;
	assert_int_equal(open_file(&f), QUOTA_DAMAGED);
	assert_int_equal(f.file.last_problem.kind, QUOTA_TOO_SHORT);
	tear_down(&f);
}

/* One word changed, and the first finding of the check. The blocks' roles: see the sample. */
static const struct {
	uint32_t block, word, value;
	enum quota_problem_kind kind;
	uint32_t problem_block, problem_id;
} damages[] = {
	{ 1, 7, 26, QUOTA_REFERENCE, 1, 0x07000000 },
	{ 1, 7, 1, QUOTA_REFERENCE, 1, 0x07000000 },
	{ 1, 7, 2, QUOTA_SHARED, 2, 0x07000000 }, /* a node twice */
	{ 4, 3, 12, QUOTA_NO_ENTRY, 12, 3 },	  /* a node as a leaf .. */
	{ 3, 9, 13, QUOTA_NO_ENTRY, 14, 0x900 },  /* a node of an upper level as one of the lowest */
	{ 3, 9, 5, QUOTA_SHARED, 5, 0x900 },	  /* a leaf as a node */
	{ 4, 3, 5, QUOTA_NO_ENTRY, 5, 3 },
	{ 4, 13, 0, QUOTA_LOST_ENTRY, 5, 13 },
	{ 5, 2, 11, QUOTA_LEAF_COUNT, 5, 0 },
	{ 0, 6, 5, QUOTA_FREE_LIST, 5, 0 }, /* a leaf as free */
	{ 0, 6, 4, QUOTA_FREE_LIST, 4, 0 },
	{ 8, 0, 8, QUOTA_FREE_LIST, 8, 0 }, /* a loop */
	{ 8, 0, 99, QUOTA_FREE_LIST, 99, 0 },
	{ 0, 7, 8, QUOTA_FREE_LIST, 8, 0 },   /* a free block as a leaf with room */
	{ 0, 7, 20, QUOTA_FREE_LIST, 20, 0 }, /* a full one */
	{ 24, 0, 19, QUOTA_FREE_LIST, 19, 0 },
	{ 24, 1, 20, QUOTA_FREE_LIST, 24, 0 },
};

static void test_damage(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct fixture f;

		set_up(&f);
		put_le32(f.bytes + damages[i].block * QUOTA_BLOCK_SIZE + 4 * damages[i].word, damages[i].value);
		assert_int_equal(open_file(&f), QUOTA_OK);
		assert_int_equal(check(&f), QUOTA_OK);
		assert_true(f.problems > 0);
		assert_int_equal(f.problem.kind, damages[i].kind);
		assert_int_equal(f.problem.block, damages[i].problem_block);
		assert_int_equal(f.problem.id, damages[i].problem_id);
		/* without someone to report to, the first one ends it */
		assert_int_equal(quota_check(&f.file, f.work, f.map, &(struct quota_visitor){ &f, NULL, NULL }),
				 QUOTA_DAMAGED);
		assert_int_equal(f.file.last_problem.kind, damages[i].kind);
		tear_down(&f);
	}
}

/* The same id twice in a leaf: only the first can be found. */
static void test_double_entry(void **state)
{
	struct fixture f;
	uint8_t *leaf;

	(void)state;
	set_up(&f);
	leaf = f.bytes + 5 * QUOTA_BLOCK_SIZE;
	for (unsigned int i = 0; i < 14; i++) {
		uint8_t *entry = leaf + 16 + 72 * i;

		if (get_le32(entry) == 0 && get_le64(entry + 24) == 0) { /* free */
			put_le32(entry, 13);
			put_le16(leaf + 8, (uint16_t)(get_le16(leaf + 8) + 1));
			break;
		}
	}
	assert_int_equal(open_file(&f), QUOTA_OK);
	assert_int_equal(check(&f), QUOTA_OK);
	assert_int_equal(f.problems, 1);
	assert_int_equal(f.problem.kind, QUOTA_LOST_ENTRY);
	assert_int_equal(f.problem.id, 13);
	tear_down(&f);
}

/* A tree that refers to itself everywhere has 256^4 ways; a walk must not take them all. */
static void test_endless_tree(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f);
	for (uint32_t block = 1; block < 26; block++)
		for (uint32_t i = 0; i < 256; i++)
			put_le32(f.bytes + block * QUOTA_BLOCK_SIZE + 4 * i, 2 + i % 24);
	assert_int_equal(open_file(&f), QUOTA_OK);
	assert_int_equal(walk(&f), QUOTA_OK);
	assert_true(f.problems > 0);
	assert_true(f.reads < 26 * 257);
	assert_int_equal(check(&f), QUOTA_OK);
	assert_true(f.problems > 0);
	tear_down(&f);
}

static void test_failing_reads(void **state)
{
	struct fixture f;
	int fail_at = 0, result;

	(void)state;
	set_up(&f);
	assert_int_equal(open_file(&f), QUOTA_OK);
	do {
		f.fail_at = ++fail_at;
		result = check(&f);
	} while (result == -33);
	assert_int_equal(result, QUOTA_OK);
	assert_true(fail_at > 26);
	f.fail_at = 1;
	f.reads = 0;
	assert_int_equal(open_file(&f), -33);
	tear_down(&f);
}

static void test_random_damage(void **state)
{
	uint32_t seed = 11;

	(void)state;
	for (int round = 0; round < 1500; round++) {
		struct fixture f;

		set_up(&f);
		for (int hits = 0; hits < 1 + round % 20; hits++) {
			uint32_t where;

			seed = seed * 1103515245u + 12345u;
			where = (seed >> 8) % (QUOTA_SAMPLE_SIZE / 4) * 4;
			put_le32(f.bytes + where, hits % 3 ? (seed >> 28) * 2 : seed);
		}
		if (open_file(&f) == QUOTA_OK) {
			struct quota_visitor visitor = { &f, NULL, on_problem };
			struct quota_entry e;

			f.reads = 0;
			assert_int_equal(quota_walk(&f.file, f.work, &visitor), QUOTA_OK);
			assert_true(f.reads < 26 * 257);
			assert_int_equal(quota_check(&f.file, f.work, f.map, &visitor), QUOTA_OK);
			quota_lookup(&f.file, f.work, seed, &e);
		}
		tear_down(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header),	      cmocka_unit_test(test_walk),
		cmocka_unit_test(test_lookup),	      cmocka_unit_test(test_escaped_zero),
		cmocka_unit_test(test_version_0),     cmocka_unit_test(test_bad_headers),
		cmocka_unit_test(test_damage),	      cmocka_unit_test(test_double_entry),
		cmocka_unit_test(test_endless_tree),  cmocka_unit_test(test_failing_reads),
		cmocka_unit_test(test_random_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
