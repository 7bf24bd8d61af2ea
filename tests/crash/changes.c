/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random changes of files, attributes and names for the crash laboratory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "crash/lab.h"

#define NAMES 7u
#define DIRECTORIES 5u
#define LARGEST_WRITE 150000u

/* Open one of the directories: the root, or one of those below it. */
static struct f2fs_inode *open_directory(struct lab *lab)
{
	struct f2fs_inode *dir;
	char path[16];

	snprintf(path, sizeof(path), "/d%u", (unsigned)lab_random(lab, DIRECTORIES));
	if (lab_random(lab, 4) == 0 || f2fs_lookup(lab->vol, path, 0, &dir) != 0)
		assert_int_equal(f2fs_lookup(lab->vol, "/", 0, &dir), 0);
	return dir;
}

static struct f2fs_new choose_spec(struct lab *lab, uint32_t mode)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = mode,
				       .uid = (uint32_t)lab_random(lab, 3),
				       .mtime = { (int64_t)lab_random(lab, 1u << 31), 7 },
				       .target = "somewhere/else",
				       .target_length = mode == 0120777 ? 14 : 0 };

	return spec;
}

static struct f2fs_inode *make_file(struct lab *lab, struct f2fs_inode *dir, const char *name)
{
	static const uint32_t modes[] = { 0100644, 0100600, 0100755, 0120777, 010600 };
	const struct f2fs_new spec = choose_spec(lab, modes[lab_random(lab, 5)]);
	struct f2fs_inode *inode;

	assert_int_equal(f2fs_create(dir, name, strlen(name), &spec, &inode), 0);
	return inode;
}

static void write_file(struct lab *lab, struct f2fs_inode *inode)
{
	const uint64_t at = lab_random(lab, 4) ? 0 : lab_random(lab, 6000000);
	const size_t n = (size_t)lab_random(lab, (uint64_t)1 << lab_random(lab, 18)) + 1;

	for (size_t i = 0; i < n; i++)
		lab->bytes[i] = (uint8_t)lab_random(lab, lab->workload->write.has_compression ? 4 : 256);
	assert_int_equal(f2fs_inode_write(inode, at, lab->bytes, n < LARGEST_WRITE ? n : LARGEST_WRITE), 0);
}

static void change_file(struct lab *lab, struct f2fs_inode *inode)
{
	char name[] = "user.a";
	struct f2fs_stat st;

	assert_int_equal(f2fs_inode_stat(inode, &st), 0);
	name[5] = (char)('a' + lab_random(lab, 6));
	switch (lab_random(lab, 4)) {
	case 0:
		if ((st.mode & 0170000) == 0100000)
			assert_int_equal(f2fs_inode_truncate(inode, lab_random(lab, st.size + 5000)), 0);
		break;
	case 1: /* other types have no attributes of users */
		if ((st.mode & 0170000) == 0100000 || (st.mode & 0170000) == 0040000)
			assert_int_equal(f2fs_xattr_set(inode, name, lab->bytes, (size_t)lab_random(lab, 300)), 0);
		break;
	default:
		if ((st.mode & 0170000) == 0100000)
			write_file(lab, inode);
	}
}

static void rename_file(struct lab *lab, struct f2fs_inode *dir, const char *name)
{
	struct f2fs_inode *other = open_directory(lab);
	char new_name[16];

	snprintf(new_name, sizeof(new_name), "n%u", (unsigned)lab_random(lab, NAMES));
	assert_int_equal(f2fs_rename(dir, name, strlen(name), other, new_name, strlen(new_name), 0), 0);
	f2fs_inode_close(other);
}

struct f2fs_inode *lab_change(struct lab *lab)
{
	struct f2fs_inode *dir = open_directory(lab), *inode = NULL;
	struct f2fs_dirent entry;
	char name[16];

	snprintf(name, sizeof(name), "n%u", (unsigned)lab_random(lab, NAMES));
	if (f2fs_dir_lookup(dir, name, strlen(name), &entry) != 0) {
		inode = make_file(lab, dir, name);
	} else if (lab_random(lab, 6) == 0) {
		assert_int_equal(f2fs_remove(dir, name, strlen(name)), 0);
	} else {
		assert_int_equal(f2fs_inode_open(lab->vol, entry.ino, &inode), 0);
		if (lab_random(lab, 6) == 0)
			rename_file(lab, dir, name);
		else
			change_file(lab, inode);
	}
	f2fs_inode_close(dir);
	return inode;
}

void lab_make_directories(struct lab *lab)
{
	struct f2fs_inode *root;
	char name[16];

	assert_int_equal(f2fs_lookup(lab->vol, "/", 0, &root), 0);
	for (unsigned i = 0; i < DIRECTORIES; i++) {
		const struct f2fs_new spec = choose_spec(lab, 040755);

		snprintf(name, sizeof(name), "d%u", i);
		assert_int_equal(f2fs_create(root, name, strlen(name), &spec, NULL), 0);
	}
	f2fs_inode_close(root);
}
