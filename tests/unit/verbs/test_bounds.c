/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work, messages and output are bounded by the contents of a volume, not by its numbers: the counter of work_note() is
 * compared with the size of forged volumes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bitmap.h"
#include "base/bytes.h"
#include "base/context.h"
#include "base/namehash.h"
#include "common/test_host.h"
#include "format/dentry.h"
#include "host_tree.h"

#define BLOCK 4096u
#define HUGE_SIZE 0x3ffffffff000ull
#define BAD_NID 0xfffffff0u

/* Steps since the last call may be this many for each block of the volume. */
static void assert_bounded(struct fixture *t, unsigned for_each_block)
{
	const uint64_t blocks = t->forge.geo.end_blkaddr;

	if (t->forge.ctx->work > blocks * for_each_block)
		fail_msg("%llu steps on %llu blocks", (unsigned long long)t->forge.ctx->work,
			 (unsigned long long)blocks);
	assert_true(t->forge.ctx->work > 0);
	t->forge.ctx->work = 0;
}

struct seen {
	unsigned entries, errors;
	char message[400];
};

static int note_entry(void *user, const struct f2fs_walk_entry *entry)
{
	struct seen *seen = user;

	if (entry->error && !seen->errors++)
		snprintf(seen->message, sizeof(seen->message), "%s",
			 f2fs_context_error(f2fs_volume_context(f2fs_inode_volume(entry->inode)))->message);
	seen->entries += entry->dirent != NULL;
	return F2FS_WALK_GO;
}

static struct seen walk(struct fixture *t)
{
	struct f2fs_volume *vol = forge_volume(&t->forge, NULL);
	struct seen seen = { 0 };
	struct f2fs_inode *root;

	t->forge.ctx->work = 0;
	assert_int_equal(f2fs_inode_open(vol, t->forge.root, &root), 0);
	assert_int_equal(f2fs_walk(root, note_entry, &seen), 0);
	f2fs_inode_close(root);
	f2fs_volume_close(vol);
	return seen;
}

/* Extract to a tar stream; returns its length. */
static uint64_t to_tar(struct fixture *t, int expected)
{
	struct collected to = { 0 };
	struct f2fs_stream stream = { .write = collect, .user = &to };
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options), .tar = &stream, COUNT_PROBLEMS(t) };
	struct f2fs_volume *vol = forge_volume(&t->forge, NULL);

	t->problems = 0;
	t->forge.ctx->work = 0;
	assert_int_equal(f2fs_extract(vol, &options, &t->result), expected);
	f2fs_volume_close(vol);
	free(to.bytes);
	return to.length;
}

static void to_host(struct fixture *t, int expected)
{
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options),
						.directory = t->out, COUNT_PROBLEMS(t) };
	struct f2fs_volume *vol = forge_volume(&t->forge, NULL);

	clear_out(t);
	t->problems = 0;
	t->forge.ctx->work = 0;
	assert_int_equal(f2fs_extract(vol, &options, &t->result), expected);
	f2fs_volume_close(vol);
}

static void put_nid(struct fixture *t, f2fs_nid_t ino, unsigned i, f2fs_nid_t nid)
{
	uint8_t block[BLOCK];

	forge_node_read(&t->forge, ino, block);
	inode_set_nid(&t->forge.geo, block, i, nid);
	forge_node_write(&t->forge, ino, block);
}

/* A directory block with names of one inode in all slots but those of ".". */
static f2fs_blk_t entry_block(struct fixture *t, f2fs_nid_t ino, unsigned count)
{
	uint8_t raw[BLOCK] = { 0 };
	struct dentry_area area;

	dentry_area_of_block(&t->forge.geo, raw, &area);
	for (unsigned i = 0; i < count; i++) {
		uint8_t *entry = raw + (area.entries - raw) + (size_t)i * dentry_SIZE;
		char name[16];

		snprintf(name, sizeof(name), "n%06u", i);
		lsb_set(raw, i);
		dentry_set_hash_code(entry, namehash_plain((const uint8_t *)name, strlen(name)));
		dentry_set_ino(entry, ino);
		dentry_set_name_len(entry, (uint16_t)strlen(name));
		dentry_set_file_type(entry, F2FS_TYPE_REGULAR);
		memcpy(raw + (area.names - raw) + (size_t)i * DENTRY_SLOT_BYTES, name, strlen(name));
	}
	return forge_block(&t->forge, raw, sizeof(raw));
}

