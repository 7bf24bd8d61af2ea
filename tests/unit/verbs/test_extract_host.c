/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Extraction to a directory: the whole tree is there afterwards, and the options change it. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

#include "host_tree.h"

#define BLOCK 4096u

static void extract_ok(struct f2fs_volume *vol, struct f2fs_extract_options *options,
		       struct f2fs_extract_result *result)
{
	if (f2fs_extract(vol, options, result))
		fail_msg("%s", f2fs_context_error(f2fs_volume_context(vol))->message);
}

/* Extract everything with default options and more of the test's. */
static void extract_all(struct fixture *t, struct f2fs_extract_options *options)
{
	struct f2fs_volume *vol = forge_volume(&t->forge, NULL);

	options->directory = t->out;
	extract_ok(vol, options, &t->result);
	f2fs_volume_close(vol);
}

/* ---- contents */

static void small_files_are_equal(void **state)
{
	struct fixture *t = *state;
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options) };
	f2fs_nid_t dir = forge_entry(&t->forge, t->forge.root, "dir", MODE_DIR | 0750, NULL);

	forge_entry(&t->forge, t->forge.root, "empty", MODE_REG | 0644, NULL);
	forge_entry(&t->forge, t->forge.root, "inline", MODE_REG | 0600, "inline text");
	forge_entry(&t->forge, dir, "below", MODE_REG | 0444, "below");
	extract_all(t, &options);
	assert_file(t, "empty", "", 0);
	assert_file(t, "inline", "inline text", 11);
	assert_file(t, "dir/below", "below", 5);
	assert_int_equal(t->result.files, 3);
	assert_int_equal(t->result.directories, 2);
	assert_int_equal(t->result.bytes, 16);
	assert_int_equal(t->result.problems, 0);
}

/* Blocks in every order and with every kind of gap. */
static void blocks_and_holes(void **state)
{
	struct fixture *t = *state;
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options) };
	uint8_t *expected = calloc(8, BLOCK);
	uint32_t slots[8] = { 0 };
	f2fs_nid_t ino = forge_entry(&t->forge, t->forge.root, "file", MODE_REG | 0644, NULL);

	/* blocks are handed out downwards: 5 and 4 follow each other on the device, 6 precedes 2 */
	static const unsigned order[] = { 5, 4, 2, 6, 0 };

	for (unsigned i = 0; i < 5; i++) {
		memset(expected + order[i] * BLOCK, 'a' + (int)order[i], BLOCK);
		slots[order[i]] = forge_block(&t->forge, expected + order[i] * BLOCK, BLOCK);
	}
	slots[3] = F2FS_NEW_ADDR;
	forge_slots(&t->forge, ino, 6 * BLOCK + 100, slots, 8);
	extract_all(t, &options);
	assert_file(t, "file", expected, 6 * BLOCK + 100);
	assert_int_equal(t->result.bytes, 4 * BLOCK + 100);
	free(expected);
}

static void holes_take_no_space(void **state)
{
	struct fixture *t = *state;
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options) };
	const uint32_t none = 0;
	f2fs_nid_t ino = forge_entry(&t->forge, t->forge.root, "hole", MODE_REG | 0644, NULL);
	struct stat st;

	forge_slots(&t->forge, ino, (uint64_t)3 << 30, &none, 1);
	extract_all(t, &options);
	stat_of(t, "hole", &st);
	assert_int_equal(st.st_size, (uint64_t)3 << 30);
	assert_true(st.st_blocks < 100);
	assert_int_equal(t->result.bytes, 0);
}

