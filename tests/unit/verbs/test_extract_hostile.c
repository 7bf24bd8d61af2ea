/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Extraction of damaged and malicious volumes, and on hosts that refuse: nothing is touched outside the destination,
 * readable files are there, and unreadable ones are reported. */
#include <errno.h>
#include <grp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/test_host.h"
#include "host_tree.h"

#define BLOCK 4096u

/* Extract through a device (NULL: the forge's) with options of the test's; problems are noted. */
static int extract_with(struct fixture *t, struct f2fs_device *dev, struct f2fs_extract_options *options)
{
	struct f2fs_volume *vol = forge_volume(&t->forge, dev);
	int err;

	options->directory = t->out;
	options->problem = note_problem;
	options->user = t;
	t->problems = 0;
	err = f2fs_extract(vol, options, &t->result);
	f2fs_volume_close(vol);
	return err;
}

static int extract(struct fixture *t)
{
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options) };

	return extract_with(t, NULL, &options);
}

/* ---- names and links */

static void names_do_not_lead_outside(void **state)
{
	struct fixture *t = *state;
	struct stat st;
	static const struct {
		const char *name;
		size_t length;
	} names[] = { { "../escaped", 10 }, { "/escaped", 8 },	 { "a/b", 3 }, { "..", 2 },
		      { ".", 1 },	    { "nul\0in it", 9 }, { "\0", 1 },  { "/", 1 } };
	f2fs_nid_t dir = forge_entry(&t->forge, t->forge.root, "dir", MODE_DIR | 0755, NULL);

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		f2fs_nid_t file = forge_inode(&t->forge, MODE_REG | 0644),
			   below = forge_inode(&t->forge, MODE_DIR | 0755);

		forge_name(&t->forge, dir, names[i].name, names[i].length, file);
		forge_name(&t->forge, t->forge.root, names[i].name, names[i].length, below);
		forge_entry(&t->forge, below, "inside", MODE_REG | 0644, "x");
	}
	forge_entry(&t->forge, t->forge.root, "good", MODE_REG | 0644, "good");
	assert_int_equal(extract(t), F2FS_ERR_INCOMPLETE);
	assert_listing(t, "dir good");
	assert_true(t->problems >= 12); /* all but "." and "..", which a walk passes over */
	assert_int_equal(stat(t->base, &st), 0);
	assert_int_equal(st.st_nlink, 3); /* out, and nothing beside it */
}

/* A link and then a directory or file of the same name: nothing goes through the link. */
static void nothing_goes_through_links(void **state)
{
	struct fixture *t = *state;

	for (int existing = F2FS_EXISTING_REFUSE; existing <= F2FS_EXISTING_REPLACE; existing++) {
		struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options), .existing = existing };
		char name[40];
		f2fs_nid_t dir, top;

		snprintf(name, sizeof(name), "top-%d", existing);
		top = forge_entry(&t->forge, t->forge.root, name, MODE_DIR | 0755, NULL);
		forge_entry(&t->forge, top, "d", MODE_LNK | 0777, "../../outside");
		dir = forge_entry(&t->forge, top, "d", MODE_DIR | 0777, NULL);
		forge_entry(&t->forge, dir, "file", MODE_REG | 0644, "escaped");
		forge_entry(&t->forge, top, "f", MODE_LNK | 0777, "../../outside/file");
		forge_entry(&t->forge, top, "f", MODE_REG | 0644, "escaped");
		snprintf(t->out, sizeof(t->out), "%s/outside", t->base);
		clear_out(t);
		make_dir_in(t, "", 0750);
		snprintf(t->out, sizeof(t->out), "%s/out", t->base);
		clear_out(t);
		extract_with(t, NULL, &options);
		snprintf(t->out, sizeof(t->out), "%s/outside", t->base);
		assert_listing(t, "");
		struct stat st;

		stat_of(t, "", &st);
		assert_int_equal(st.st_mode & 07777, 0750);
		snprintf(t->out, sizeof(t->out), "%s/out", t->base);
	}
}

