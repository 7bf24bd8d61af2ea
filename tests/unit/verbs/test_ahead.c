/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looking ahead in a directory of the host: each result is that of the entry, in whatever order entries are taken, and
 * entries that changed, are special or are not wanted are left to the caller.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <f2fskit/context.h>
#include <f2fskit/tree.h>

#include "source/ahead.h"

#define FILES 300u
#define LARGE 65537u /* more than is read ahead */

static struct f2fs_context *ctx;
static char base[64];
static int at;
static struct vec names;
static char bytes[LARGE];

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", base, name);
	return path;
}

static void write_file(const char *name, size_t size)
{
	FILE *f = fopen(path_of(name), "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

/* Files of all sizes up to LARGE, and one entry of each other type among them. */
static void make_tree(void)
{
	char name[32], first[128];

	memset(bytes, 'a', sizeof(bytes));
	for (unsigned i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		write_file(name, i % 7 == 3 ? LARGE : i * 211);
	}
	assert_int_equal(mkdir(path_of("f1-directory"), 0755), 0);
	assert_int_equal(mkfifo(path_of("f2-fifo"), 0644), 0);
	assert_int_equal(symlink("somewhere", path_of("f3-link")), 0);
	strcpy(first, path_of("f4"));
	assert_int_equal(link(first, path_of("f4-further")), 0);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(base, "/tmp/f2fskit-ahead-XXXXXX");
	assert_non_null(mkdtemp(base));
	make_tree();
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	at = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(at >= 0);
	assert_int_equal(host_names_read(ctx, at, &names), 0);
	assert_int_equal(names.count, FILES + 4);
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	host_names_free(&names);
	close(at);
	f2fs_context_close(ctx);
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command);
}

static struct ahead_entry *take(struct ahead *ahead, size_t index)
{
	return ahead_take(ahead, at, names.items, names.count, index);
}

static const struct host_name *name_of(size_t index)
{
	return *(struct host_name **)vec_at(&names, index);
}

static void expect_whole(const struct ahead_entry *e)
{
	if (S_ISLNK(e->st.st_mode)) {
		assert_true(e->has_bytes && e->length == strlen("somewhere"));
		assert_memory_equal(e->bytes, "somewhere", e->length);
		return;
	}
	assert_int_equal(e->has_bytes, S_ISREG(e->st.st_mode) && e->st.st_size < LARGE && e->st.st_nlink == 1);
	assert_int_equal(e->fd >= 0, S_ISREG(e->st.st_mode) && !e->has_bytes);
	if (e->has_bytes) {
		assert_int_equal(e->length, e->st.st_size);
		assert_memory_equal(e->bytes, bytes, e->length);
	}
}

static void expect_entry(const struct ahead_entry *e, size_t index)
{
	struct stat st;

	assert_non_null(e);
	assert_true(e->has_stat);
	assert_int_equal(lstat(path_of(name_of(index)->name), &st), 0);
	assert_int_equal(e->st.st_ino, st.st_ino);
	assert_int_equal(e->st.st_size, st.st_size);
	expect_whole(e);
}

/* Workers are needed: without a second processor there is nothing to look ahead with. */
static struct ahead *start(enum ahead_depth depth)
{
	struct ahead *ahead;

	assert_int_equal(ahead_new(ctx, F2FS_KEEP_DEFAULT, depth, &ahead), 0);
	if (!ahead)
		skip();
	return ahead;
}

static void test_in_order(void **state)
{
	struct ahead *ahead = start(AHEAD_READ);

	(void)state;
	for (size_t i = 0; i < names.count; i++) {
		const struct ahead_entry *e = take(ahead, i);

		if (name_of(i)->is_dir)
			assert_null(e);
		else
			expect_entry(e, i);
	}
	ahead_free(ahead);
}

/* A host that gives no types: the names are examined all the same, and a directory's results are its attributes. */
static void test_without_types(void **state)
{
	struct ahead *ahead = start(AHEAD_READ);

	(void)state;
	for (size_t i = 0; i < names.count; i++) {
		struct host_name *name = *(struct host_name **)vec_at(&names, i);

		name->is_dir = name->is_file = false;
	}
	for (size_t i = 0; i < names.count; i++)
		expect_entry(take(ahead, i), i);
	ahead_free(ahead);
}

/* Leave a directory and come back later, as a walk does. */
static void test_interrupted(void **state)
{
	struct ahead *ahead = start(AHEAD_READ);

	(void)state;
	for (size_t i = 0; i < names.count; i += 1 + i % 3) {
		if (name_of(i)->is_dir)
			continue;
		expect_entry(take(ahead, i), i);
		if (i % 5 == 0)
			ahead_drop(ahead);
	}
	ahead_free(ahead);
}

static void test_only_stat(void **state)
{
	struct ahead *ahead = start(AHEAD_STAT);

	(void)state;
	for (size_t i = 0; i < names.count; i++) {
		const struct ahead_entry *e = take(ahead, i);

		assert_true(name_of(i)->is_dir ? !e : e && e->has_stat && !e->has_bytes && e->fd < 0);
	}
	ahead_free(ahead);
}

/* Files are open, and their contents stay with the host. */
static void test_only_open(void **state)
{
	struct ahead *ahead = start(AHEAD_OPEN);
	unsigned open_files = 0;

	(void)state;
	for (size_t i = 0; i < names.count; i++) {
		const struct ahead_entry *e = take(ahead, i);

		if (name_of(i)->is_dir)
			continue;
		assert_true(e && e->has_stat && e->has_bytes == S_ISLNK(e->st.st_mode));
		assert_true((e->fd >= 0) == S_ISREG(e->st.st_mode));
		open_files += e->fd >= 0;
	}
	assert_true(open_files > 0);
	ahead_free(ahead);
}

/* Names that are gone, or belong to another kind of file by now. */
static void test_changed(void **state)
{
	struct ahead *ahead = start(AHEAD_READ);
	const struct ahead_entry *e;

	(void)state;
	assert_string_equal(name_of(0)->name, "f0");
	assert_string_equal(name_of(1)->name, "f1");
	assert_int_equal(unlink(path_of("f0")), 0);
	assert_int_equal(unlink(path_of("f1")), 0);
	assert_int_equal(mkfifo(path_of("f1"), 0644), 0);
	e = take(ahead, 0);
	assert_true(e && !e->has_stat && !e->has_bytes && e->fd < 0);
	e = take(ahead, 1);
	assert_true(e && e->has_stat && S_ISFIFO(e->st.st_mode) && !e->has_bytes && e->fd < 0);
	ahead_free(ahead);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
	const struct CMUnitTest tests[] = { TEST(in_order), TEST(without_types), TEST(interrupted), TEST(only_stat),
					    TEST(only_open), TEST(changed) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