/* More extents than a batch takes, in a file and over many files; every thread count gives the same. */
static void large_files_come_in_pieces(void **state)
{
	struct fixture *t = *state;
	uint32_t *slots = calloc(3000, sizeof(*slots));
	uint8_t *expected = calloc(1841, BLOCK);
	f2fs_nid_t ino = forge_entry(&t->forge, t->forge.root, "large", MODE_REG | 0640, NULL);
	f2fs_nid_t node = forge_direct_node(&t->forge, ino, 1);
	uint8_t block[BLOCK];

	for (unsigned i = 0; i < 1841; i += 2) { /* every second block: no two runs join */
		memset(expected + i * BLOCK, 1 + (int)(i % 250), BLOCK);
		slots[i] = forge_block(&t->forge, expected + i * BLOCK, BLOCK);
	}
	forge_slots(&t->forge, ino, 1841 * BLOCK - 1, slots, 923);
	forge_node_read(&t->forge, node, block);
	for (unsigned i = 0; i < 1841 - 923; i++)
		put_le32(block + i * 4, slots[923 + i]);
	forge_node_write(&t->forge, node, block);
	forge_node_read(&t->forge, ino, block);
	inode_set_nid(&t->forge.geo, block, 0, node);
	forge_node_write(&t->forge, ino, block);
	for (unsigned threads = 1; threads <= 4; threads++) {
		struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options), .threads = threads };

		clear_out(t);
		extract_all(t, &options);
		assert_file(t, "large", expected, 1841 * BLOCK - 1);
		assert_int_equal(t->result.files, 1);
	}
	free(expected);
	free(slots);
}

/* ---- kinds and attributes */

static void modes_and_times(void **state)
{
	struct fixture *t = *state;
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options), .require = F2FS_KEEP_MODE };
	const mode_t umask_before = umask(027);
	f2fs_nid_t dir = forge_entry(&t->forge, t->forge.root, "dir", MODE_DIR | 01557, NULL);
	struct stat st;

	forge_entry(&t->forge, dir, "file", MODE_REG | 04777, "x");
	forge_entry(&t->forge, dir, "fifo", MODE_FIFO | 0666, NULL);
	forge_entry(&t->forge, dir, "link", MODE_LNK | 0777, "target");
	for (f2fs_nid_t ino = dir; ino < t->forge.next_nid; ino++) {
		forge_set(&t->forge, ino, "i_uid", geteuid());
		forge_set(&t->forge, ino, "i_gid", getegid());
	}
	extract_all(t, &options);
	umask(umask_before);
	stat_of(t, "dir", &st);
	assert_int_equal(st.st_mode & 07777, 01557);
	assert_int_equal(st.st_mtim.tv_sec, 1234567890);
	assert_int_equal(st.st_mtim.tv_nsec, 987654321);
	stat_of(t, "dir/file", &st);
	assert_int_equal(st.st_mode & 07777, 04777);
	assert_int_equal(st.st_mtim.tv_nsec, 987654321);
	assert_int_equal(st.st_atim.tv_sec, 1111111111);
	stat_of(t, "dir/fifo", &st);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0666);
	assert_int_equal(st.st_mtim.tv_nsec, 987654321);
	stat_of(t, "dir/link", &st);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(st.st_mtim.tv_nsec, 987654321);
	chmod_in(t, "dir", 0700); /* so that it can be removed */
}

static void nothing_kept(void **state)
{
	struct fixture *t = *state;
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options), .keep = F2FS_KEEP_NOTHING };
	const mode_t umask_before = umask(027);
	struct stat st;
	f2fs_nid_t ino = forge_entry(&t->forge, t->forge.root, "file", MODE_REG | 04777, "x");

	forge_set(&t->forge, ino, "i_uid", geteuid() + 1);
	forge_set(&t->forge, ino, "i_links", 2);
	forge_name(&t->forge, t->forge.root, "again", 5, ino);
	forge_entry(&t->forge, t->forge.root, "fifo", MODE_FIFO | 0666, NULL);
	extract_all(t, &options);
	umask(umask_before);
	stat_of(t, "file", &st);
	assert_int_equal(st.st_mode & 07777, 0750);
	assert_int_equal(st.st_uid, geteuid());
	assert_int_not_equal(st.st_mtim.tv_sec, 1234567890);
	assert_int_equal(st.st_nlink, 1);
	assert_file(t, "again", "x", 1);
	assert_int_equal(t->result.skipped, 1);
	assert_int_equal(t->result.attributes_lost, 0);
}

