/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cut the power while changes to a volume are written and committed. Afterwards the volume opens, also where a kernel
 * would be strict, and everything that it says is as before or as after; once the commit has returned, as after.
 *
 * usage: crash_commit [ROUNDS [SEED]]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <f2fskit/f2fskit.h>

#include "crash/crash.h"
#include "crash/tree_digest.h"

#define SIZE (64u << 20)
#define NAMES 40u
#define DIRECTORIES 5u
#define LARGEST_WRITE 150000u

struct subject {
	struct f2fs_context *ctx;
	struct f2fs_device *dev; /* memory: the volume as it is now */
	uint64_t random;
	uint8_t *bytes;
	/* While states are judged. */
	struct tree_digest before, after;
	uint64_t records;
	uint64_t seen_before, seen_after;
	char found[300];
};

static unsigned rounds = 6;
static uint64_t seed = 1;

static uint64_t next_random(struct subject *s, uint64_t limit)
{
	uint64_t z = s->random += 0x9E3779B97F4A7C15u;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return (z ^ (z >> 31)) % limit;
}

static struct f2fs_volume *open_volume(struct subject *s, struct f2fs_device *dev)
{
	const struct f2fs_open_options options = { .mode = F2FS_MODE_STRICT };
	struct f2fs_volume *vol;

	if (f2fs_volume_open(s->ctx, dev, &options, &vol) == 0)
		return vol;
	snprintf(s->found + strlen(s->found), 200, ": %.150s", f2fs_context_error(s->ctx)->message);
	return NULL;
}

static int take_digest(struct subject *s, struct f2fs_device *dev, struct tree_digest *out)
{
	struct f2fs_volume *vol = open_volume(s, dev);
	int rc;

	if (!vol)
		return f2fs_context_error(s->ctx)->code;
	rc = tree_digest(vol, out);
	if (rc != 0)
		snprintf(s->found + strlen(s->found), 200, ": %.150s", f2fs_context_error(s->ctx)->message);
	f2fs_volume_close(vol);
	return rc;
}

/* ---- changes ---- */

/* Open one of the directories: the root, or one of those below it. */
static struct f2fs_inode *open_directory(struct subject *s, struct f2fs_volume *vol)
{
	struct f2fs_inode *dir;
	char path[16];

	snprintf(path, sizeof(path), "/d%u", (unsigned)next_random(s, DIRECTORIES));
	if (next_random(s, 4) == 0 || f2fs_lookup(vol, path, 0, &dir) != 0)
		assert_int_equal(f2fs_lookup(vol, "/", 0, &dir), 0);
	return dir;
}

static struct f2fs_new choose_spec(struct subject *s, uint32_t mode)
{
	const struct f2fs_new spec = { .mode = mode,
				       .uid = (uint32_t)next_random(s, 3),
				       .mtime = { (int64_t)next_random(s, 1u << 31), 7 },
				       .target = "somewhere/else",
				       .target_length = mode == 0120777 ? 14 : 0 };

	return spec;
}

static void make_file(struct subject *s, struct f2fs_inode *dir, const char *name)
{
	static const uint32_t modes[] = { 0100644, 0100600, 0100755, 0120777, 010600 };
	const struct f2fs_new spec = choose_spec(s, modes[next_random(s, 5)]);

	assert_int_equal(f2fs_create(dir, name, strlen(name), &spec, NULL), 0);
}

static void write_file(struct subject *s, struct f2fs_inode *inode)
{
	const uint64_t at = next_random(s, 4) ? 0 : next_random(s, 6000000);
	const size_t n = (size_t)next_random(s, (uint64_t)1 << next_random(s, 18)) + 1;

	for (size_t i = 0; i < n; i++)
		s->bytes[i] = (uint8_t)next_random(s, 256);
	assert_int_equal(f2fs_inode_write(inode, at, s->bytes, n < LARGEST_WRITE ? n : LARGEST_WRITE), 0);
}

static void change_file(struct subject *s, struct f2fs_inode *inode)
{
	char name[] = "user.a";
	struct f2fs_stat st;

	assert_int_equal(f2fs_inode_stat(inode, &st), 0);
	name[5] = (char)('a' + next_random(s, 6));
	switch (next_random(s, 4)) {
	case 0:
		if ((st.mode & 0170000) == 0100000)
			assert_int_equal(f2fs_inode_truncate(inode, next_random(s, st.size + 5000)), 0);
		break;
	case 1:
		assert_int_equal(f2fs_xattr_set(inode, name, s->bytes, (size_t)next_random(s, 300)), 0);
		break;
	default:
		if ((st.mode & 0170000) == 0100000)
			write_file(s, inode);
	}
}

static void rename_file(struct subject *s, struct f2fs_volume *vol, struct f2fs_inode *dir, const char *name)
{
	struct f2fs_inode *other = open_directory(s, vol);
	char new_name[16];

	snprintf(new_name, sizeof(new_name), "n%u", (unsigned)next_random(s, NAMES));
	assert_int_equal(f2fs_rename(dir, name, strlen(name), other, new_name, strlen(new_name), 0), 0);
	f2fs_inode_close(other);
}

