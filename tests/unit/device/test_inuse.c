/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Users of a device: tables of a fictional host, and the refusals that they must cause. */
#include "model.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "device/inuse.h"

/* A directory tree of the made-up host, removed at the end. */
struct fixture {
	struct test_host host;
	struct inuse_host tables;
	enum inuse_purpose purpose; /* INUSE_WRITING unless a test says otherwise */
	char root[64];
	char mountinfo[100], swaps[100], sys[100], image[100];
};

static void put_file(struct fixture *f, const char *name, const char *text)
{
	char path[300], command[400];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", f->root, name);
	snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\"", path);
	assert_int_equal(system(command), 0);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void make_fixture(struct fixture *f)
{
	f->purpose = INUSE_WRITING;
	test_host_init(&f->host);
	strcpy(f->root, "/tmp/f2fskit test-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	snprintf(f->mountinfo, sizeof(f->mountinfo), "%s/mountinfo", f->root);
	snprintf(f->swaps, sizeof(f->swaps), "%s/swaps", f->root);
	snprintf(f->sys, sizeof(f->sys), "%s/sys", f->root);
	snprintf(f->image, sizeof(f->image), "%s/my image", f->root);
	f->tables.mountinfo = f->mountinfo;
	f->tables.swaps = f->swaps;
	f->tables.sys = f->sys;
	put_file(f, "my image", "contents");
	put_file(f, "mountinfo",
		 "21 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw\n"
		 "22 21 0:20 / /proc rw - proc proc rw\n"
		 "23 21 8:17 / /mnt/my\\040disk rw shared:5 master:2 - f2fs /dev/sdb1 rw\n");
	put_file(f, "swaps", "Filename\t\t\tType\t\tSize\t\tUsed\t\tPriority\n");
}

static void free_fixture(struct fixture *f)
{
	char command[200];

	snprintf(command, sizeof(command), "rm -r '%s'", f->root);
	assert_int_equal(system(command), 0);
	test_host_fini(&f->host);
}

static struct stat block_device(unsigned maj, unsigned min)
{
	struct stat st;

	memset(&st, 0, sizeof(st));
	st.st_mode = S_IFBLK | 0600;
	st.st_rdev = makedev(maj, min);
	return st;
}

/* Expect a refusal whose message contains text; NULL: expect none. */
static void expect(struct fixture *f, const struct stat *st, const char *text)
{
	const int rc = inuse_refuse_on(&f->tables, f->host.ctx, "the-path", st, f->purpose);

	if (!text) {
		assert_int_equal(rc, 0);
		return;
	}
	assert_int_equal(rc, F2FS_ERR_BUSY);
	assert_non_null(strstr(f2fs_context_error(f->host.ctx)->message, "the-path is "));
	if (!strstr(f2fs_context_error(f->host.ctx)->message, text))
		fail_msg("'%s' lacks '%s'", f2fs_context_error(f->host.ctx)->message, text);
}

static void mounted_devices_are_refused(void **state)
{
	struct fixture f;
	struct stat st;

	(void)state;
	make_fixture(&f);
	st = block_device(8, 17);
	expect(&f, &st, "mounted on /mnt/my disk");
	st = block_device(8, 2);
	expect(&f, &st, "mounted on /");
	st = block_device(8, 18);
	expect(&f, &st, NULL);
	/* The whole disk of a partition that is mounted. */
	st = block_device(8, 16);
	expect(&f, &st, NULL);
	put_file(&f, "sys/devices/sdb/dev", "8:16\n");
	put_file(&f, "sys/devices/sdb/sdb1/dev", "8:17\n");
	put_file(&f, "sys/devices/sdb/sdb1/partition", "1\n");
	put_file(&f, "sys/dev/block/x", "");
	{
		char target[200], link[200];

		snprintf(target, sizeof(target), "%s/devices/sdb/sdb1", f.sys);
		snprintf(link, sizeof(link), "%s/dev/block/8:17", f.sys);
		assert_int_equal(symlink(target, link), 0);
	}
	expect(&f, &st, "mounted on /mnt/my disk");
	st = block_device(8, 32);
	expect(&f, &st, NULL);
	free_fixture(&f);
}

/* A host whose disks have no numbers: every mount of a file system without a disk would seem to be theirs. */
static void disks_without_a_number_are_in_no_list(void **state)
{
	struct fixture f;
	const struct stat st = block_device(0, 0);

	(void)state;
	make_fixture(&f);
	put_file(&f, "mountinfo", "21 1 0:0 / /proc rw - proc proc rw\n");
	expect(&f, &st, NULL);
	free_fixture(&f);
}

static void readers_bear_a_read_only_mount(void **state)
{
	struct fixture f;
	const struct stat writable = block_device(8, 17), read_only = block_device(8, 33), held = block_device(8, 48);

	(void)state;
	make_fixture(&f);
	put_file(&f, "mountinfo",
		 "23 21 8:17 / /mnt/a ro,relatime shared:5 - f2fs /dev/sdb1 rw,lazytime\n"
		 "24 21 8:33 / /mnt/b rw,relatime - f2fs /dev/sdc1 ro\n");
	put_file(&f, "sys/dev/block/8:48/holders/dm-3/x", "");
	expect(&f, &read_only, "mounted on /mnt/b");
	expect(&f, &held, "in use by dm-3");
	f.purpose = INUSE_READING;
	expect(&f, &read_only, NULL);
	expect(&f, &held, NULL);
	expect(&f, &writable, "mounted on /mnt/a");
	free_fixture(&f);
}

static void held_devices_are_refused(void **state)
{
	struct fixture f;
	struct stat st = block_device(8, 32);

	(void)state;
	make_fixture(&f);
	put_file(&f, "sys/dev/block/8:32/holders/dm-3/x", "");
	put_file(&f, "sys/dev/block/8:48/holders/.x", "");
	expect(&f, &st, "in use by dm-3");
	st = block_device(8, 48);
	expect(&f, &st, NULL);
	free_fixture(&f);
}

/* Write a path as the host's tables do. */
static void escape_blanks(const char *from, char to[200])
{
	for (; *from; from++)
		to += snprintf(to, 5, *from == ' ' ? "\\040" : "%c", *from);
}

static void used_files_are_refused(void **state)
{
	struct fixture f;
	struct stat st;
	char text[400], escaped[200];

	(void)state;
	make_fixture(&f);
	escape_blanks(f.image, escaped);
	assert_int_equal(stat(f.image, &st), 0);
	expect(&f, &st, NULL);
	/* A loop device, then that mounted. */
	snprintf(text, sizeof(text), "%s\n", f.image);
	put_file(&f, "sys/block/loop7/loop/backing_file", text);
	put_file(&f, "sys/block/loop7/dev", "7:7\n");
	put_file(&f, "sys/block/loop8/loop/backing_file", "/dev/null\n");
	put_file(&f, "sys/block/sda/dev", "8:0\n");
	expect(&f, &st, "in use by /dev/loop7");
	put_file(&f, "mountinfo", "23 21 7:7 / /mnt/loop rw - f2fs /dev/loop7 rw\n");
	expect(&f, &st, "mounted on /mnt/loop (through /dev/loop7)");
	put_file(&f, "sys/block/loop7/loop/backing_file", "/nowhere\n");
	expect(&f, &st, NULL);
	/* Swap, named with an escaped blank. */
	snprintf(text, sizeof(text), "Filename\tType\n%s   file  10 0 -2\n", escaped);
	put_file(&f, "swaps", text);
	expect(&f, &st, "in use as swap");
	put_file(&f, "swaps", "Filename\tType\n");
	/* Mounted without a loop device. */
	snprintf(text, sizeof(text), "9 1 0:99 / /direct rw - erofs %s ro\n", escaped);
	put_file(&f, "mountinfo", text);
	expect(&f, &st, "mounted on /direct");
	free_fixture(&f);
}

/* Two loop devices over one file: each is in the other's way, but not in its own. */
static void twin_loop_devices_are_refused(void **state)
{
	struct stat st = block_device(7, 7);
	struct fixture f;
	char text[400];

	(void)state;
	make_fixture(&f);
	snprintf(text, sizeof(text), "%s\n", f.image);
	put_file(&f, "sys/block/loop7/loop/backing_file", text);
	put_file(&f, "sys/block/loop7/dev", "7:7\n");
	put_file(&f, "sys/dev/block/7:7/loop/backing_file", text);
	expect(&f, &st, NULL);
	put_file(&f, "sys/block/loop9/loop/backing_file", text);
	put_file(&f, "sys/block/loop9/dev", "7:9\n");
	expect(&f, &st, "in use by /dev/loop9");
	put_file(&f, "sys/block/loop9/loop/backing_file", "/dev/null\n");
	expect(&f, &st, NULL);
	free_fixture(&f);
}

/* A loop device shows its file, also through another loop device, or through the disk of a partition. */
static void loop_devices_stand_for_their_files(void **state)
{
	static const struct {
		unsigned minor;
		bool is_file;
	} rows[] = { { 7, true }, { 8, true }, { 9, false }, { 10, false } };
	struct stat file, st;
	struct fixture f;
	char text[400];

	(void)state;
	make_fixture(&f);
	assert_int_equal(stat(f.image, &file), 0);
	snprintf(text, sizeof(text), "%s\n", f.image);
	put_file(&f, "sys/dev/block/7:7/loop/backing_file", text);
	put_file(&f, "sys/dev/block/loop/backing_file", text);
	put_file(&f, "sys/dev/block/7:8/partition", "1\n");
	put_file(&f, "sys/dev/block/7:9/loop/backing_file", "/nowhere\n");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		st = block_device(7, rows[i].minor);
		inuse_behind(&f.tables, &st);
		assert_int_equal(S_ISREG(st.st_mode), rows[i].is_file);
		if (rows[i].is_file)
			assert_true(st.st_dev == file.st_dev && st.st_ino == file.st_ino);
		else
			assert_true(st.st_rdev == makedev(7, rows[i].minor));
	}
	inuse_behind(&f.tables, &file);
	assert_true(S_ISREG(file.st_mode));
	free_fixture(&f);
}