/* Files at the destination are no way out either. */
static void links_at_the_destination_are_not_followed(void **state)
{
	struct fixture *t = *state;
	f2fs_nid_t dir = forge_entry(&t->forge, t->forge.root, "dir", MODE_DIR | 0755, NULL);
	char outside[80];
	struct stat st;

	forge_entry(&t->forge, dir, "file", MODE_REG | 0644, "escaped");
	forge_entry(&t->forge, t->forge.root, "file", MODE_REG | 0644, "escaped");
	make_dir_in(t, "", 0755);
	snprintf(outside, sizeof(outside), "%s/outside", t->base);
	assert_int_equal(mkdir(outside, 0700), 0);
	make_link_in(t, "dir", outside);
	make_link_in(t, "file", "../outside/file");
	assert_int_equal(extract(t), F2FS_ERR_INCOMPLETE);
	assert_int_equal(t->problems, 2);
	snprintf(t->out, sizeof(t->out), "%s", outside);
	assert_listing(t, "");
	assert_int_equal(stat(outside, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
}

static void the_same_name_twice(void **state)
{
	struct fixture *t = *state;

	forge_entry(&t->forge, t->forge.root, "name", MODE_REG | 0644, "first");
	forge_entry(&t->forge, t->forge.root, "name", MODE_REG | 0644, "second");
	assert_int_equal(extract(t), F2FS_ERR_INCOMPLETE);
	assert_int_equal(t->problems, 1);
	assert_int_equal(t->problem.kind, F2FS_PROBLEM_NOT_MADE);
	assert_int_equal(t->detail.code, F2FS_ERR_EXISTS);
	assert_string_equal(t->problem_path, "/name");
	assert_int_equal(t->result.files, 1);
}

static void directories_in_circles(void **state)
{
	struct fixture *t = *state;
	f2fs_nid_t a = forge_entry(&t->forge, t->forge.root, "a", MODE_DIR | 0755, NULL);
	f2fs_nid_t b = forge_entry(&t->forge, a, "b", MODE_DIR | 0755, NULL);

	forge_name(&t->forge, b, "up", 2, a);
	forge_name(&t->forge, b, "self", 4, b);
	forge_name(&t->forge, b, "root", 4, t->forge.root);
	forge_name(&t->forge, t->forge.root, "b-again", 7, b);
	assert_int_equal(extract(t), F2FS_ERR_INCOMPLETE);
	assert_int_equal(t->problems, 4);
	assert_listing(t, "a a/b");
}

/* Two names for each directory below the other: 2 to the power of 40 paths. */
static void directories_that_multiply(void **state)
{
	struct fixture *t = *state;
	f2fs_nid_t dir = t->forge.root;

	for (unsigned i = 0; i < 40; i++) {
		f2fs_nid_t next = forge_entry(&t->forge, dir, "x", MODE_DIR | 0755, NULL);

		forge_name(&t->forge, dir, "y", 1, next);
		dir = next;
	}
	assert_int_equal(extract(t), F2FS_ERR_INCOMPLETE);
	assert_int_equal(t->problems, 40);
	assert_int_equal(t->result.directories, 41);
}

static void link_counts_that_lie(void **state)
{
	struct fixture *t = *state;
	f2fs_nid_t many = forge_entry(&t->forge, t->forge.root, "many", MODE_REG | 0644, "many");
	f2fs_nid_t few = forge_entry(&t->forge, t->forge.root, "few", MODE_REG | 0644, "few");

	forge_set(&t->forge, many, "i_links", 0xFFFFFFFF);
	forge_set(&t->forge, few, "i_links", 2);
	forge_name(&t->forge, t->forge.root, "few-2", 5, few);
	forge_name(&t->forge, t->forge.root, "few-3", 5, few);
	assert_int_equal(extract(t), 0);
	assert_file(t, "many", "many", 4);
	assert_file(t, "few-3", "few", 3);
	assert_int_equal(t->result.links, 2);
	assert_int_equal(t->result.files, 2);
}

/* The first name could not be made: the next one is made as a file. */
static void links_to_what_is_not_there(void **state)
{
	struct fixture *t = *state;
	f2fs_nid_t ino = forge_entry(&t->forge, t->forge.root, "first", MODE_REG | 0644, "text");

	forge_set(&t->forge, ino, "i_links", 2);
	forge_name(&t->forge, t->forge.root, "second", 6, ino);
	make_dir_in(t, "", 0755);
	make_dir_in(t, "first", 0755);
	assert_int_equal(extract(t), F2FS_ERR_INCOMPLETE);
	assert_int_equal(t->problems, 1);
	assert_file(t, "second", "text", 4);
}

/* ---- damage */

static void bad_block_is_a_hole(void **state)
{
	struct fixture *t = *state;
	uint8_t data[8 * BLOCK];
	uint32_t slots[8];
	struct f2fs_device *faulty;
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options) };
	f2fs_nid_t ino = forge_entry(&t->forge, t->forge.root, "file", MODE_REG | 0644, NULL);

	memset(data, 'x', sizeof(data));
	for (unsigned i = 8; i-- > 0;)
		slots[i] = forge_block(&t->forge, data, BLOCK);
	forge_slots(&t->forge, ino, sizeof(data) - 10, slots, 8);
	forge_entry(&t->forge, t->forge.root, "good", MODE_REG | 0644, "good");
	assert_int_equal(f2fs_device_open_fault(t->forge.dev, &faulty), 0);
	f2fs_device_fault_set(faulty, &(struct f2fs_fault_rule){ .bad_offset = (uint64_t)slots[3] * BLOCK + 100,
								 .bad_length = BLOCK });
	assert_int_equal(extract_with(t, faulty, &options), F2FS_ERR_INCOMPLETE);
	memset(data + 3 * BLOCK, 0, 2 * BLOCK);
	assert_file(t, "file", data, sizeof(data) - 10);
	assert_file(t, "good", "good", 4);
	assert_int_equal(t->problems, 1);
	assert_int_equal(t->problem.kind, F2FS_PROBLEM_UNREADABLE);
	assert_int_equal(t->problem.is_counted, 1);
	assert_string_equal(t->problem_path, "/file");
	assert_int_equal(t->detail.code, F2FS_ERR_IO);
	assert_int_equal(t->detail.block, slots[3]);
	assert_int_equal(t->detail.offset, 3 * BLOCK);
	assert_non_null(strstr(t->detail.message, "8192 bytes"));
	assert_int_equal(t->result.files, 2);
	assert_int_equal(t->result.bytes, 6 * BLOCK - 10 + 4);
	f2fs_device_close(faulty);
}