static void make_change(struct subject *s, struct f2fs_volume *vol)
{
	struct f2fs_inode *dir = open_directory(s, vol);
	struct f2fs_inode *inode;
	struct f2fs_dirent entry;
	char name[16];

	snprintf(name, sizeof(name), "n%u", (unsigned)next_random(s, NAMES));
	if (f2fs_dir_lookup(dir, name, strlen(name), &entry) != 0) {
		make_file(s, dir, name);
	} else if (next_random(s, 6) == 0) {
		assert_int_equal(f2fs_remove(dir, name, strlen(name)), 0);
	} else if (next_random(s, 6) == 0) {
		rename_file(s, vol, dir, name);
	} else {
		assert_int_equal(f2fs_inode_open(vol, entry.ino, &inode), 0);
		change_file(s, inode);
		f2fs_inode_close(inode);
	}
	f2fs_inode_close(dir);
}

static void make_directories(struct subject *s)
{
	struct f2fs_volume *vol = open_volume(s, s->dev);
	struct f2fs_inode *root;
	char name[16];

	assert_non_null(vol);
	assert_int_equal(f2fs_lookup(vol, "/", 0, &root), 0);
	for (unsigned i = 0; i < DIRECTORIES; i++) {
		const struct f2fs_new spec = choose_spec(s, 040755);

		snprintf(name, sizeof(name), "d%u", i);
		assert_int_equal(f2fs_create(root, name, strlen(name), &spec, NULL), 0);
	}
	f2fs_inode_close(root);
	assert_int_equal(f2fs_volume_commit(vol), 0);
	f2fs_volume_close(vol);
}

/* ---- cuts ---- */

static bool is_same(const struct tree_digest *a, const struct tree_digest *b)
{
	return a->tree == b->tree && a->tables == b->tables;
}

static int judge(void *user, const struct crash_state *state)
{
	struct subject *s = user;
	struct tree_digest digest;

	crash_describe(state, s->found, 100);
	if (take_digest(s, state->dev, &digest) != 0)
		return 1;
	s->seen_before += is_same(&digest, &s->before);
	s->seen_after += is_same(&digest, &s->after);
	if (is_same(&digest, &s->after))
		return 0;
	return state->issued >= s->records || !is_same(&digest, &s->before);
}

/* Make a round of changes, and judge every state that a cut in the middle of it leaves. */
static void cut_round(struct subject *s, unsigned changes)
{
	const struct crash_options options = { .subsets = 60, .scattered = 20, .seed = s->random };
	struct f2fs_device *before, *recorder;
	struct tree_digest pending;
	struct f2fs_volume *vol;
	uint64_t count = 0;

	s->seen_before = s->seen_after = 0;
	assert_int_equal(f2fs_device_fork_memory(s->dev, &before), 0);
	assert_int_equal(f2fs_device_new_recorder(s->dev, &recorder), 0);
	assert_int_equal(take_digest(s, s->dev, &s->before), 0);
	vol = open_volume(s, recorder);
	assert_non_null(vol);
	for (unsigned i = 0; i < changes; i++)
		make_change(s, vol);
	assert_int_equal(tree_digest_files(vol, &pending), 0);
	assert_int_equal(f2fs_volume_commit(vol), 0);
	f2fs_volume_close(vol);
	s->records = f2fs_device_record_count(recorder);
	/* What the transaction showed is what there is after it. */
	assert_int_equal(take_digest(s, s->dev, &s->after), 0);
	assert_int_equal(pending.tree, s->after.tree);
	if (s->before.fault || s->after.fault)
		fail_msg("%s", s->before.fault ? s->before.fault : s->after.fault);
	if (crash_each(before, recorder, &options, judge, s, &count) != 0)
		fail_msg("%s: neither as before nor as after", s->found);
	print_message("%u changes, %u files, %llu records, %llu states: %llu as before, %llu as after\n", changes,
		      s->after.files, (unsigned long long)s->records, (unsigned long long)count,
		      (unsigned long long)s->seen_before, (unsigned long long)s->seen_after);
	assert_true(s->seen_before > 0 && s->seen_after > 0);
	f2fs_device_close(recorder);
	f2fs_device_close(before);
}

static void commits_are_atomic(void **state)
{
	struct subject s = { .random = seed, .bytes = malloc(1 << 18) };
	struct f2fs_mkfs_device device = { 0 };
	const struct f2fs_mkfs_options options = { .label = "cut" };

	(void)state;
	assert_non_null(s.bytes);
	assert_int_equal(f2fs_context_new(NULL, &s.ctx), 0);
	assert_int_equal(f2fs_device_new_memory(s.ctx, SIZE, &s.dev), 0);
	device.device = s.dev;
	assert_int_equal(f2fs_mkfs_write(s.ctx, &device, 1, &options, NULL), 0);
	make_directories(&s);
	for (unsigned i = 0; i < rounds; i++)
		cut_round(&s, 1u << next_random(&s, 8));
	f2fs_device_close(s.dev);
	f2fs_context_free(s.ctx);
	free(s.bytes);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(commits_are_atomic) };

	if (argc > 1)
		rounds = (unsigned)strtoul(argv[1], NULL, 10);
	if (argc > 2)
		seed = strtoul(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