/* A setuid file of one user must not become setuid for another by --uid-map, unless requested. */
static void setuid_does_not_change_hands(void **state)
{
	struct fixture *t = *state;
	const struct f2fs_id_map map = { .first = 1000, .to = 0, .count = 1 };
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options), .uid_map = &map, .uid_map_count = 1 };
	struct stat st;

	if (geteuid() != 0)
		skip();
	forge_set(&t->forge, forge_entry(&t->forge, t->forge.root, "program", MODE_REG | 06755, "x"), "i_uid", 1000);
	forge_entry(&t->forge, t->forge.root, "other", MODE_REG | 06755, "x");
	extract_all(t, &options);
	stat_of(t, "program", &st);
	assert_int_equal(st.st_mode & 07777, 0755);
	stat_of(t, "other", &st);
	assert_int_equal(st.st_mode & 07777, 06755);
	clear_out(t);
	options.keep = F2FS_KEEP_DEFAULT | F2FS_KEEP_SETID;
	extract_all(t, &options);
	stat_of(t, "program", &st);
	assert_int_equal(st.st_mode & 07777, 06755);
}

/* Who may not give files away does not make setuid programs of his own. */
static void setuid_needs_the_owner(void **state)
{
	struct fixture *t = *state;
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options), .keep = F2FS_KEEP_MODE };
	struct stat st;
	f2fs_nid_t ino = forge_entry(&t->forge, t->forge.root, "program", MODE_REG | 06755, "x");

	forge_set(&t->forge, ino, "i_uid", geteuid() + 1);
	extract_all(t, &options);
	stat_of(t, "program", &st);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(t->result.attributes_lost, 1);
	assert_int_equal(t->result.problems, 0);
	clear_out(t);
	options.require = F2FS_KEEP_MODE; /* requested explicitly */
	extract_all(t, &options);
	stat_of(t, "program", &st);
	assert_int_equal(st.st_mode & 07777, 06755);
}

static void ids_are_mapped(void **state)
{
	struct fixture *t = *state;
	const struct f2fs_id_map map[] = { { 0, 7, 1 }, { 1000, geteuid(), 10 }, { 1000, 9, 1 } };
	const struct f2fs_id_map groups[] = { { 2000, getegid(), 1 } };
	struct f2fs_extract_options options = {
		F2FS_SIZED(f2fs_extract_options),
		.uid_map = map, .uid_map_count = 3, .gid_map = groups, .gid_map_count = 1, .require = F2FS_KEEP_OWNER
	};
	struct stat st;
	f2fs_nid_t ino = forge_entry(&t->forge, t->forge.root, "file", MODE_REG | 0644, "x");

	forge_set(&t->forge, ino, "i_uid", 1000);
	forge_set(&t->forge, ino, "i_gid", 2000);
	extract_all(t, &options);
	stat_of(t, "file", &st);
	assert_int_equal(st.st_uid, geteuid());
	assert_int_equal(st.st_gid, getegid());
}

static void hard_links(void **state)
{
	struct fixture *t = *state;
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options) };
	struct stat a, b;
	f2fs_nid_t dir = forge_entry(&t->forge, t->forge.root, "dir", MODE_DIR | 0500, NULL);
	f2fs_nid_t ino = forge_entry(&t->forge, dir, "first", MODE_REG | 0444, "one file");
	f2fs_nid_t link = forge_entry(&t->forge, dir, "symlink", MODE_LNK | 0777, "target");

	forge_set(&t->forge, ino, "i_links", 3);
	forge_set(&t->forge, link, "i_links", 2);
	forge_name(&t->forge, dir, "second", 6, ino);
	forge_name(&t->forge, t->forge.root, "third", 5, ino);
	forge_name(&t->forge, t->forge.root, "symlink-too", 11, link);
	extract_all(t, &options);
	stat_of(t, "dir/first", &a);
	stat_of(t, "third", &b);
	assert_int_equal(a.st_ino, b.st_ino);
	assert_int_equal(a.st_nlink, 3);
	assert_int_equal(a.st_mtim.tv_sec, 1234567890);
	assert_file(t, "third", "one file", 8);
	stat_of(t, "dir/symlink", &a);
	assert_int_equal(a.st_nlink, 2);
	stat_of(t, "dir", &a);
	assert_int_equal(a.st_mode & 07777, 0500);
	assert_int_equal(a.st_mtim.tv_sec, 1234567890);
	assert_int_equal(t->result.links, 3);
	assert_int_equal(t->result.files, 1);
	chmod_in(t, "dir", 0700);
}

