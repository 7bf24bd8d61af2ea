/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Populate's own settings do not affect callbacks: their changes are stamped and stored as the volume's options say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/fresh.h"

#define FEATURES (F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_COMPRESSION)

static const char manifest[] = "{\"path\": \"a\", \"type\": \"directory\", \"mode\": \"0755\", \"mtime\": [7, 8]}\n"
			       "{\"path\": \"a/1.txt\", \"type\": \"file\", \"mode\": \"0644\", \"mtime\": [9, 10]}\n"
			       "{\"path\": \"a/2.txt\", \"type\": \"file\", \"mode\": \"0644\", \"mtime\": [11, 12]}\n";

static struct fresh v;
static size_t given;
static unsigned calls;

static int give(void *user, void *buffer, size_t length, size_t *got)
{
	size_t rest = sizeof(manifest) - 1 - given;

	(void)user;
	*got = rest < length ? rest : length;
	memcpy(buffer, manifest + given, *got);
	given += *got;
	return 0;
}

/* A host that keeps a log of the copied files, in the volume itself: it changes a file and makes another one. */
static int on_entry(void *user, const char *path)
{
	struct f2fs_inode *log = user, *root, *other;
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644, .mtime = { 1, 0 }, .ctime = { 1, 0 } };
	char name[16];

	assert_int_equal(f2fs_inode_write(log, (uint64_t)calls * 16, path, strlen(path)), 0);
	assert_int_equal(f2fs_lookup(v.vol, "/", 0, &root), 0);
	snprintf(name, sizeof(name), "new%u.txt", calls++);
	assert_int_equal(f2fs_create(root, name, strlen(name), &spec, &other), 0);
	f2fs_inode_close(other);
	f2fs_inode_close(root);
	return 0;
}

static void expect(const char *path, unsigned compressed, int64_t seconds, uint32_t nanoseconds)
{
	struct f2fs_inode *inode;
	struct f2fs_stat st;

	assert_int_equal(f2fs_lookup(v.vol, path, 0, &inode), 0);
	assert_int_equal(f2fs_inode_stat(inode, &st), 0);
	assert_int_equal(st.is_compressed, compressed);
	assert_int_equal(st.mtime.seconds, seconds);
	assert_int_equal(st.mtime.nanoseconds, nanoseconds);
	f2fs_inode_close(inode);
}

static void callbacks_go_the_usual_way(void **state)
{
	const struct f2fs_time now = { 1000, 5 };
	const struct f2fs_input input = { .read = give };
	const struct f2fs_populate_compression compression = { F2FS_SIZED(f2fs_populate_compression),
							       .how = { .algorithm = F2FS_COMPRESS_LZO } };
	struct f2fs_populate_options options = { F2FS_SIZED(f2fs_populate_options),
						 .manifest = &input, .compression = &compression, .entry = on_entry };
	struct f2fs_populate_result result = { F2FS_SIZED(f2fs_populate_result) };
	struct f2fs_inode *log;

	(void)state;
	fresh_open(&v, 64u << 20, FEATURES);
	f2fs_volume_set_time(v.vol, &now);
	log = fresh_make(&v, "log.txt", 0100644);
	options.user = log;
	assert_int_equal(f2fs_populate(v.vol, &options, &result), 0);
	assert_int_equal(calls, 3);
	assert_int_equal(f2fs_inode_write(log, 100, "end", 3), 0); /* nothing of the run is left */
	f2fs_inode_close(log);
	fresh_reopen(&v);
	expect("/log.txt", 0, 1000, 5);
	expect("/new0.txt", 0, 1, 0);
	expect("/new2.txt", 0, 1, 0);
	expect("/a", 0, 7, 8);
	expect("/a/1.txt", 1, 9, 10);
	expect("/a/2.txt", 1, 11, 12);
	fresh_close(&v);
}

static int count_tries(void *user, struct f2fs_volume *vol)
{
	(void)vol;
	++*(unsigned *)user;
	return 0;
}

/* The size of a volume for the manifest; *tries: how often it was read for that. */
static uint64_t find_size(FILE *file, uint64_t enough, unsigned *tries)
{
	const struct f2fs_mkfs_options mkfs = { F2FS_SIZED(f2fs_mkfs_options) };
	const struct f2fs_input input = { .fd = fileno(file) };
	const struct f2fs_populate_options options = { F2FS_SIZED(f2fs_populate_options),
						       .manifest = &input, .enough = enough,
						       .prepare = count_tries, .prepare_user = tries };
	uint64_t size = 0;

	*tries = 0;
	assert_int_equal(f2fs_populate_size(v.ctx, &mkfs, &options, NULL, &size), 0);
	return size;
}

static void a_size_that_is_enough_takes_one_try(void **state)
{
	const uint64_t large = (uint64_t)100 << 20;
	FILE *file = tmpfile();
	uint64_t smallest;
	unsigned tries;

	(void)state;
	assert_non_null(file);
	assert_int_equal(fwrite(manifest, 1, sizeof(manifest) - 1, file), sizeof(manifest) - 1);
	rewind(file);
	fresh_open(&v, 64u << 20, 0);
	smallest = find_size(file, 0, &tries);
	assert_true(tries > 1 && smallest < large);
	assert_true(find_size(file, large, &tries) == large && tries == 1);
	assert_true(find_size(file, (uint64_t)4 << 20, &tries) == smallest);
	fresh_close(&v);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callbacks_go_the_usual_way),
		cmocka_unit_test(a_size_that_is_enough_takes_one_try),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
