/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that are removed while they are open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/fresh.h"

static struct fresh v;
static struct f2fs_inode *root;

static int set_up(void **state)
{
	(void)state;
	fresh_open(&v, 64 << 20, F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_QUOTA);
	assert_int_equal(f2fs_lookup(v.vol, "/", 0, &root), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	f2fs_inode_close(root);
	fresh_close(&v);
	return 0;
}

static uint64_t blocks_in_use(void)
{
	struct f2fs_volume_stat stat = { F2FS_SIZED(f2fs_volume_stat) };

	f2fs_volume_statfs(v.vol, &stat);
	return stat.valid_blocks;
}

static struct f2fs_inode *make_file(const char *name, size_t size)
{
	static uint8_t bytes[100000];
	struct f2fs_inode *inode = fresh_make(&v, name, 0100644);

	memset(bytes, 0x77, sizeof(bytes));
	assert_int_equal(f2fs_inode_write(inode, 0, bytes, size), 0);
	return inode;
}

static void removed_file_lives_until_it_is_closed(void **state)
{
	struct f2fs_inode *inode;
	struct f2fs_stat stat;
	uint64_t before;
	uint8_t byte;
	size_t done;

	(void)state;
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	before = blocks_in_use();
	inode = make_file("file", 100000);
	assert_int_equal(f2fs_remove(root, "file", 4), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_orphan_count(v.vol), 1);
	assert_int_equal(f2fs_orphan_at(v.vol, 0), f2fs_inode_number(inode));
	assert_true(blocks_in_use() > before + 20);
	assert_int_equal(f2fs_inode_stat(inode, &stat), 0);
	assert_int_equal(stat.nlink, 0);
	assert_int_equal(stat.size, 100000);
	assert_int_equal(f2fs_inode_write(inode, 50000, "x", 1), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_inode_read(inode, 50000, &byte, 1, &done), 0);
	assert_int_equal(byte, 'x');
	assert_int_equal(f2fs_link(root, "again", 5, inode), F2FS_ERR_NOT_FOUND);
	f2fs_inode_close(inode);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_orphan_count(v.vol), 0);
	assert_int_equal(blocks_in_use(), before);
}

static void second_handle_keeps_it(void **state)
{
	struct f2fs_inode *inode = make_file("file", 10), *other;
	f2fs_nid_t ino = f2fs_inode_number(inode);

	(void)state;
	assert_int_equal(f2fs_inode_open(v.vol, ino, &other), 0);
	assert_int_equal(f2fs_remove(root, "file", 4), 0);
	f2fs_inode_close(inode);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_orphan_count(v.vol), 1);
	f2fs_inode_close(other);
	/* the next change frees it, without a commit in between */
	inode = make_file("new", 10);
	assert_int_equal(f2fs_inode_open(v.vol, ino, &other), F2FS_ERR_NOT_FOUND);
	f2fs_inode_close(inode);
}

static void discarding_brings_it_back(void **state)
{
	struct f2fs_inode *inode = make_file("file", 10);

	(void)state;
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_remove(root, "file", 4), 0);
	f2fs_volume_rollback(v.vol);
	f2fs_inode_close(inode);
	assert_int_equal(f2fs_lookup(v.vol, "/file", 0, &inode), 0);
	/* freed, and rolled back: listed still, and freed by the next commit */
	assert_int_equal(f2fs_remove(root, "file", 4), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	f2fs_inode_close(inode);
	f2fs_inode_close(make_file("other", 10));
	f2fs_volume_rollback(v.vol);
	assert_int_equal(f2fs_orphan_count(v.vol), 1);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_orphan_count(v.vol), 0);
}

static void removed_directory_takes_no_names(void **state)
{
	struct f2fs_inode *dir = fresh_make(&v, "dir", 040755);
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct f2fs_stat stat;

	(void)state;
	assert_int_equal(f2fs_remove(root, "dir", 3), 0);
	assert_int_equal(f2fs_create(dir, "in", 2, &spec, NULL), F2FS_ERR_NOT_FOUND);
	assert_int_equal(f2fs_inode_stat(dir, &stat), 0);
	assert_int_equal(stat.nlink, 0);
	assert_int_equal(stat.size, 0);
	assert_int_equal(f2fs_inode_stat(root, &stat), 0);
	assert_int_equal(stat.nlink, 2);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_orphan_count(v.vol), 1);
	f2fs_inode_close(dir);
}

static void rename_over_an_open_file(void **state)
{
	struct f2fs_inode *old = make_file("old", 10), *inode = make_file("new", 20);
	struct f2fs_stat stat;

	(void)state;
	assert_int_equal(f2fs_rename(root, "new", 3, root, "old", 3, 0), 0);
	assert_int_equal(f2fs_inode_stat(old, &stat), 0);
	assert_int_equal(stat.nlink, 0);
	f2fs_inode_close(old);
	f2fs_inode_close(inode);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_orphan_count(v.vol), 0);
}