/* ---- sizes that promise more than there is */

/* One bad pointer stands for 2^30 blocks: it is one error, and one more where blocks follow that can be read. */
static void a_bad_node_is_one_error(void **state)
{
	struct fixture *t = *state;
	f2fs_nid_t dir = forge_entry(&t->forge, t->forge.root, "dir", MODE_DIR | 0755, NULL);
	struct seen seen;

	forge_slots(&t->forge, dir, HUGE_SIZE, NULL, 0);
	for (unsigned i = 0; i < 5; i++)
		put_nid(t, dir, i, BAD_NID);
	seen = walk(t);
	assert_int_equal(seen.errors, 1);
	assert_non_null(strstr(seen.message, "directory blocks 923 to "));
	assert_bounded(t, 1);
	to_tar(t, F2FS_ERR_INCOMPLETE);
	assert_int_equal(t->problems, 1);
	assert_bounded(t, 1);
	to_host(t, F2FS_ERR_INCOMPLETE);
	assert_int_equal(t->problems, 1);
	assert_bounded(t, 1);
}

/* Slots that point nowhere, with a block between them that can be read. */
static void bad_slots_in_a_row_are_one_error(void **state)
{
	struct fixture *t = *state;
	f2fs_nid_t dir = forge_entry(&t->forge, t->forge.root, "dir", MODE_DIR | 0755, NULL);
	f2fs_nid_t file = forge_inode(&t->forge, MODE_REG | 0644);
	uint32_t slots[900];
	struct seen seen;

	for (unsigned i = 0; i < 900; i++)
		slots[i] = i % 3 ? 0xfffffff0u + i % 8 : 0;
	slots[500] = entry_block(t, file, 1);
	forge_slots(&t->forge, dir, 900 * BLOCK, slots, 900);
	seen = walk(t);
	assert_int_equal(seen.errors, 2);
	assert_int_equal(seen.entries, 2);
	assert_non_null(strstr(seen.message, "directory blocks 1 to 499 are lost"));
}

/* ---- things that stand in several places */

/* Directories whose slots share one block: the walk as a whole reads no more blocks than there are. */
static void shared_directory_blocks_have_an_end(void **state)
{
	struct fixture *t = *state;
	f2fs_nid_t file = forge_inode(&t->forge, MODE_REG | 0644);
	f2fs_blk_t shared = entry_block(t, file, 200);
	uint32_t slots[900];

	for (unsigned i = 0; i < 900; i++)
		slots[i] = shared;
	for (unsigned i = 0; i < 60; i++) {
		char name[8];
		f2fs_nid_t dir;

		snprintf(name, sizeof(name), "d%u", i);
		dir = forge_entry(&t->forge, t->forge.root, name, MODE_DIR | 0755, NULL);
		forge_slots(&t->forge, dir, 900 * BLOCK, slots, 900);
	}
	assert_true(walk(t).errors > 0);
	assert_bounded(t, 1000); /* 214 entries a block, some steps each */
}

