/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flags and hints: which can be set on which files; operations that they forbid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/fresh.h"
#include "format/inode.h"

#define FEATURES (F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_QUOTA | F2FS_FEAT_CASEFOLD | F2FS_FEAT_COMPRESSION)

static struct fresh v;
static struct f2fs_inode *file, *dir;

static int set_up(void **state)
{
	(void)state;
	fresh_open(&v, 64 << 20, FEATURES);
	file = fresh_make(&v, "file", 0100644);
	dir = fresh_make(&v, "dir", 040755);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	f2fs_inode_close(file);
	f2fs_inode_close(dir);
	fresh_close(&v);
	return 0;
}

static int set_flags(struct f2fs_inode *inode, uint32_t flags)
{
	const struct f2fs_stat values = { .flags = flags };

	return f2fs_inode_set(inode, F2FS_SET_FLAGS, &values);
}

static uint32_t flags_of(struct f2fs_inode *inode)
{
	struct f2fs_stat stat;

	assert_int_equal(f2fs_inode_stat(inode, &stat), 0);
	return stat.flags;
}

static void flags_by_type(void **state)
{
	struct f2fs_inode *fifo = fresh_make(&v, "fifo", 010644);

	(void)state;
	assert_int_equal(set_flags(file, FLAG_i_flags_immutable | FLAG_i_flags_append | FLAG_i_flags_nocomp), 0);
	assert_int_equal(flags_of(file), FLAG_i_flags_immutable | FLAG_i_flags_append | FLAG_i_flags_nocomp);
	assert_int_equal(set_flags(file, FLAG_i_flags_dirsync), F2FS_ERR_UNSUPPORTED);
	assert_int_equal(set_flags(fifo, FLAG_i_flags_immutable), F2FS_ERR_UNSUPPORTED);
	assert_int_equal(set_flags(fifo, FLAG_i_flags_nodump), 0);
	assert_int_equal(set_flags(dir, FLAG_i_flags_dirsync | FLAG_i_flags_projinherit), 0);
	assert_int_equal(flags_of(dir), FLAG_i_flags_dirsync | FLAG_i_flags_projinherit | FLAG_i_flags_index);
	/* owners of the image can clear the flags: they forbid nothing */
	assert_int_equal(f2fs_inode_write(file, 0, "x", 1), 0);
	assert_int_equal(f2fs_inode_truncate(file, 0), 0);
	assert_int_equal(set_flags(file, 0), 0);
	assert_int_equal(flags_of(file), 0);
	f2fs_inode_close(fifo);
}

static void casefold_on_empty_directories(void **state)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct f2fs_dirent entry;
	struct f2fs_inode *sub;
	int err;

	(void)state;
	assert_int_equal(set_flags(file, FLAG_i_flags_casefold), F2FS_ERR_NOT_DIR);
	assert_int_equal(set_flags(dir, FLAG_i_flags_casefold), 0);
	err = f2fs_create(dir, "Name", 4, &spec, NULL);
	if (err == F2FS_ERR_UNSUPPORTED) /* built without */
		return;
	assert_int_equal(err, 0);
	assert_int_equal(f2fs_create(dir, "NAME", 4, &spec, NULL), F2FS_ERR_EXISTS);
	assert_int_equal(f2fs_dir_lookup(dir, "nAmE", 4, &entry), 0);
	assert_string_equal(entry.name, "Name");
	assert_int_equal(set_flags(dir, 0), F2FS_ERR_NOT_EMPTY);
	assert_int_equal(f2fs_remove(dir, "name", 4), 0);
	assert_int_equal(f2fs_create(dir, "sub", 3, &(struct f2fs_new){ F2FS_SIZED(f2fs_new),
									.mode = 040755 }, &sub), 0);
	assert_true(flags_of(sub) & FLAG_i_flags_casefold);
	f2fs_inode_close(sub);
	assert_int_equal(f2fs_remove(dir, "SUB", 3), 0);
	assert_int_equal(set_flags(dir, 0), 0);
	assert_false(flags_of(dir) & FLAG_i_flags_casefold);
}

