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
	fresh_open(&v, 64 << 20, F2FS_FEATURE_EXTRA_ATTR | F2FS_FEATURE_QUOTA);
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

/* Give the root to a user, make it true, and get the usage of user 0. */
static void give_root_to(uint32_t uid, struct f2fs_quota *zero)
{
	const struct f2fs_check_options options = { .threads = 1 };
	struct f2fs_check_result result;
	struct f2fs_inode *root;

	assert_int_equal(f2fs_lookup(v.vol, "/", 0, &root), 0);
	assert_int_equal(f2fs_inode_set(root, F2FS_SET_UID, &(struct f2fs_stat){ .uid = uid }), 0);
	f2fs_inode_close(root);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_check(v.ctx, v.dev, &options, &result), 0);
	assert_int_equal(result.found, 0);
	zero->id = 1;
	assert_int_equal(f2fs_quota_each(v.vol, 0, take_first, zero), 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(user_0_may_own_nothing, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("quota_write", tests, NULL, NULL);
}
