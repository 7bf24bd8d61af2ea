/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Renaming in all its forms, with link counts, "..", times, projects, and everything that is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/fresh.h"
#include "format/inode.h"

#define FEATURES                                                                                                       \
	(F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_QUOTA | F2FS_FEAT_PROJECT_QUOTA | F2FS_FEAT_CASEFOLD | F2FS_FEAT_INODE_CRTIME)

static struct fresh v;
static struct f2fs_inode *root, *a, *b;

static struct f2fs_inode *make_in(struct f2fs_inode *dir, const char *name, unsigned mode)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = mode };
	struct f2fs_inode *out;

	assert_int_equal(f2fs_create(dir, name, strlen(name), &spec, &out), 0);
	return out;
}

static int set_up(void **state)
{
	(void)state;
	fresh_open(&v, 64 << 20, FEATURES);
	assert_int_equal(f2fs_lookup(v.vol, "/", 0, &root), 0);
	a = make_in(root, "a", 040755);
	b = make_in(root, "b", 040755);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	f2fs_inode_close(a);
	f2fs_inode_close(b);
	f2fs_inode_close(root);
	fresh_close(&v);
	return 0;
}

static int rename_to(struct f2fs_inode *dir, const char *name, struct f2fs_inode *to, const char *new_name,
		     unsigned flags)
{
	return f2fs_rename(dir, name, strlen(name), to, new_name, strlen(new_name), flags);
}

static f2fs_nid_t ino_at(const char *path)
{
	struct f2fs_inode *inode;
	f2fs_nid_t ino;

	if (f2fs_lookup(v.vol, path, 0, &inode) != 0)
		return 0;
	ino = f2fs_inode_number(inode);
	f2fs_inode_close(inode);
	return ino;
}

static struct f2fs_stat stat_of(struct f2fs_inode *inode)
{
	struct f2fs_stat stat;

	assert_int_equal(f2fs_inode_stat(inode, &stat), 0);
	return stat;
}

static f2fs_nid_t parent_of(struct f2fs_inode *dir)
{
	struct f2fs_dirent up;

	assert_int_equal(f2fs_dir_lookup(dir, "..", 2, &up), 0);
	return up.ino;
}

static void exchange_of_file_and_directory(void **state)
{
	struct f2fs_inode *file = make_in(a, "x", 0100644), *dir = make_in(b, "y", 040755);

	(void)state;
	assert_int_equal(rename_to(a, "x", b, "y", F2FS_RENAME_EXCHANGE), 0);
	assert_int_equal(ino_at("/a/x"), f2fs_inode_number(dir));
	assert_int_equal(ino_at("/b/y"), f2fs_inode_number(file));
	assert_int_equal(parent_of(dir), f2fs_inode_number(a));
	assert_int_equal(stat_of(a).nlink, 3);
	assert_int_equal(stat_of(b).nlink, 2);
	assert_int_equal(stat_of(dir).nlink, 2);
	assert_int_equal(stat_of(file).nlink, 1);
	assert_true(stat_of(file).advise & FLAG_i_advise_lost_pino);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(inode_i_pino(f2fs_inode_raw(dir)), f2fs_inode_number(a));
	f2fs_inode_close(file);
	f2fs_inode_close(dir);
}

static void exchange_needs_both(void **state)
{
	f2fs_inode_close(make_in(a, "x", 0100644));
	(void)state;
	assert_int_equal(rename_to(a, "x", b, "none", F2FS_RENAME_EXCHANGE), F2FS_ERR_NOT_FOUND);
	assert_int_equal(rename_to(a, "none", a, "x", F2FS_RENAME_EXCHANGE), F2FS_ERR_NOT_FOUND);
	assert_int_equal(rename_to(a, "x", b, "y", F2FS_RENAME_EXCHANGE | F2FS_RENAME_NO_REPLACE), F2FS_ERR_INVALID);
	assert_int_equal(rename_to(a, "x", b, "y", F2FS_RENAME_EXCHANGE | F2FS_RENAME_WHITEOUT), F2FS_ERR_INVALID);
	assert_int_equal(rename_to(a, "x", b, "y", 64), F2FS_ERR_INVALID);
	/* refused calls changed nothing: the commit is not barred */
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_not_equal(ino_at("/a/x"), 0);
}