/* ---- what and where */

static void build_tree(struct fixture *t)
{
	struct forge *f = &t->forge;
	f2fs_nid_t usr = forge_entry(f, f->root, "usr", MODE_DIR | 0755, NULL);
	f2fs_nid_t bin = forge_entry(f, usr, "bin", MODE_DIR | 0711, NULL);
	f2fs_nid_t etc = forge_entry(f, f->root, "etc", MODE_DIR | 0755, NULL);
	f2fs_nid_t empty = forge_entry(f, f->root, "var", MODE_DIR | 0755, NULL);

	forge_entry(f, bin, "tool", MODE_REG | 0755, "tool");
	forge_entry(f, bin, "other", MODE_REG | 0755, "other");
	forge_entry(f, usr, "readme", MODE_REG | 0644, "readme");
	forge_entry(f, etc, "conf", MODE_REG | 0644, "conf");
	forge_entry(f, etc, "conf.bak", MODE_REG | 0644, "bak");
	forge_entry(f, f->root, "bin", MODE_LNK | 0777, "usr/bin");
	forge_entry(f, empty, "lib", MODE_DIR | 0755, NULL);
}

static void listed_paths(void **state)
{
	struct fixture *t = *state;
	static const char *const paths[] = { "/usr/bin/tool", "bin/other", "//usr/./bin/../bin/tool", "etc" };
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options), .paths = paths, .path_count = 4 };

	build_tree(t);
	extract_all(t, &options);
	assert_listing(t, "etc etc/conf etc/conf.bak usr usr/bin usr/bin/other usr/bin/tool");
	clear_out(t);
	options.flags = F2FS_EXTRACT_RELATIVE;
	extract_all(t, &options);
	assert_listing(t, "etc etc/conf etc/conf.bak other tool");
	clear_out(t);
	options.flags = 0;
	options.strip = 2;
	extract_all(t, &options);
	assert_listing(t, "other tool");
	assert_int_equal(t->result.skipped, 2);
}

static void paths_that_do_not_exist(void **state)
{
	struct fixture *t = *state;
	static const char *const paths[] = { "etc", "usr/none" };
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options),
						.paths = paths, .path_count = 2, .directory = t->out };
	struct f2fs_volume *vol;

	build_tree(t);
	vol = forge_volume(&t->forge, NULL);
	assert_int_equal(f2fs_extract(vol, &options, &t->result), F2FS_ERR_NOT_FOUND);
	assert_non_null(strstr(f2fs_context_error(t->forge.ctx)->message, "usr/none"));
	assert_listing(t, "");
	f2fs_volume_close(vol);
}

static void patterns(void **state)
{
	struct fixture *t = *state;
	static const char *const include[] = { "conf*", "/usr/bin" };
	static const char *const exclude[] = { "*.bak", "usr/bin/t*" };
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options),
						.exclude = exclude, .exclude_count = 2 };

	build_tree(t);
	extract_all(t, &options);
	assert_listing(t, "bin etc etc/conf usr usr/bin usr/bin/other usr/readme var var/lib");
	clear_out(t);
	options = (struct f2fs_extract_options){ F2FS_SIZED(f2fs_extract_options),
						 .include = include, .include_count = 2 };
	extract_all(t, &options);
	assert_listing(t, "etc etc/conf etc/conf.bak usr usr/bin usr/bin/other usr/bin/tool");
	clear_out(t);
	options.exclude = exclude;
	options.exclude_count = 1;
	extract_all(t, &options);
	assert_listing(t, "etc etc/conf usr usr/bin usr/bin/other usr/bin/tool");
}

/* ---- existing files */