static void list_of_several_blocks(void **state)
{
	enum { COUNT = 2100 };
	static struct f2fs_inode *inodes[COUNT];
	char name[16];

	(void)state;
	for (unsigned i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		inodes[i] = fresh_make(&v, name, 0100644);
	}
	for (unsigned i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		assert_int_equal(f2fs_remove(root, name, strlen(name)), 0);
	}
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_orphan_count(v.vol), COUNT);
	for (unsigned i = 0; i < COUNT; i++)
		assert_int_equal(f2fs_orphan_at(v.vol, i), f2fs_inode_number(inodes[i]));
	for (unsigned i = 0; i < COUNT; i++)
		f2fs_inode_close(inodes[i]);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_orphan_count(v.vol), 0);
}

static void orphans_of_others_wait_for_recovery(void **state)
{
	struct f2fs_inode *inode = make_file("file", 10);

	(void)state;
	assert_int_equal(f2fs_remove(root, "file", 4), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	f2fs_inode_close(inode);
	f2fs_inode_close(root);
	f2fs_volume_close(v.vol);
	assert_int_equal(f2fs_volume_open(v.ctx, v.dev, NULL, &v.vol), 0);
	assert_int_equal(f2fs_lookup(v.vol, "/", 0, &root), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_remove(root, "file", 4), F2FS_ERR_STATE);
}

static int make_unnamed(struct f2fs_inode *dir, struct f2fs_inode **out)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100600, .flags = F2FS_NEW_UNNAMED };

	return f2fs_create(dir, NULL, 0, &spec, out);
}

static void unnamed_file_goes_when_it_is_closed(void **state)
{
	struct f2fs_inode *inode;
	struct f2fs_stat stat;
	uint64_t before;

	(void)state;
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	before = blocks_in_use();
	assert_int_equal(make_unnamed(root, &inode), 0);
	assert_int_equal(f2fs_inode_stat(inode, &stat), 0);
	assert_int_equal(stat.nlink, 0);
	assert_int_equal(f2fs_inode_write(inode, 100000, "x", 1), 0);
	assert_int_equal(f2fs_fsync(inode, 0), 0);
	assert_int_equal(f2fs_orphan_count(v.vol), 1);
	assert_int_equal(f2fs_orphan_at(v.vol, 0), f2fs_inode_number(inode));
	f2fs_inode_close(inode);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_orphan_count(v.vol), 0);
	assert_int_equal(blocks_in_use(), before);
}

static void unnamed_file_gets_a_name_once(void **state)
{
	struct f2fs_inode *inode;
	struct f2fs_stat stat;

	(void)state;
	for (unsigned is_listed = 0; is_listed < 2; is_listed++) {
		assert_int_equal(make_unnamed(root, &inode), 0);
		if (is_listed)
			assert_int_equal(f2fs_volume_commit(v.vol), 0);
		assert_int_equal(f2fs_orphan_count(v.vol), is_listed);
		assert_int_equal(f2fs_link(root, "name", 4, inode), 0);
		assert_int_equal(f2fs_fsync(inode, 0), 0); /* by a checkpoint, which lists it no more */
		assert_int_equal(f2fs_orphan_count(v.vol), 0);
		assert_int_equal(f2fs_inode_stat(inode, &stat), 0);
		assert_int_equal(stat.nlink, 1);
		assert_int_equal(f2fs_remove(root, "name", 4), 0);
		assert_int_equal(f2fs_link(root, "again", 5, inode), F2FS_ERR_NOT_FOUND);
		f2fs_inode_close(inode);
		assert_int_equal(f2fs_volume_commit(v.vol), 0);
	}
	assert_int_equal(make_unnamed(root, &inode), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_link(root, "name", 4, inode), 0);
	f2fs_volume_rollback(v.vol);
	assert_int_equal(f2fs_orphan_count(v.vol), 1);
	assert_int_equal(f2fs_link(root, "other", 5, inode), 0);
	f2fs_inode_close(inode);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_orphan_count(v.vol), 0);
	assert_int_equal(f2fs_lookup(v.vol, "/name", 0, &inode), F2FS_ERR_NOT_FOUND);
	assert_int_equal(f2fs_lookup(v.vol, "/other", 0, &inode), 0);
	f2fs_inode_close(inode);
}

static void only_open_regular_files_are_made_without_a_name(void **state)
{
	const struct f2fs_new dir = { F2FS_SIZED(f2fs_new), .mode = 040755, .flags = F2FS_NEW_UNNAMED };
	const struct f2fs_new file = { F2FS_SIZED(f2fs_new), .mode = 0100600, .flags = F2FS_NEW_UNNAMED };
	const struct f2fs_new named = { F2FS_SIZED(f2fs_new), .mode = 0100600 };
	struct f2fs_inode *inode;

	(void)state;
	assert_int_equal(f2fs_create(root, NULL, 0, &dir, &inode), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_create(root, NULL, 0, &file, NULL), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_create(root, "name", 4, &file, &inode), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_create(root, NULL, 0, &named, &inode), F2FS_ERR_INVALID);
	inode = make_file("file", 10);
	assert_int_equal(make_unnamed(inode, &inode), F2FS_ERR_NOT_DIR);
	f2fs_inode_close(inode);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(removed_file_lives_until_it_is_closed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(second_handle_keeps_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(discarding_brings_it_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(removed_directory_takes_no_names, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rename_over_an_open_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(list_of_several_blocks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unnamed_file_goes_when_it_is_closed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unnamed_file_gets_a_name_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(only_open_regular_files_are_made_without_a_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(orphans_of_others_wait_for_recovery, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