static void flags_need_their_feature(void **state)
{
	struct fresh plain;
	struct f2fs_inode *other;

	(void)state;
	fresh_open(&plain, 64 << 20, 0);
	other = fresh_make(&plain, "dir", 040755);
	assert_int_equal(set_flags(other, FLAG_i_flags_casefold), F2FS_ERR_UNSUPPORTED);
	assert_int_equal(set_flags(other, FLAG_i_flags_nocomp), F2FS_ERR_UNSUPPORTED);
	assert_int_equal(f2fs_inode_set(other, F2FS_SET_PROJID, &(struct f2fs_stat){ .projid = 1 }),
			 F2FS_ERR_UNSUPPORTED);
	assert_int_equal(f2fs_inode_set(other, F2FS_SET_CRTIME, &(struct f2fs_stat){ 0 }), F2FS_ERR_UNSUPPORTED);
	assert_int_equal(f2fs_inode_set(other, 1u << 20, &(struct f2fs_stat){ 0 }), F2FS_ERR_INVALID);
	f2fs_inode_close(other);
	fresh_close(&plain);
}

static void quota_files_keep_their_flags(void **state)
{
	struct f2fs_inode *quota;

	(void)state;
	assert_int_equal(f2fs_inode_open(v.vol, 4, &quota), 0);
	assert_int_equal(set_flags(quota, 0), F2FS_ERR_ACCESS);
	f2fs_inode_close(quota);
}