/* The last block of the volume, which the image lacks, is the second of the file. */
static void image_cut_short(void **state)
{
	struct fixture *t = *state;
	struct f2fs_device *part;
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options) };
	uint8_t data[2 * BLOCK] = { 0 };
	uint32_t slots[2];
	f2fs_nid_t ino;

	memset(data, 'x', BLOCK);
	slots[1] = forge_block(&t->forge, data, BLOCK);
	slots[0] = forge_block(&t->forge, data, BLOCK);
	ino = forge_entry(&t->forge, t->forge.root, "file", MODE_REG | 0644, NULL);
	forge_slots(&t->forge, ino, sizeof(data), slots, 2);
	assert_int_equal(f2fs_device_open_slice(t->forge.dev, 0, (uint64_t)slots[1] * BLOCK, &part), 0);
	assert_int_equal(extract_with(t, part, &options), F2FS_ERR_INCOMPLETE);
	assert_file(t, "file", data, sizeof(data));
	assert_int_equal(t->problems, 1);
	assert_int_equal(t->detail.code, F2FS_ERR_IO);
	assert_int_equal(t->detail.block, slots[1]);
	f2fs_device_close(part);
}

static void pointers_out_of_the_volume(void **state)
{
	struct fixture *t = *state;
	uint8_t data[3 * BLOCK] = { 0 };
	uint32_t slots[3] = { 1, 0, 0x7FFFFFFF };
	f2fs_nid_t ino = forge_entry(&t->forge, t->forge.root, "file", MODE_REG | 0644, NULL);

	memset(data + BLOCK, 'b', BLOCK);
	slots[1] = forge_block(&t->forge, data + BLOCK, BLOCK);
	forge_slots(&t->forge, ino, sizeof(data), slots, 3);
	assert_int_equal(extract(t), F2FS_ERR_INCOMPLETE);
	assert_file(t, "file", data, sizeof(data));
	assert_int_equal(t->problems, 1); /* once for the file */
	assert_int_equal(t->detail.code, F2FS_ERR_CORRUPT);
	assert_string_equal(t->detail.rule, "NODE_ADDR");
	assert_string_equal(t->problem_what, "contents");
}

