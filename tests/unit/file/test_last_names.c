/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Greatest names of new directories: names in ascending order need no search. A name that exists is refused, whatever
 * was added, removed, renamed or rolled back before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/fresh.h"
#include "file/last_names.h"

#define DIRS 40u /* more than are remembered */

static struct fresh v;
static struct f2fs_inode *root, *dir;

static int create_in(struct f2fs_inode *in, const char *name, unsigned mode, struct f2fs_inode **out)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = mode };

	return f2fs_create(in, name, strlen(name), &spec, out);
}

static int create(const char *name)
{
	return create_in(dir, name, 0100644, NULL);
}

static int rename_to(const char *from, const char *to)
{
	return f2fs_rename(dir, from, strlen(from), dir, to, strlen(to), 0);
}

static bool is_absent(const char *name)
{
	return last_names_are_before(v.vol, f2fs_inode_number(dir), (const uint8_t *)name, strlen(name));
}

static int set_up(void **state)
{
	(void)state;
	fresh_open(&v, 128 << 20, 0);
	assert_int_equal(f2fs_lookup(v.vol, "/", 0, &root), 0);
	assert_int_equal(create_in(root, "dir", 040755, &dir), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	f2fs_inode_close(dir);
	f2fs_inode_close(root);
	fresh_close(&v);
	return 0;
}

static void test_order(void **state)
{
	(void)state;
	assert_int_equal(create("."), F2FS_ERR_EXISTS);
	assert_int_equal(create(".."), F2FS_ERR_EXISTS);
	assert_int_equal(create("+"), 0); /* less than the dots */
	assert_true(is_absent("b"));
	assert_int_equal(create("b"), 0);
	assert_false(is_absent("a"));
	assert_false(is_absent("b"));
	assert_true(is_absent("b0"));
	assert_int_equal(create("b"), F2FS_ERR_EXISTS);
	assert_int_equal(create("a"), 0);
	assert_int_equal(create("a"), F2FS_ERR_EXISTS);
	assert_int_equal(create("+"), F2FS_ERR_EXISTS);
	assert_true(is_absent("\xc3\xa4")); /* bytes have no sign */
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(create("b"), F2FS_ERR_EXISTS);
}

static void test_other_changes(void **state)
{
	(void)state;
	assert_int_equal(create("m"), 0);
	assert_int_equal(rename_to("m", "x"), 0);
	assert_int_equal(create("x"), F2FS_ERR_EXISTS);
	assert_int_equal(f2fs_remove(dir, "x", 1), 0);
	assert_int_equal(create("x"), 0);
	assert_int_equal(create("x"), F2FS_ERR_EXISTS);
	assert_int_equal(f2fs_link(dir, "y", 1, dir), F2FS_ERR_IS_DIR);
	assert_int_equal(create("y"), 0);
}

static void test_rollback(void **state)
{
	(void)state;
	assert_int_equal(create("m"), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_true(is_absent("n"));
	assert_int_equal(create("z"), 0);
	f2fs_volume_rollback(v.vol);
	assert_false(is_absent("zz"));
	assert_int_equal(create("m"), F2FS_ERR_EXISTS);
	assert_int_equal(create("z"), 0);
}

/* The directories that were used last stay known: the one above is used between all others. */
static void test_many(void **state)
{
	struct f2fs_inode *below;
	char name[16];

	(void)state;
	for (unsigned i = 0; i < DIRS; i++) {
		snprintf(name, sizeof(name), "d%02u", i);
		assert_true(is_absent(name));
		assert_int_equal(create_in(dir, name, 040755, &below), 0);
		assert_int_equal(create_in(below, "f", 0100644, NULL), 0);
		f2fs_inode_close(below);
	}
	assert_int_equal(f2fs_lookup(v.vol, "/dir/d00", 0, &below), 0);
	assert_false(last_names_are_before(v.vol, f2fs_inode_number(below), (const uint8_t *)"g", 1));
	assert_int_equal(create_in(below, "f", 0100644, NULL), F2FS_ERR_EXISTS);
	assert_int_equal(create_in(below, "g", 0100644, NULL), 0);
	f2fs_inode_close(below);
}

/* A directory that takes a removed one's number begins again. */
static void test_removed(void **state)
{
	struct f2fs_inode *below;
	f2fs_nid_t ino;

	(void)state;
	assert_int_equal(create_in(dir, "d", 040755, &below), 0);
	ino = f2fs_inode_number(below);
	f2fs_inode_close(below);
	assert_true(last_names_are_before(v.vol, ino, (const uint8_t *)"g", 1));
	assert_int_equal(f2fs_remove(dir, "d", 1), 0);
	assert_false(last_names_are_before(v.vol, ino, (const uint8_t *)"g", 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_changes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_rollback, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_many, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_removed, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
