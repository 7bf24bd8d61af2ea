/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Usage in quota files as owners come and go: the entry of id 0, which without usage would be a free slot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/fresh.h"

static struct fresh v;

static int set_up(void **state)
{
	(void)state;
	fresh_open(&v, 64 << 20, F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_QUOTA);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fresh_close(&v);
	return 0;
}

static int take_first(void *user, const struct f2fs_quota *quota)
{
	struct f2fs_quota *out = user;

	if (quota->id == 0)
		*out = *quota;
	return 0;
}

static int take_one(void *user, const struct f2fs_quota *quota)
{
	struct f2fs_quota *out = user;

	if (quota->id == out->id)
		*out = *quota;
	return 0;
}

/* Give the root to a user, make it true, and get the usage of user 0. */
static void give_root_to(uint32_t uid, struct f2fs_quota *zero)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .threads = 1 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	struct f2fs_inode *root;

	assert_int_equal(f2fs_lookup(v.vol, "/", 0, &root), 0);
	assert_int_equal(f2fs_inode_set(root, F2FS_SET_UID, &(struct f2fs_stat){ .uid = uid }), 0);
	f2fs_inode_close(root);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_check(v.ctx, v.dev, &options, &result), 0);
	assert_int_equal(result.found, 0);
	zero->id = 1;
	assert_int_equal(f2fs_quota_list(v.vol, 0, take_first, zero), 0);
	assert_int_equal(zero->id, 0);
}

static void user_0_may_own_nothing(void **state)
{
	struct f2fs_quota zero;

	(void)state;
	for (int i = 0; i < 2; i++) {
		give_root_to(1000, &zero);
		assert_int_equal(zero.inodes, 0);
		assert_int_equal(zero.inode_grace, 0);
		give_root_to(0, &zero); /* no time is left that would mean that its grace ended */
		assert_int_equal(zero.inodes, 1);
		assert_int_equal(zero.inode_grace, 0);
	}
}

/* The entry of an id, asked for while a transaction is open or not. */
static void get(uint32_t id, struct f2fs_quota *out)
{
	*out = (struct f2fs_quota){ .id = id };
	assert_int_equal(f2fs_quota_list(v.vol, 0, take_one, out), 0);
}

static void expect_limits(uint32_t id, uint64_t soft, uint64_t hard, uint64_t inodes_soft, uint64_t inodes_hard)
{
	struct f2fs_quota q;

	get(id, &q);
	assert_int_equal(q.space_soft_kib, soft);
	assert_int_equal(q.space_hard_kib, hard);
	assert_int_equal(q.inodes_soft, inodes_soft);
	assert_int_equal(q.inodes_hard, inodes_hard);
}

static void expect_clean(void)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .threads = 1 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };

	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_check(v.ctx, v.dev, &options, &result), 0);
	assert_int_equal(result.found, 0);
}

static void limits(void **state)
{
	const unsigned all = F2FS_QUOTA_SPACE_SOFT | F2FS_QUOTA_SPACE_HARD | F2FS_QUOTA_INODES_SOFT |
			     F2FS_QUOTA_INODES_HARD;
	struct f2fs_quota q = {
		.id = 70000, .space_soft_kib = 1, .space_hard_kib = 2, .inodes_soft = 3, .inodes_hard = 4
	};

	(void)state;
	assert_int_equal(f2fs_quota_set(v.vol, 0, all, &q), 0);
	expect_limits(70000, 1, 2, 3, 4); /* as it will be */
	f2fs_volume_rollback(v.vol);
	expect_limits(70000, 0, 0, 0, 0);
	assert_int_equal(f2fs_quota_set(v.vol, 0, all, &q), 0);
	q.space_hard_kib = 5;
	q.inodes_soft = 99;
	assert_int_equal(f2fs_quota_set(v.vol, 0, F2FS_QUOTA_SPACE_HARD, &q), 0); /* only that one */
	expect_clean();
	fresh_reopen(&v);
	expect_limits(70000, 1, 5, 3, 4);
	for (q.id = 1; q.id < 400; q.id++) /* more than one leaf, and more blocks of the file */
		assert_int_equal(f2fs_quota_set(v.vol, 0, all, &q), 0);
	expect_clean();
	expect_limits(399, 1, 5, 99, 4);
	expect_limits(70000, 1, 5, 3, 4);
}