/* Of the three direct nodes below an indirect one the middle one is gone. */
static void missing_nodes(void **state)
{
	struct fixture *t = *state;
	const uint32_t none = 0;
	uint8_t block[BLOCK], a[BLOCK], c[BLOCK], found[1];
	f2fs_nid_t ino = forge_entry(&t->forge, t->forge.root, "file", MODE_REG | 0644, NULL);
	f2fs_nid_t indirect = forge_direct_node(&t->forge, ino, 3);
	f2fs_nid_t first = forge_direct_node(&t->forge, ino, 4), last = forge_direct_node(&t->forge, ino, 6);
	const uint64_t before = 923 + 2 * 1018; /* blocks ahead of the indirect node */
	char path[200];
	FILE *file;

	memset(a, 'a', BLOCK);
	memset(c, 'c', BLOCK);
	forge_slots(&t->forge, ino, (before + 3 * 1018) * BLOCK, &none, 1);
	forge_node_read(&t->forge, ino, block);
	inode_set_nid(&t->forge.geo, block, 2, indirect);
	forge_node_write(&t->forge, ino, block);
	forge_node_read(&t->forge, indirect, block);
	put_le32(block, first);
	put_le32(block + 4, 5000); /* free */
	put_le32(block + 8, last);
	forge_node_write(&t->forge, indirect, block);
	forge_node_read(&t->forge, first, block);
	put_le32(block + 1017 * 4, forge_block(&t->forge, a, BLOCK));
	forge_node_write(&t->forge, first, block);
	forge_node_read(&t->forge, last, block);
	put_le32(block, forge_block(&t->forge, c, BLOCK));
	forge_node_write(&t->forge, last, block);
	assert_int_equal(extract(t), F2FS_ERR_INCOMPLETE);
	assert_int_equal(t->problems, 1);
	assert_int_equal(t->detail.code, F2FS_ERR_CORRUPT);
	assert_int_equal(t->detail.nid, 5000);
	assert_int_equal(t->result.bytes, 2 * BLOCK);
	snprintf(path, sizeof(path), "%s/file", t->out);
	file = fopen(path, "rb");
	assert_int_equal(fseeko(file, (off_t)((before + 1017) * BLOCK), SEEK_SET), 0);
	assert_int_equal(fread(found, 1, 1, file), 1);
	assert_int_equal(found[0], 'a');
	assert_int_equal(fseeko(file, (off_t)((before + 2 * 1018) * BLOCK), SEEK_SET), 0);
	assert_int_equal(fread(found, 1, 1, file), 1);
	assert_int_equal(found[0], 'c');
	fclose(file);
}

/* A file of the largest size, whose double indirect node is gone: quick, and no zeros are written. */
static void largest_file(void **state)
{
	struct fixture *t = *state;
	uint32_t slot = forge_block(&t->forge, "start", 5);
	f2fs_nid_t ino = forge_entry(&t->forge, t->forge.root, "file", MODE_REG | 0644, NULL);
	uint8_t block[BLOCK];
	struct stat st;

	forge_slots(&t->forge, ino, (uint64_t)1057053439 * BLOCK, &slot, 1);
	forge_node_read(&t->forge, ino, block);
	inode_set_nid(&t->forge.geo, block, 4, 5000);
	forge_node_write(&t->forge, ino, block);
	assert_int_equal(extract(t), F2FS_ERR_INCOMPLETE);
	assert_int_equal(t->problems, 1);
	stat_of(t, "file", &st);
	assert_int_equal(st.st_size, (uint64_t)1057053439 * BLOCK);
	assert_true(st.st_blocks <= 64);
}