static void hints_choose_the_log(void **state)
{
	static uint8_t block[4096] = { 1 };
	struct f2fs_stat values = { .advise = FLAG_i_advise_cold };
	struct f2fs_segment_info segment;
	f2fs_blk_t addr;

	(void)state;
	assert_int_equal(f2fs_inode_set(file, F2FS_SET_ADVISE, &values), 0);
	assert_int_equal(f2fs_inode_write(file, 0, block, 4096), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	assert_int_equal(f2fs_inode_block(file, 0, &addr), 0);
	assert_int_equal(f2fs_sit_lookup(v.vol, (addr - f2fs_volume_geometry(v.vol)->main_blkaddr) / 512, &segment), 0);
	assert_int_equal(segment.type, F2FS_COLD_DATA);
	values.advise = FLAG_i_advise_verity;
	assert_int_equal(f2fs_inode_set(file, F2FS_SET_ADVISE, &values), F2FS_ERR_INVALID);
	values.inline_flags = FLAG_i_inline_pin_file;
	assert_int_equal(f2fs_inode_set(dir, F2FS_SET_PIN, &values), F2FS_ERR_WRONG_TYPE);
}

/* The system call form of an ACL: version, then tag, permissions and id of each entry. */
static size_t put_acl(uint8_t *out, const uint16_t (*entries)[3], size_t count)
{
	static const uint8_t version[4] = { 2 };

	memcpy(out, version, 4);
	for (size_t i = 0; i < count; i++) {
		uint8_t *e = out + 4 + i * 8;

		memset(e, 0xff, 8);
		e[0] = (uint8_t)entries[i][0];
		e[2] = (uint8_t)entries[i][1];
		e[1] = e[3] = 0;
		if (entries[i][2])
			e[4] = (uint8_t)entries[i][2], e[5] = (uint8_t)(entries[i][2] >> 8), e[6] = e[7] = 0;
	}
	return 4 + count * 8;
}

static unsigned mode_of_file(void)
{
	struct f2fs_stat stat;

	assert_int_equal(f2fs_inode_stat(file, &stat), 0);
	return stat.mode & 07777;
}

static void acls_and_permissions_agree(void **state)
{
	static const uint16_t full[][3] = { { 1, 7, 0 }, { 2, 6, 1000 }, { 4, 5, 0 }, { 16, 6, 0 }, { 32, 1, 0 } };
	static const uint16_t small[][3] = { { 1, 6, 0 }, { 4, 4, 0 }, { 32, 0, 0 } };
	struct f2fs_inode *target;
	struct f2fs_xattr x;
	uint8_t value[100];
	size_t size = put_acl(value, full, 5);

	(void)state;
	assert_int_equal(f2fs_xattr_set(file, "system.posix_acl_access", value, size), 0);
	assert_int_equal(mode_of_file(), 0761);
	/* the group's permissions are the mask's; the named user and the group itself stay */
	assert_int_equal(f2fs_inode_set(file, F2FS_SET_MODE, &(struct f2fs_stat){ .mode = 0640 }), 0);
	assert_int_equal(f2fs_xattr_get(file, "system.posix_acl_access", &x), 0);
	assert_int_equal(x.value_size, size);
	assert_int_equal(x.value[4 + 2], 6);
	assert_int_equal(x.value[12 + 2], 6);
	assert_int_equal(x.value[20 + 2], 5);
	assert_int_equal(x.value[28 + 2], 4);
	assert_int_equal(x.value[36 + 2], 0);
	size = put_acl(value, small, 3);
	assert_int_equal(f2fs_xattr_set(file, "system.posix_acl_access", value, size), 0);
	assert_int_equal(f2fs_xattr_get(file, "system.posix_acl_access", &x), F2FS_ERR_NO_ATTR);
	assert_int_equal(mode_of_file(), 0640);
	assert_int_equal(f2fs_xattr_set(file, "system.posix_acl_default", value, size), F2FS_ERR_ACCESS);
	assert_int_equal(f2fs_xattr_set(dir, "system.posix_acl_default", value, size), 0);
	assert_int_equal(f2fs_xattr_get(dir, "system.posix_acl_default", &x), 0);
	assert_int_equal(f2fs_lookup(v.vol, "/", 0, &target), 0);
	assert_int_equal(f2fs_create(target, "link", 4,
				     &(struct f2fs_new){ F2FS_SIZED(f2fs_new),
							 .mode = 0120777, .target = "x", .target_length = 1 }, NULL),
			 0);
	f2fs_inode_close(target);
	assert_int_equal(f2fs_lookup(v.vol, "/link", 0, &target), 0);
	assert_int_equal(f2fs_xattr_set(target, "system.posix_acl_access", value, size), F2FS_ERR_UNSUPPORTED);
	f2fs_inode_close(target);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
}

/* Make a directory or file in dir and return its permissions and the number of its ACLs. */
static unsigned make_heir(const char *name, const struct f2fs_new *spec, unsigned *acls)
{
	static const char *const names[] = { "system.posix_acl_access", "system.posix_acl_default" };
	struct f2fs_inode *heir;
	struct f2fs_xattr x;
	struct f2fs_stat stat;

	assert_int_equal(f2fs_create(dir, name, strlen(name), spec, &heir), 0);
	assert_int_equal(f2fs_inode_stat(heir, &stat), 0);
	*acls = 0;
	for (unsigned i = 0; i < 2; i++)
		*acls |= (unsigned)(f2fs_xattr_get(heir, names[i], &x) == 0) << i;
	f2fs_inode_close(heir);
	return stat.mode & 07777;
}

static void default_acls_are_inherited(void **state)
{
	static const uint16_t full[][3] = { { 1, 7, 0 }, { 2, 7, 1000 }, { 4, 7, 0 }, { 16, 6, 0 }, { 32, 5, 0 } };
	static const uint16_t plain[][3] = { { 1, 6, 0 }, { 4, 4, 0 }, { 32, 0, 0 } };
	uint8_t value[100];
	unsigned acls;

	(void)state;
	/* without one the umask decides */
	assert_int_equal(make_heir("free", &(struct f2fs_new){ F2FS_SIZED(f2fs_new),
							       .mode = 0100666, .umask = 027 }, &acls), 0640);
	assert_int_equal(acls, 0);
	assert_int_equal(f2fs_xattr_set(dir, "system.posix_acl_default", value, put_acl(value, full, 5)), 0);
	assert_int_equal(make_heir("file", &(struct f2fs_new){ F2FS_SIZED(f2fs_new),
							       .mode = 0104666, .umask = 027 }, &acls), 04664);
	assert_int_equal(acls, 1);
	assert_int_equal(make_heir("dir", &(struct f2fs_new){ F2FS_SIZED(f2fs_new), .mode = 040751 }, &acls), 0741);
	assert_int_equal(acls, 3);
	assert_int_equal(make_heir("copy", &(struct f2fs_new){ F2FS_SIZED(f2fs_new),
							       .mode = 040777, .flags = F2FS_NEW_EXACT }, &acls), 0777);
	assert_int_equal(acls, 0);
	/* one that says no more than permissions is not stored as an access ACL */
	assert_int_equal(f2fs_xattr_set(dir, "system.posix_acl_default", value, put_acl(value, plain, 3)), 0);
	assert_int_equal(make_heir("plain", &(struct f2fs_new){ F2FS_SIZED(f2fs_new), .mode = 0100777 }, &acls), 0640);
	assert_int_equal(acls, 0);
	assert_int_equal(make_heir("sub", &(struct f2fs_new){ F2FS_SIZED(f2fs_new), .mode = 040777 }, &acls), 0640);
	assert_int_equal(acls, 2);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
}

static void advise_is_an_attribute(void **state)
{
	struct f2fs_stat stat;

	(void)state;
	assert_int_equal(f2fs_xattr_set(file, "system.advise", "\x20", 1), 0);
	assert_int_equal(f2fs_inode_stat(file, &stat), 0);
	assert_int_equal(stat.advise, FLAG_i_advise_hot);
	assert_int_equal(f2fs_xattr_set(file, "system.advise", "\x04", 1), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_xattr_set(file, "system.advise", "\x20\x20", 2), F2FS_ERR_INVALID);
}

/* As the kernel has it; others are not for users. */
static void users_attributes_stand_at_files_and_directories(void **state)
{
	static const struct {
		const char *name;
		unsigned mode;
		int expected;
	} rows[] = { { "r", 0100644, 0 },		  { "d", 040755, 0 },
		     { "l", 0120777, F2FS_ERR_ACCESS },	  { "p", 010644, F2FS_ERR_ACCESS },
		     { "s", 0140644, F2FS_ERR_ACCESS },	  { "c", 020644, F2FS_ERR_ACCESS } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct f2fs_new spec = { F2FS_SIZED(f2fs_new),
					       .mode = rows[i].mode, .target = "x", .target_length = 1 };
		struct f2fs_inode *inode;

		assert_int_equal(f2fs_create(dir, rows[i].name, 1, &spec, &inode), 0);
		assert_int_equal(f2fs_xattr_set(inode, "user.a", "1", 1), rows[i].expected);
		assert_int_equal(f2fs_xattr_set(inode, "trusted.a", "1", 1), 0);
		f2fs_inode_close(inode);
	}
	assert_int_equal(f2fs_volume_commit(v.vol), 0); /* a refused call has changed nothing */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(flags_by_type, set_up, tear_down),
		cmocka_unit_test_setup_teardown(casefold_on_empty_directories, set_up, tear_down),
		cmocka_unit_test_setup_teardown(flags_need_their_feature, set_up, tear_down),
		cmocka_unit_test_setup_teardown(quota_files_keep_their_flags, set_up, tear_down),
		cmocka_unit_test_setup_teardown(acls_and_permissions_agree, set_up, tear_down),
		cmocka_unit_test_setup_teardown(default_acls_are_inherited, set_up, tear_down),
		cmocka_unit_test_setup_teardown(advise_is_an_attribute, set_up, tear_down),
		cmocka_unit_test_setup_teardown(users_attributes_stand_at_files_and_directories, set_up, tear_down),
		cmocka_unit_test_setup_teardown(hints_choose_the_log, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