static void no_directory_below_itself(void **state)
{
	struct f2fs_inode *inner = make_in(a, "inner", 040755), *deep = make_in(inner, "deep", 040755);

	(void)state;
	assert_int_equal(rename_to(root, "a", inner, "a", 0), F2FS_ERR_INVALID);
	assert_int_equal(rename_to(root, "a", a, "a", 0), F2FS_ERR_INVALID);
	assert_int_equal(rename_to(root, "a", inner, "deep", F2FS_RENAME_EXCHANGE), F2FS_ERR_INVALID);
	assert_int_equal(rename_to(inner, "deep", root, "a", F2FS_RENAME_EXCHANGE), F2FS_ERR_INVALID);
	assert_int_equal(rename_to(inner, "deep", root, "a", 0), F2FS_ERR_NOT_EMPTY);
	assert_int_equal(rename_to(root, ".", a, "x", 0), F2FS_ERR_INVALID);
	assert_int_equal(rename_to(root, "a", b, "..", 0), F2FS_ERR_INVALID);
	assert_int_equal(rename_to(inner, "deep", b, "deep", 0), 0);
	assert_int_equal(parent_of(deep), f2fs_inode_number(b));
	f2fs_inode_close(inner);
	f2fs_inode_close(deep);
}

static void replacing(void **state)
{
	struct f2fs_inode *file = make_in(root, "file", 0100644), *full = make_in(a, "full", 040755);

	(void)state;
	f2fs_inode_close(make_in(full, "in", 0100644));
	assert_int_equal(rename_to(root, "file", root, "a", 0), F2FS_ERR_IS_DIR);
	assert_int_equal(rename_to(root, "a", root, "file", 0), F2FS_ERR_NOT_DIR);
	assert_int_equal(rename_to(root, "b", a, "full", 0), F2FS_ERR_NOT_EMPTY);
	assert_int_equal(rename_to(root, "file", root, "a", F2FS_RENAME_NO_REPLACE), F2FS_ERR_EXISTS);
	assert_int_equal(f2fs_remove(full, "in", 2), 0);
	f2fs_inode_close(full);
	assert_int_equal(rename_to(root, "b", a, "full", 0), 0);
	assert_int_equal(ino_at("/a/full"), f2fs_inode_number(b));
	assert_int_equal(parent_of(b), f2fs_inode_number(a));
	assert_int_equal(stat_of(root).nlink, 3);
	assert_int_equal(stat_of(a).nlink, 3);
	f2fs_inode_close(file);
}

static void two_names_of_one_file(void **state)
{
	struct f2fs_inode *file = make_in(root, "one", 0100644);

	(void)state;
	assert_int_equal(f2fs_link(a, "two", 3, file), 0);
	assert_int_equal(rename_to(root, "one", a, "two", 0), 0);
	assert_int_equal(rename_to(root, "one", a, "two", F2FS_RENAME_EXCHANGE), 0);
	assert_int_equal(ino_at("/one"), ino_at("/a/two"));
	assert_int_equal(stat_of(file).nlink, 2);
	f2fs_inode_close(file);
}

static void whiteout_stays_behind(void **state)
{
	struct f2fs_inode *file = make_in(a, "x", 0100644), *white;
	struct f2fs_stat stat;

	(void)state;
	assert_int_equal(rename_to(a, "x", b, "x", F2FS_RENAME_WHITEOUT), 0);
	assert_int_equal(ino_at("/b/x"), f2fs_inode_number(file));
	assert_int_equal(f2fs_lookup(v.vol, "/a/x", 0, &white), 0);
	stat = stat_of(white);
	assert_int_equal(stat.mode, 020000);
	assert_int_equal(stat.rdev_major, 0);
	assert_int_equal(stat.rdev_minor, 0);
	f2fs_inode_close(white);
	f2fs_inode_close(file);
}