static void odd_inodes(void **state)
{
	struct fixture *t = *state;
	struct stat st;
	f2fs_nid_t late = forge_entry(&t->forge, t->forge.root, "late", MODE_REG | 0644, "x");
	f2fs_nid_t large = forge_entry(&t->forge, t->forge.root, "large-inline", MODE_REG | 0644, "x");
	f2fs_nid_t gone = forge_entry(&t->forge, t->forge.root, "gone", MODE_REG | 0644, "x");
	f2fs_nid_t link = forge_entry(&t->forge, t->forge.root, "no-target", MODE_LNK | 0777, NULL);
	uint8_t block[BLOCK];

	(void)link;
	forge_set(&t->forge, late, "i_mtime_nsec", 0xFFFFFFFF);
	forge_set(&t->forge, late, "i_atime_nsec", (1u << 30) - 1); /* UTIME_NOW */
	forge_set(&t->forge, large, "i_size", 100000);
	forge_node_read(&t->forge, gone, block);
	footer_set_nid(node_footer_w(&t->forge.geo, block), 4242);
	forge_node_write(&t->forge, gone, block);
	assert_int_equal(extract(t), F2FS_ERR_INCOMPLETE);
	stat_of(t, "late", &st);
	assert_int_equal(st.st_mtim.tv_sec, 1234567890);
	assert_int_equal(st.st_atim.tv_sec, 1111111111);
	assert_int_equal(t->problems, 3);
	assert_true(t->result.files <= 2);
}

/* ---- hosts that refuse */

/* The host's limit on a file's size: a problem of that file only. */
static void file_too_large_for_the_host(void **state)
{
	struct fixture *t = *state;
	struct rlimit old, limit;
	const uint32_t none = 0;
	f2fs_nid_t ino = forge_entry(&t->forge, t->forge.root, "a-large", MODE_REG | 0644, NULL);
	int err;

	forge_slots(&t->forge, ino, 1 << 30, &none, 1);
	forge_entry(&t->forge, t->forge.root, "small", MODE_REG | 0644, "small");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 1 << 20;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	err = extract(t);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(err, F2FS_ERR_INCOMPLETE);
	assert_int_equal(t->problems, 1);
	assert_string_equal(t->problem_path, "/a-large");
	assert_int_equal(t->problem.kind, F2FS_PROBLEM_NOT_MADE);
	assert_int_equal(t->detail.sys_errno, EFBIG);
	assert_file(t, "small", "small", 5);
}

/* A full disk ends the run with the file's name. */
static void disk_full(void **state)
{
	struct fixture *t = *state;
	uint8_t data[64 * BLOCK];
	uint32_t slots[64];
	f2fs_nid_t ino = forge_entry(&t->forge, t->forge.root, "file-that-does-not-fit", MODE_REG | 0644, NULL);
	int err;

	memset(data, 'x', sizeof(data));
	for (unsigned i = 64; i-- > 0;)
		slots[i] = forge_block(&t->forge, data, BLOCK);
	forge_slots(&t->forge, ino, sizeof(data), slots, 64);
	make_dir_in(t, "", 0755);
	if (mount("none", t->out, "tmpfs", 0, "size=64k"))
		skip();
	err = extract(t);
	assert_int_equal(umount(t->out), 0);
	assert_int_equal(err, F2FS_ERR_NOSPC);
	assert_non_null(strstr(f2fs_context_error(t->forge.ctx)->message, "file-that-does-not-fit"));
	assert_int_equal(f2fs_context_error(t->forge.ctx)->sys_errno, ENOSPC);
}

/* Without rights: refusals are reported, contents are there. */
static void as_nobody(void **state)
{
	struct fixture *t = *state;
	struct stat st;
	int err;
	f2fs_nid_t dir = forge_entry(&t->forge, t->forge.root, "dir", MODE_DIR | 0555, NULL);
	f2fs_nid_t file = forge_entry(&t->forge, dir, "program", MODE_REG | 04755, "text");

	forge_entry(&t->forge, dir, "device", MODE_CHR | 0600, NULL);
	forge_set(&t->forge, forge_entry(&t->forge, dir, "mine", MODE_REG | 06755, "mine"), "i_uid", 65534);
	if (geteuid() != 0)
		skip();
	(void)file;
	assert_int_equal(chown(t->base, 65534, 65534), 0);
	assert_int_equal(setegid(65534), 0);
	assert_int_equal(seteuid(65534), 0);
	err = extract(t);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(setegid(0), 0);
	assert_int_equal(err, 0); /* a whiteout (0, 0) may be made by everybody, other devices not */
	assert_file(t, "dir/program", "text", 4);
	stat_of(t, "dir/program", &st);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(st.st_uid, 65534);
	stat_of(t, "dir/mine", &st); /* no programs that run as oneself, either */
	assert_int_equal(st.st_mode & 07777, 0755);
	stat_of(t, "dir", &st);
	assert_int_equal(st.st_mode & 07777, 0555);
	assert_true(t->result.attributes_lost >= 3);
	assert_int_equal(t->problem.kind, F2FS_PROBLEM_ATTRIBUTE);
	assert_int_equal(t->problem.is_counted, 0);
}