static int extract_over(struct fixture *t, int existing)
{
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options),
						.directory = t->out, .existing = existing, COUNT_PROBLEMS(t) };
	struct f2fs_volume *vol = forge_volume(&t->forge, NULL);
	int err = f2fs_extract(vol, &options, &t->result);

	f2fs_volume_close(vol);
	return err;
}

static void existing_files(void **state)
{
	struct fixture *t = *state;
	struct stat st;

	build_tree(t);
	make_dir_in(t, "", 0755);
	make_dir_in(t, "etc", 0777);
	write_in(t, "etc/conf", "mine");
	make_link_in(t, "usr", "/nonexistent");
	write_in(t, "bin", "a file where a link goes");
	assert_int_equal(extract_over(t, F2FS_EXISTING_REFUSE), F2FS_ERR_INCOMPLETE);
	assert_int_equal(t->result.problems, 3); /* etc/conf, usr, bin; the files in usr are not reported again */
	assert_file(t, "etc/conf", "mine", 4);
	assert_file(t, "etc/conf.bak", "bak", 3);
	stat_of(t, "etc", &st);
	assert_int_equal(st.st_mode & 0777, 0777);
	assert_int_equal(extract_over(t, F2FS_EXISTING_SKIP), 0);
	assert_int_equal(t->result.skipped, 4);
	assert_file(t, "etc/conf", "mine", 4);
	assert_int_equal(extract_over(t, F2FS_EXISTING_REPLACE), 0);
	assert_file(t, "etc/conf", "conf", 4);
	assert_file(t, "usr/bin/tool", "tool", 4);
	stat_of(t, "bin", &st);
	assert_true(S_ISLNK(st.st_mode));
	stat_of(t, "etc", &st);
	assert_int_equal(st.st_mode & 0777, 0755);
}

/* A directory does not give way to a file. */
static void existing_directory_stays(void **state)
{
	struct fixture *t = *state;

	build_tree(t);
	make_dir_in(t, "", 0755);
	make_dir_in(t, "bin", 0755);
	write_in(t, "bin/mine", "mine");
	assert_int_equal(extract_over(t, F2FS_EXISTING_REPLACE), F2FS_ERR_INCOMPLETE);
	assert_int_equal(t->result.problems, 1);
	assert_file(t, "bin/mine", "mine", 4);
}

/* ---- ends and reports */

static int stop_at_third(void *user, const char *path, const struct f2fs_stat *stat)
{
	unsigned *count = user;

	(void)path;
	(void)stat;
	return ++*count == 3;
}

static void the_caller_stops(void **state)
{
	struct fixture *t = *state;
	unsigned count = 0;
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options),
						.directory = t->out, .entry = stop_at_third, .user = &count };
	struct f2fs_volume *vol;

	build_tree(t);
	vol = forge_volume(&t->forge, NULL);
	assert_int_equal(f2fs_extract(vol, &options, NULL), F2FS_ERR_CANCELED);
	assert_int_equal(count, 3);
	f2fs_volume_close(vol);
}

static void bytes_are_limited(void **state)
{
	struct fixture *t = *state;
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options),
						.directory = t->out, .max_bytes = 21 };
	struct f2fs_volume *vol;

	build_tree(t); /* 4 + 5 + 6 + 4 + 3 bytes */
	vol = forge_volume(&t->forge, NULL);
	assert_int_equal(f2fs_extract(vol, &options, NULL), F2FS_ERR_TOO_BIG);
	clear_out(t);
	options.max_bytes = 22;
	assert_int_equal(f2fs_extract(vol, &options, NULL), 0);
	f2fs_volume_close(vol);
}

static void mistakes_are_refused(void **state)
{
	struct fixture *t = *state;
	struct f2fs_stream stream = { .fd = 1 };
	struct f2fs_extract_options none = { F2FS_SIZED(f2fs_extract_options) },
				    both = { F2FS_SIZED(f2fs_extract_options), .directory = "x", .tar = &stream };
	struct f2fs_extract_options policy = { F2FS_SIZED(f2fs_extract_options), .directory = "x", .existing = 3 };
	struct f2fs_extract_options list = { F2FS_SIZED(f2fs_extract_options), .directory = "x", .path_count = 1 };
	struct f2fs_volume *vol = forge_volume(&t->forge, NULL);

	assert_int_equal(f2fs_extract(vol, &none, NULL), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_extract(vol, &both, NULL), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_extract(vol, &policy, NULL), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_extract(vol, &list, NULL), F2FS_ERR_INVALID);
	f2fs_volume_close(vol);
}