/* Tables that make no sense, or are not there, mean nothing; very long lines are skipped as one. */
static void odd_tables_do_no_harm(void **state)
{
	struct fixture f;
	struct stat st = block_device(8, 17);
	char *text = malloc(20000);

	(void)state;
	assert_non_null(text);
	make_fixture(&f);
	put_file(&f, "mountinfo",
		 "\n - \n1 2\n1 2 3:4\n1 2 8:17\n1 2 8:17 /\n1 2 8:17 / \n 1 2 x:y / / - - -\n\\\n\\0");
	expect(&f, &st, NULL);
	memset(text, 'a', 19999);
	text[19999] = 0;
	memcpy(text, "1 2 8:16 / /", 12);
	strcpy(text + 19950, "\n23 21 8:17 / /after rw - f2fs");
	put_file(&f, "mountinfo", text);
	expect(&f, &st, "mounted on /after");
	f.tables.mountinfo = "/nowhere/a";
	f.tables.swaps = "/nowhere/b";
	f.tables.sys = "/nowhere/c";
	expect(&f, &st, NULL);
	free(text);
	free_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mounted_devices_are_refused), cmocka_unit_test(readers_bear_a_read_only_mount),
		cmocka_unit_test(held_devices_are_refused),    cmocka_unit_test(used_files_are_refused),
		cmocka_unit_test(twin_loop_devices_are_refused), cmocka_unit_test(loop_devices_stand_for_their_files),
		cmocka_unit_test(odd_tables_do_no_harm),       cmocka_unit_test(disks_without_a_number_are_in_no_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
