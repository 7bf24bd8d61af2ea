/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check the volume that bench/check_hollow measures, whose blocks are made when they are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/plain_files.h"
#include "format/structs.h"

enum { FILES = 3000, BLOCK = 4096 };

struct hollow {
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct plain_counts counts;
};

/* The volume, below a layer that takes changes. */
static void open_volume(struct hollow *h)
{
	struct f2fs_device *made;

	assert_int_equal(f2fs_context_open(NULL, &h->ctx), 0);
	assert_int_equal(plain_files_open(h->ctx, FILES, &h->counts, &made), 0);
	assert_int_equal(f2fs_device_open_overlay(made, 0, NULL, &h->dev), 0);
	f2fs_device_close(made);
}

static void close_volume(struct hollow *h)
{
	f2fs_device_close(h->dev);
	f2fs_context_close(h->ctx);
}

static int note_problem(void *user, const struct f2fs_problem *problem)
{
	*(struct f2fs_problem *)user = *problem;
	return F2FS_DECIDE_SKIP;
}

/* Returns the number of findings; *last: the last one. */
static uint64_t check(struct hollow *h, struct f2fs_problem *last)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options),
						    .problem = note_problem,
						    .user = last };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };

	assert_int_equal(f2fs_check(h->ctx, h->dev, &options, &result), 0);
	assert_int_equal(result.files, FILES);
	assert_int_equal(result.directories, FILES / PLAIN_FILES + 2);
	return result.found + result.notes;
}

/* Find a file by its path, and the address of its inode. */
static f2fs_nid_t find_file(struct hollow *h, const char *path, f2fs_blk_t *addr)
{
	struct f2fs_volume *vol;
	struct f2fs_inode *inode;
	f2fs_nid_t ino;

	assert_int_equal(f2fs_volume_open(h->ctx, h->dev, NULL, &vol), 0);
	assert_int_equal(f2fs_lookup(vol, path, 0, &inode), 0);
	ino = f2fs_inode_number(inode);
	*addr = f2fs_inode_address(inode);
	f2fs_inode_close(inode);
	f2fs_volume_close(vol);
	return ino;
}

static void the_volume_is_sound(void **state)
{
	struct f2fs_problem last;
	struct hollow h;
	f2fs_blk_t addr;

	(void)state;
	open_volume(&h);
	assert_int_equal(check(&h, &last), 0);
	assert_int_equal(h.counts.files, FILES);
	find_file(&h, "/000/000/000", &addr);
	assert_int_equal(addr, h.counts.first_file);
	find_file(&h, "/000/002/999", &addr);
	assert_int_equal(addr, h.counts.first_file + FILES - 1);
	close_volume(&h);
}

static void a_wrong_inode_is_found(void **state)
{
	struct f2fs_problem last;
	uint8_t block[BLOCK];
	struct hollow h;
	f2fs_nid_t ino;
	f2fs_blk_t addr;

	(void)state;
	open_volume(&h);
	ino = find_file(&h, "/000/001/234", &addr);
	assert_int_equal(f2fs_device_read(h.dev, (uint64_t)addr * BLOCK, block, BLOCK), 0);
	inode_set_i_links(block, 2);
	assert_int_equal(f2fs_device_write(h.dev, (uint64_t)addr * BLOCK, block, BLOCK), 0);
	assert_int_equal(check(&h, &last), 1);
	assert_string_equal(last.info->name, "LINKS_FILE");
	assert_int_equal(last.ino, ino);
	close_volume(&h);
}

static void other_numbers_are_refused(void **state)
{
	static const uint64_t wrong[] = { 0, 999, 1500, 1001000, UINT64_C(1001000000) };
	struct plain_counts counts;
	struct f2fs_context *ctx;
	struct f2fs_device *dev;

	(void)state;
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(plain_files_open(ctx, wrong[i], &counts, &dev), F2FS_ERR_INVALID);
	f2fs_context_close(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_volume_is_sound),
		cmocka_unit_test(a_wrong_inode_is_found),
		cmocka_unit_test(other_numbers_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