/* i_links says 1, and there are 150 names: contents are written once. */
static void an_inode_is_written_once(void **state)
{
	struct fixture *t = *state;
	f2fs_nid_t file = forge_inode(&t->forge, MODE_REG | 0644);
	f2fs_nid_t dir = forge_entry(&t->forge, t->forge.root, "dir", MODE_DIR | 0755, NULL);
	uint32_t slots[800], entries = entry_block(t, file, 150);
	static uint8_t data[800 * BLOCK];
	struct stat a, b;

	for (unsigned i = 0; i < 800; i++)
		slots[i] = forge_block(&t->forge, data, BLOCK);
	forge_slots(&t->forge, file, sizeof(data), slots, 800);
	forge_slots(&t->forge, dir, BLOCK, &entries, 1);
	assert_in_range(to_tar(t, 0), sizeof(data), sizeof(data) + 151 * 2048);
	assert_int_equal(t->result.links, 149);
	assert_int_equal(t->result.bytes, sizeof(data));
	to_host(t, 0);
	assert_int_equal(t->result.bytes, sizeof(data));
	stat_of(t, "dir/n000000", &a);
	stat_of(t, "dir/n000149", &b);
	assert_int_equal(a.st_ino, b.st_ino);
	assert_int_equal(a.st_nlink, 150);
}

/* A directory that its entry calls a file is met only when its names are too late to count. */
static void names_in_disguise_are_reported(void **state)
{
	struct fixture *t = *state;
	f2fs_nid_t file = forge_entry(&t->forge, t->forge.root, "file", MODE_REG | 0644, "contents");
	f2fs_nid_t dir = forge_inode(&t->forge, MODE_DIR | 0755);
	f2fs_nid_t top = forge_entry(&t->forge, t->forge.root, "top", MODE_DIR | 0755, NULL);
	uint32_t disguised = entry_block(t, dir, 1), entries = entry_block(t, file, 20);

	forge_slots(&t->forge, top, BLOCK, &disguised, 1);
	forge_slots(&t->forge, dir, BLOCK, &entries, 1);
	to_tar(t, F2FS_ERR_INCOMPLETE);
	assert_int_equal(t->problems, 20);
	assert_int_equal(t->result.files, 1);
}

/* Files that share all their blocks: no more than the volume has are copied, and each file is reported. */
static void shared_blocks_are_not_multiplied(void **state)
{
	struct fixture *t = *state;
	f2fs_blk_t shared = forge_block(&t->forge, NULL, 0);
	uint32_t slots[900];

	for (unsigned i = 0; i < 900; i++)
		slots[i] = shared;
	for (unsigned i = 0; i < 40; i++) {
		char name[8];
		f2fs_nid_t file;

		snprintf(name, sizeof(name), "f%u", i);
		file = forge_entry(&t->forge, t->forge.root, name, MODE_REG | 0644, NULL);
		forge_slots(&t->forge, file, 900 * BLOCK, slots, 900);
	}
	assert_true(to_tar(t, F2FS_ERR_INCOMPLETE) < (64u << 20) + 40 * 2048);
	assert_in_range(t->problems, 1, 40);
	assert_bounded(t, 4);
	to_host(t, F2FS_ERR_INCOMPLETE);
	assert_true(t->result.bytes < 64u << 20);
	assert_bounded(t, 4);
}

/* Sizes beyond what contents there can be make no output. */
static void sizes_alone_are_no_contents(void **state)
{
	struct fixture *t = *state;
	f2fs_nid_t hole = forge_entry(&t->forge, t->forge.root, "hole", MODE_REG | 0644, NULL);
	f2fs_nid_t lost = forge_entry(&t->forge, t->forge.root, "lost", MODE_REG | 0644, NULL);

	forge_slots(&t->forge, hole, HUGE_SIZE / 4, NULL, 0);
	forge_slots(&t->forge, lost, HUGE_SIZE / 4, NULL, 0);
	for (unsigned i = 0; i < 5; i++)
		put_nid(t, lost, i, BAD_NID);
	assert_true(to_tar(t, F2FS_ERR_INCOMPLETE) < 32768);
	assert_int_equal(t->problems, 1);
	assert_bounded(t, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_bad_node_is_one_error),
		TEST(bad_slots_in_a_row_are_one_error),
		TEST(shared_directory_blocks_have_an_end),
		TEST(an_inode_is_written_once),
		TEST(names_in_disguise_are_reported),
		TEST(shared_blocks_are_not_multiplied),
		TEST(sizes_alone_are_no_contents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