static void grace(void **state)
{
	const struct f2fs_time now = { 1000000, 0 }, later = { 2000000, 0 };
	struct f2fs_quota q = { .id = 0, .space_soft_kib = 1, .inodes_soft = 1 };
	const unsigned soft = F2FS_QUOTA_SPACE_SOFT | F2FS_QUOTA_INODES_SOFT;

	(void)state;
	f2fs_volume_set_time(v.vol, &now);
	assert_int_equal(f2fs_quota_set(v.vol, 0, soft, &q), 0);
	get(0, &q);
	assert_int_equal(q.space_grace, 1000000 + 604800); /* the root directory takes 4 KiB */
	assert_int_equal(q.inode_grace, 0);		   /* one inode is no more than one */
	expect_clean();
	f2fs_volume_set_time(v.vol, &later);
	q.space_soft_kib = 3;
	assert_int_equal(f2fs_quota_set(v.vol, 0, soft, &q), 0);
	get(0, &q);
	assert_int_equal(q.space_grace, 1000000 + 604800); /* it runs already */
	q.space_soft_kib = 4;
	assert_int_equal(f2fs_quota_set(v.vol, 0, soft, &q), 0);
	get(0, &q);
	assert_int_equal(q.space_grace, 0);
	q.space_soft_kib = q.inodes_soft = 0;
	assert_int_equal(f2fs_quota_set(v.vol, 0, soft, &q), 0);
	get(0, &q);
	assert_int_equal(q.space_grace, 0);
	expect_clean();
}

/* Usage of user 7, in blocks, as it goes up and down, and when grace ends. */
static void grace_of_usage(void **state)
{
	enum { COMMIT = -1, WEEK = 604800 };
	static const struct {
		int blocks, now; /* blocks of the file, and the time; 0: changes have none */
		uint64_t grace;
	} rows[] = {
		{ 9, 1000, 0 }, /* as much as the limit */
		{ 10, 2000, 2000 + WEEK },
		{ 12, 3000, 2000 + WEEK },
		{ 11, 4000, 2000 + WEEK },
		{ COMMIT, 5000, 2000 + WEEK },
		{ 13, 6000, 2000 + WEEK },
		{ 9, 7000, 0 },
		{ 11, 8000, 8000 + WEEK }, /* it began again in this transaction */
		{ COMMIT, 8000, 8000 + WEEK },
		{ 8, 9000, 0 },
		{ COMMIT, 9000, 0 },
		{ 12, 0, 0 }, /* without a time none begins */
		{ COMMIT, 0, 0 },
		{ 13, 10000, 10000 + WEEK },
		{ 8, 0, 0 }, /* but it ends */
	};
	struct f2fs_quota q = { .id = 7, .space_soft_kib = 36 };
	struct f2fs_inode *inode = fresh_make(&v, "file", 0100644);
	static uint8_t block[4096] = { 1 };
	int blocks = 0;

	(void)state;
	assert_int_equal(f2fs_inode_set(inode, F2FS_SET_UID, &(struct f2fs_stat){ .uid = 7 }), 0);
	assert_int_equal(f2fs_quota_set(v.vol, 0, F2FS_QUOTA_SPACE_SOFT, &q), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct f2fs_time now = { rows[i].now, 0 };

		f2fs_volume_set_time(v.vol, rows[i].now ? &now : NULL);
		if (rows[i].blocks == COMMIT)
			assert_int_equal(f2fs_volume_commit(v.vol), 0);
		else if (rows[i].blocks < blocks)
			assert_int_equal(f2fs_inode_truncate(inode, (uint64_t)rows[i].blocks * 4096), 0);
		for (; blocks < rows[i].blocks; blocks++)
			assert_int_equal(f2fs_inode_write(inode, (uint64_t)blocks * 4096, block, 4096), 0);
		blocks = rows[i].blocks == COMMIT ? blocks : rows[i].blocks;
		get(7, &q);
		if (q.space_grace != rows[i].grace)
			fail_msg("row %zu: %llu bytes, grace ends at %llu", i, (unsigned long long)q.space_bytes,
				 (unsigned long long)q.space_grace);
	}
	f2fs_inode_close(inode);
	expect_clean();
}

static void grace_of_inodes(void **state)
{
	const struct f2fs_time early = { 1000, 0 }, late = { 2000, 0 };
	struct f2fs_quota q = { .id = 0, .inodes_soft = 2 };

	(void)state;
	assert_int_equal(f2fs_quota_set(v.vol, 0, F2FS_QUOTA_INODES_SOFT, &q), 0);
	f2fs_volume_set_time(v.vol, &early);
	f2fs_inode_close(fresh_make(&v, "second", 0100644));
	f2fs_volume_set_time(v.vol, &late);
	f2fs_inode_close(fresh_make(&v, "third", 0100644));
	get(0, &q);
	assert_int_equal(q.inode_grace, 2000 + 604800);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	get(0, &q);
	assert_int_equal(q.inode_grace, 2000 + 604800);
	assert_int_equal(q.space_grace, 0);
	expect_clean();
}