static void projects_are_kept_apart(void **state)
{
	struct f2fs_stat values = { .projid = 7, .flags = FLAG_i_flags_projinherit };
	struct f2fs_inode *file = make_in(root, "file", 0100644), *child;

	(void)state;
	assert_int_equal(f2fs_inode_set(a, F2FS_SET_PROJID | F2FS_SET_FLAGS, &values), 0);
	assert_int_equal(f2fs_link(a, "file", 4, file), F2FS_ERR_XDEV);
	assert_int_equal(rename_to(root, "file", a, "file", 0), F2FS_ERR_XDEV);
	child = make_in(a, "child", 0100644);
	assert_int_equal(stat_of(child).projid, 7);
	assert_int_equal(rename_to(a, "child", root, "file", F2FS_RENAME_EXCHANGE), F2FS_ERR_XDEV);
	assert_int_equal(rename_to(a, "child", root, "child", 0), 0);
	assert_int_equal(rename_to(root, "child", a, "back", 0), 0);
	f2fs_inode_close(child);
	f2fs_inode_close(file);
}

static void times_are_stamped_when_told(void **state)
{
	const struct f2fs_time now = { 1700000000, 5 };
	struct f2fs_inode *file = make_in(a, "x", 0100644), *dir = make_in(a, "d", 040755);

	(void)state;
	assert_int_equal(f2fs_link(b, "l", 1, file), 0);
	assert_int_equal(f2fs_inode_write(file, 0, "x", 1), 0);
	assert_int_equal(stat_of(b).mtime.seconds, 0);
	assert_int_equal(stat_of(file).mtime.seconds, 0);
	f2fs_volume_set_time(v.vol, &now);
	assert_int_equal(f2fs_inode_write(file, 0, "y", 1), 0);
	assert_int_equal(stat_of(file).mtime.seconds, now.seconds);
	assert_int_equal(stat_of(file).mtime.nanoseconds, 5);
	assert_int_equal(rename_to(a, "d", b, "d", 0), 0);
	assert_int_equal(stat_of(a).mtime.seconds, now.seconds);
	assert_int_equal(stat_of(b).ctime.seconds, now.seconds);
	assert_int_equal(stat_of(dir).mtime.seconds, now.seconds); /* its ".." was written */
	f2fs_volume_set_time(v.vol, &(struct f2fs_time){ 1800000000, 0 });
	assert_int_equal(f2fs_remove(b, "l", 1), 0);
	assert_int_equal(stat_of(file).ctime.seconds, 1800000000);
	assert_int_equal(stat_of(file).mtime.seconds, now.seconds);
	f2fs_volume_set_time(v.vol, NULL);
	assert_int_equal(f2fs_remove(b, "d", 1), 0);
	assert_int_equal(stat_of(b).mtime.seconds, 1800000000);
	f2fs_inode_close(file);
	f2fs_inode_close(dir);
}

/* A name that leaves an inline directory while the new one turns it into blocks. */
static void rename_while_the_directory_grows(void **state)
{
	char name[256];

	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		snprintf(name, sizeof(name), "%0*u", 10 + (int)i % 60, i);
		f2fs_inode_close(make_in(a, "moving", 0100644));
		assert_int_equal(rename_to(a, "moving", a, name, F2FS_RENAME_NO_REPLACE), 0);
	}
	fresh_reopen_keep(&v, &a, "/a");
	for (unsigned i = 0; i < 400; i++) {
		snprintf(name, sizeof(name), "%0*u", 10 + (int)i % 60, i);
		assert_int_equal(f2fs_remove(a, name, strlen(name)), 0);
	}
	/* blocks without entries are holes again: the first one, which has the dots, is left, and nodes */
	assert_int_equal(stat_of(a).blocks, 8);
	assert_int_equal(ino_at("/a/moving"), 0);
	assert_int_equal(f2fs_lookup(v.vol, "/", 0, &root), 0);
	assert_int_equal(f2fs_lookup(v.vol, "/b", 0, &b), 0);
}

static int set_up_alone(void **state)
{
	set_up(state);
	f2fs_inode_close(root);
	f2fs_inode_close(b);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(exchange_of_file_and_directory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(exchange_needs_both, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_directory_below_itself, set_up, tear_down),
		cmocka_unit_test_setup_teardown(replacing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(two_names_of_one_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(whiteout_stays_behind, set_up, tear_down),
		cmocka_unit_test_setup_teardown(projects_are_kept_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(times_are_stamped_when_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rename_while_the_directory_grows, set_up_alone, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