static void destination_that_cannot_be(void **state)
{
	struct fixture *t = *state;

	snprintf(t->out, sizeof(t->out), "%s/none/out", t->base);
	assert_int_equal(extract(t), F2FS_ERR_NOT_FOUND);
	snprintf(t->out, sizeof(t->out), "/proc/self/status");
	assert_int_equal(extract(t), F2FS_ERR_NOT_DIR);
	snprintf(t->out, sizeof(t->out), "%s/out", t->base);
}

/* ---- memory */

/* Every allocation of a run fails once: the run ends with NOMEM and holds nothing. */
static void out_of_memory(void **state)
{
	struct fixture *t = *state;
	struct test_host host;
	static const char *const include[] = { "*" };
	struct f2fs_extract_options options = {
		F2FS_SIZED(f2fs_extract_options),
		.directory = t->out, .include = include, .include_count = 1, .threads = 2
	};
	struct f2fs_volume *vol;
	struct forge f;
	f2fs_nid_t dir, ino;
	uint64_t n = 0;
	size_t live;
	int err;

	test_host_init(&host);
	forge_open(&f, &host.host);
	dir = forge_entry(&f, f.root, "dir", MODE_DIR | 0755, NULL);
	ino = forge_entry(&f, dir, "file", MODE_REG | 0644, "text");
	forge_set(&f, ino, "i_links", 2);
	forge_name(&f, f.root, "link", 4, ino);
	forge_entry(&f, dir, "symlink", MODE_LNK | 0777, "target");
	live = host.live;
	do {
		vol = forge_volume(&f, NULL);
		host.failures = 0;
		host.fail_at = host.allocations + ++n;
		err = f2fs_extract(vol, &options, NULL);
		host.fail_at = 0;
		if (err && err != F2FS_ERR_NOMEM)
			fail_msg("allocation %llu: %s", (unsigned long long)n, f2fs_error_name(err));
		f2fs_volume_close(vol);
		if (host.live != live)
			fail_msg("allocation %llu: %zu bytes stay", (unsigned long long)n, host.live - live);
		clear_out(t);
	} while (host.failures && n < 2000); /* a cache may do without memory: then nothing fails */
	assert_int_equal(err, 0);
	assert_in_range(n, 20, 1999);
	/* the header's promise, and the volume's cache */
	assert_in_range(host.peak - live, 0, F2FS_EXTRACT_MEMORY + 2 * F2FS_EXTRACT_MEMORY_THREAD + (32u << 20));
	forge_close(&f);
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(names_do_not_lead_outside),
		WITH_FIXTURE(nothing_goes_through_links),
		WITH_FIXTURE(links_at_the_destination_are_not_followed),
		WITH_FIXTURE(the_same_name_twice),
		WITH_FIXTURE(directories_in_circles),
		WITH_FIXTURE(directories_that_multiply),
		WITH_FIXTURE(link_counts_that_lie),
		WITH_FIXTURE(links_to_what_is_not_there),
		WITH_FIXTURE(bad_block_is_a_hole),
		WITH_FIXTURE(image_cut_short),
		WITH_FIXTURE(pointers_out_of_the_volume),
		WITH_FIXTURE(missing_nodes),
		WITH_FIXTURE(largest_file),
		WITH_FIXTURE(odd_inodes),
		WITH_FIXTURE(file_too_large_for_the_host),
		WITH_FIXTURE(disk_full),
		WITH_FIXTURE(as_nobody),
		WITH_FIXTURE(destination_that_cannot_be),
		WITH_FIXTURE(out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