static void expect_periods(unsigned kind, uint32_t space, uint32_t inodes)
{
	struct f2fs_quota_grace grace = { F2FS_SIZED(f2fs_quota_grace) };

	assert_int_equal(f2fs_quota_grace_get(v.vol, kind, &grace), 0);
	assert_int_equal(grace.space_seconds, space);
	assert_int_equal(grace.inode_seconds, inodes);
}

/* How long grace is, of a whole file. */
static void periods(void **state)
{
	const struct f2fs_time now = { 1000000, 0 };
	const struct f2fs_quota_grace grace = { F2FS_SIZED(f2fs_quota_grace), 50, UINT32_MAX };
	struct f2fs_quota_grace odd = { .struct_size = 0 };
	struct f2fs_quota q = { .id = 0, .space_soft_kib = 1 };

	(void)state;
	expect_periods(0, 604800, 604800);
	assert_int_equal(f2fs_quota_grace_set(v.vol, 0, &grace), 0);
	expect_periods(0, 50, UINT32_MAX); /* as it will be */
	expect_periods(1, 604800, 604800);
	f2fs_volume_rollback(v.vol);
	expect_periods(0, 604800, 604800);
	f2fs_volume_set_time(v.vol, &now);
	assert_int_equal(f2fs_quota_grace_set(v.vol, 0, &grace), 0);
	assert_int_equal(f2fs_quota_set(v.vol, 0, F2FS_QUOTA_SPACE_SOFT, &q), 0);
	expect_clean();
	fresh_reopen(&v);
	expect_periods(0, 50, UINT32_MAX);
	get(0, &q);
	assert_int_equal(q.space_grace, 1000050);
	assert_int_equal(f2fs_quota_grace_set(v.vol, 1, &grace), 0); /* that alone is a change to be committed */
	expect_clean();
	fresh_reopen(&v);
	expect_periods(1, 50, UINT32_MAX);
	assert_int_equal(f2fs_quota_grace_set(v.vol, 2, &grace), F2FS_ERR_NOT_FOUND);
	assert_int_equal(f2fs_quota_grace_set(v.vol, 3, &grace), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_quota_grace_set(v.vol, 0, &odd), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_quota_grace_get(v.vol, 0, &odd), F2FS_ERR_INVALID);
	odd.struct_size = sizeof(odd);
	assert_int_equal(f2fs_quota_grace_get(v.vol, 2, &odd), F2FS_ERR_NOT_FOUND);
	expect_clean();
}

static void refusals(void **state)
{
	struct f2fs_quota q = { .id = UINT32_MAX };

	(void)state;
	assert_int_equal(f2fs_quota_set(v.vol, 0, F2FS_QUOTA_SPACE_SOFT, &q), F2FS_ERR_RANGE);
	q.id = 5;
	assert_int_equal(f2fs_quota_set(v.vol, 3, F2FS_QUOTA_SPACE_SOFT, &q), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_quota_set(v.vol, 0, 16, &q), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_quota_set(v.vol, 2, F2FS_QUOTA_SPACE_SOFT, &q), F2FS_ERR_NOT_FOUND);
	q.space_soft_kib = F2FS_QUOTA_KIB_MAX + 1;
	assert_int_equal(f2fs_quota_set(v.vol, 0, F2FS_QUOTA_SPACE_SOFT, &q), F2FS_ERR_RANGE);
	q.space_soft_kib--;
	q.inodes_hard = F2FS_QUOTA_INODES_MAX + 1;
	assert_int_equal(f2fs_quota_set(v.vol, 0, F2FS_QUOTA_INODES_HARD, &q), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_quota_set(v.vol, 0, F2FS_QUOTA_SPACE_SOFT, &q), 0); /* none of them did harm */
	expect_clean();
	expect_limits(5, F2FS_QUOTA_KIB_MAX, 0, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(user_0_may_own_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(limits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(grace, set_up, tear_down),
		cmocka_unit_test_setup_teardown(grace_of_usage, set_up, tear_down),
		cmocka_unit_test_setup_teardown(grace_of_inodes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(periods, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refusals, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("quota_write", tests, NULL, NULL);
}
