/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Casefolded directories: names that were filed by other rules are found whatever was looked for before, unless the
 * volume says that there are none; names that are not there cost no more than elsewhere; names too long to be folded
 * do not stand beside those that fold to the same.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/namehash.h"
#include "common/fresh.h"
#include "device/device.h"
#include "format/dentry.h"
#include "format/flags.h"

#define MANY 6000

static struct fresh v;
static struct f2fs_inode *root, *dir;

static struct f2fs_inode *make_in(struct f2fs_inode *in, const char *name, unsigned mode)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = mode };
	struct f2fs_inode *out;

	assert_int_equal(f2fs_create(in, name, strlen(name), &spec, &out), 0);
	return out;
}

static int create(const char *name)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };

	return f2fs_create(dir, name, strlen(name), &spec, NULL);
}

static void make_many(unsigned from, unsigned to)
{
	char name[32];

	for (unsigned i = from; i < to; i++) {
		snprintf(name, sizeof(name), "Name-%u", i);
		assert_int_equal(create(name), 0);
	}
}

static struct f2fs_inode *make_folded(const char *name)
{
	const struct f2fs_stat flags = { .flags = FLAG_i_flags_casefold };
	struct f2fs_inode *out = make_in(root, name, 040755);

	assert_int_equal(f2fs_inode_set(out, F2FS_SET_FLAGS, &flags), 0);
	return out;
}

static int set_up(void **state)
{
	(void)state;
	if (!unicode_is_available())
		return 0;
	fresh_open(&v, 128 << 20, F2FS_FEAT_CASEFOLD);
	assert_int_equal(f2fs_lookup(v.vol, "/", 0, &root), 0);
	dir = make_folded("dir");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	if (!unicode_is_available())
		return 0;
	f2fs_inode_close(dir);
	f2fs_inode_close(root);
	fresh_close(&v);
	return 0;
}

static int find(const char *name)
{
	struct f2fs_dirent entry;

	return f2fs_dir_lookup(dir, name, strlen(name), &entry);
}

/* Close the volume, let it be changed from outside, and open it again. */
static void change_outside(void (*change)(const struct f2fs_file_extent *where), const struct f2fs_file_extent *where)
{
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	f2fs_inode_close(dir);
	f2fs_inode_close(root);
	f2fs_volume_close(v.vol);
	change(where);
	assert_int_equal(f2fs_volume_open(v.ctx, v.dev, NULL, &v.vol), 0);
	assert_int_equal(f2fs_lookup(v.vol, "/", 0, &root), 0);
	assert_int_equal(f2fs_lookup(v.vol, "/dir", 0, &dir), 0);
}

/* Name-7 gets the hash that it has where nothing is folded, as another version's rules may do. */
static void change_hash(const struct f2fs_file_extent *where)
{
	static const char name[] = "Name-7";
	uint8_t block[4096];

	assert_int_equal(device_read(v.dev, (uint64_t)where->addr << 12, block, sizeof(block)), 0);
	for (unsigned slot = 0; slot < 214; slot++) {
		uint8_t *raw = block + 30 + (size_t)slot * dentry_SIZE;

		if (memcmp(block + 30 + (size_t)214 * dentry_SIZE + (size_t)slot * 8, name, 6) != 0 ||
		    dentry_name_len(raw) != 6)
			continue;
		dentry_set_hash_code(raw, namehash_plain((const uint8_t *)name, 6));
		assert_int_equal(device_write(v.dev, (uint64_t)where->addr << 12, block, sizeof(block)), 0);
		return;
	}
	fail_msg("Name-7 is not in the first block");
}

static void say_hash_only(const struct f2fs_file_extent *where)
{
	struct f2fs_volume *vol;

	(void)where;
	assert_int_equal(f2fs_volume_open(v.ctx, v.dev, NULL, &vol), 0);
	assert_int_equal(f2fs_volume_set_hash_only(vol, 1), 0);
	f2fs_volume_close(vol);
}