/* A manifest is JSON that a strict parser takes; here: the lines of known entries. */
static void manifest_lines(void **state)
{
	struct fixture *t = *state;
	struct collected text = { 0 };
	struct f2fs_stream stream = { .write = collect, .user = &text };
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options), .manifest = &stream };

	forge_entry(&t->forge, t->forge.root, "a\"\\\n\xff", MODE_LNK | 0777, "t\xc3\xa4rget");
	extract_all(t, &options);
	assert_non_null(strstr(text.bytes, "{\"ino\":3,\"path\":\"/\",\"type\":\"directory\",\"mode\":\"0755\""));
	assert_non_null(strstr(text.bytes, "\"path\":\"/a\\u0022\\u005c\\u000a\xEF\xBF\xBD\","
					   "\"path_hex\":\"2f61225c0aff\",\"type\":\"symlink\",\"mode\":\"0777\""));
	assert_non_null(strstr(text.bytes, "\"target\":\"t\xc3\xa4rget\""));
	assert_non_null(strstr(text.bytes, "\"mtime\":[1234567890,987654321]"));
	free(text.bytes);
}

/* A directory that was made is closed and opened again when many are open; deeper than paths may be long. */
static void deep_trees(void **state)
{
	enum { DEPTH = 600 };
	struct fixture *t = *state;
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options) };
	f2fs_nid_t dir = t->forge.root, above = 0;
	struct stat st;
	int fd;

	for (unsigned i = 0; i < DEPTH; i++) {
		above = dir;
		dir = forge_entry(&t->forge, dir, "a-directory", MODE_DIR | 0700, NULL);
		if (i == 1 || i == DEPTH - 1)
			forge_entry(&t->forge, dir, "file", MODE_REG | 0600, "deep");
		if (i == 2)
			forge_entry(&t->forge, above, "z-after-it", MODE_REG | 0600, "late");
	}
	extract_all(t, &options);
	assert_int_equal(t->result.directories, DEPTH + 1);
	assert_int_equal(t->result.files, 3);
	assert_file(t, "a-directory/a-directory/z-after-it", "late", 4);
	fd = open(t->out, O_RDONLY | O_DIRECTORY);
	for (unsigned i = 0; i < DEPTH; i++) {
		int next = openat(fd, "a-directory", O_RDONLY | O_DIRECTORY);

		assert_true(next >= 0);
		assert_int_equal(fstat(next, &st), 0);
		assert_int_equal(st.st_mtim.tv_nsec, 987654321);
		close(fd);
		fd = next;
	}
	assert_int_equal(fstatat(fd, "file", &st, 0), 0);
	close(fd);
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(small_files_are_equal),
		WITH_FIXTURE(blocks_and_holes),
		WITH_FIXTURE(holes_take_no_space),
		WITH_FIXTURE(large_files_come_in_pieces),
		WITH_FIXTURE(modes_and_times),
		WITH_FIXTURE(nothing_kept),
		WITH_FIXTURE(setuid_does_not_change_hands),
		WITH_FIXTURE(setuid_needs_the_owner),
		WITH_FIXTURE(ids_are_mapped),
		WITH_FIXTURE(hard_links),
		WITH_FIXTURE(listed_paths),
		WITH_FIXTURE(paths_that_do_not_exist),
		WITH_FIXTURE(patterns),
		WITH_FIXTURE(existing_files),
		WITH_FIXTURE(existing_directory_stays),
		WITH_FIXTURE(the_caller_stops),
		WITH_FIXTURE(bytes_are_limited),
		WITH_FIXTURE(mistakes_are_refused),
		WITH_FIXTURE(manifest_lines),
		WITH_FIXTURE(deep_trees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