static void names_of_other_rules_are_found(void **state)
{
	struct f2fs_file_extent where;

	(void)state;
	if (!unicode_is_available())
		skip();
	make_many(0, 400);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_inode_extent(dir, 0, &where), 0);
	change_outside(change_hash, &where);
	for (unsigned turn = 0; turn < 2; turn++) {
		assert_int_equal(find("absent"), F2FS_ERR_NOT_FOUND);
		assert_int_equal(find("name-7"), 0);
		assert_int_equal(find("NAME-7"), 0);
		assert_int_equal(find("name-8"), 0);
		assert_int_equal(create("nAME-7"), F2FS_ERR_EXISTS);
		make_many(400 + turn * 200, 600 + turn * 200);
		assert_int_equal(f2fs_remove(dir, "Name-400", 8), turn ? F2FS_ERR_NOT_FOUND : 0);
	}
	assert_int_equal(f2fs_remove(dir, "NAME-7", 6), 0);
	assert_int_equal(find("name-7"), F2FS_ERR_NOT_FOUND);
	f2fs_volume_rollback(v.vol);
	assert_int_equal(find("name-7"), 0);
	assert_int_equal(find("name-500"), F2FS_ERR_NOT_FOUND);
	change_outside(say_hash_only, NULL);
	assert_int_equal(find("name-7"), F2FS_ERR_NOT_FOUND);
	assert_int_equal(find("name-8"), 0);
}

static double seconds_for_many(struct f2fs_inode *in)
{
	struct f2fs_inode *kept = dir;
	struct timespec a, b;

	dir = in;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	make_many(0, MANY);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	dir = kept;
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

/*
 * Each name must not fold all others, which takes forty times as long. Other processes use the processor's caches, so
 * the best of some rounds counts.
 */
static void absent_names_are_cheap(void **state)
{
	bool is_cheap = false;

	(void)state;
	if (!unicode_is_available())
		skip();
	for (unsigned round = 0; round < 5 && !is_cheap; round++) {
		const char names[2][8] = { { 'f', (char)('0' + round) }, { 'p', (char)('0' + round) } };
		struct f2fs_inode *folded = make_folded(names[0]), *plain = make_in(root, names[1], 040755);

		is_cheap = seconds_for_many(folded) < 6 * seconds_for_many(plain);
		f2fs_inode_close(plain);
		f2fs_inode_close(folded);
	}
	assert_true(is_cheap);
}

static void long_names_exist_once(void **state)
{
	char upper[256], lower[256], other[256];

	(void)state;
	if (!unicode_is_available())
		skip();
	memset(upper, 'Z', 255);
	memset(lower, 'z', 255);
	memset(other, 'y', 255);
	upper[255] = lower[255] = other[255] = '\0';
	assert_int_equal(create(upper), 0);
	assert_int_equal(create(upper), F2FS_ERR_EXISTS);
	assert_int_equal(create(lower), F2FS_ERR_EXISTS);
	assert_int_equal(create(other), 0);
	assert_int_equal(find(upper), 0);
	assert_int_equal(find(lower), F2FS_ERR_NOT_FOUND); /* as the kernel reads it from the device */
	make_many(0, 400);
	assert_int_equal(create(lower), F2FS_ERR_EXISTS);
	assert_int_equal(f2fs_rename(dir, other, 255, dir, lower, 255, 0), F2FS_ERR_EXISTS);
	assert_int_equal(f2fs_rename(dir, upper, 255, dir, lower, 255, 0), 0); /* only the letters change */
	assert_int_equal(find(upper), F2FS_ERR_NOT_FOUND);
	assert_int_equal(create(upper), F2FS_ERR_EXISTS);
	assert_int_equal(f2fs_remove(dir, lower, 255), 0);
	assert_int_equal(create(upper), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(create(lower), F2FS_ERR_EXISTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_of_other_rules_are_found, set_up, tear_down),
		cmocka_unit_test_setup_teardown(absent_names_are_cheap, set_up, tear_down),
		cmocka_unit_test_setup_teardown(long_names_exist_once, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
