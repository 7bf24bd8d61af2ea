/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Workloads of the crash laboratory: fsyncs, atomic writes, synchronous writes, commits, names, recovery itself.
 *
 * usage: crash_lab [SEED [WORKLOAD | sample | all [FOLDER]]]
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

#include "crash/lab.h"
#include "format/inode.h"

#define BLOCK 4096u
#define SMALL (56u << 20)
#define WIDE (160u << 20) /* so that there may be streams */
#define ROOMY (128u << 20)
#define PINNED_BLOCKS 192u
#define FEATURES (F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_INODE_CHECKSUM | F2FS_FEAT_QUOTA)

static void commit(struct lab *lab)
{
	assert_int_equal(f2fs_volume_commit(lab->vol), 0);
}

static struct f2fs_inode *make(struct lab *lab, const char *top, const char *name)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct f2fs_inode *dir, *inode;

	assert_int_equal(f2fs_lookup(lab->vol, top, 0, &dir), 0);
	assert_int_equal(f2fs_create(dir, name, strlen(name), &spec, &inode), 0);
	f2fs_inode_close(dir);
	return inode;
}

static void fill(struct lab *lab, size_t n)
{
	for (size_t i = 0; i < n; i++)
		lab->bytes[i] = (uint8_t)lab_random(lab, 256);
}

/* Changes at random, most of them fsynced at once, some never, now and then a commit. */
static void run_fsyncs(struct lab *lab)
{
	for (unsigned i = 0; i < 60; i++) {
		struct f2fs_inode *inode = lab_change(lab);
		const unsigned dice = (unsigned)lab_random(lab, 20);

		if (inode && dice < 12) {
			assert_int_equal(f2fs_fsync(inode, dice < 4 ? F2FS_FSYNC_DATA : 0), 0);
			lab_promise_file(lab, inode);
		} else if (dice == 19) {
			commit(lab);
			lab_promise(lab);
		}
		f2fs_inode_close(inode);
	}
	commit(lab);
	lab_promise(lab);
}

static void run_appends(struct lab *lab)
{
	struct f2fs_inode *inode = make(lab, "/", "log"), *far = make(lab, "/d1", "far");
	uint64_t at = 0, far_at = 2000 * BLOCK;

	for (unsigned i = 0; i < 15; i++) {
		size_t n = i % 3 ? BLOCK : (size_t)lab_random(lab, 3 * BLOCK) + 1;

		fill(lab, n);
		assert_int_equal(f2fs_inode_write(inode, at, lab->bytes, n), 0);
		assert_int_equal(f2fs_fsync(inode, F2FS_FSYNC_DATA), 0);
		lab_promise_file(lab, inode);
		assert_int_equal(f2fs_inode_write(far, far_at, lab->bytes, BLOCK), 0);
		assert_int_equal(f2fs_fsync(far, 0), 0);
		lab_promise_file(lab, far);
		at += n;
		far_at += BLOCK;
	}
	f2fs_inode_close(inode);
	f2fs_inode_close(far);
}

static void run_atomic_writes(struct lab *lab)
{
	struct f2fs_inode *inode = make(lab, "/", "table");

	assert_int_equal(f2fs_inode_write(inode, 0, lab->bytes, LAB_BYTES), 0);
	assert_int_equal(f2fs_fsync(inode, 0), 0);
	lab_promise_file(lab, inode);
	for (unsigned i = 0; i < 12; i++) {
		struct f2fs_write_part parts[24];
		const size_t count = (size_t)lab_random(lab, 24) + 1;

		fill(lab, LAB_BYTES / 8);
		for (size_t k = 0; k < count; k++) {
			parts[k].offset = lab_random(lab, k % 8 ? LAB_BYTES : 20u << 20);
			parts[k].data = lab->bytes + lab_random(lab, LAB_BYTES / 16);
			parts[k].length = (size_t)lab_random(lab, 3 * BLOCK) + 1;
		}
		assert_int_equal(f2fs_inode_write_atomic(inode, parts, count), 0);
		lab_promise_file(lab, inode);
	}
	f2fs_inode_close(inode);
}

static void run_synchronous_writes(struct lab *lab)
{
	struct f2fs_inode *inode = make(lab, "/d2", "sync");

	for (unsigned i = 0; i < 30; i++) {
		const uint64_t at = lab_random(lab, 40000);

		fill(lab, 9000);
		assert_int_equal(f2fs_volume_set_sync(lab->vol, i < 15 ? F2FS_SYNC_DATA : F2FS_SYNC_ALL), 0);
		assert_int_equal(f2fs_inode_write(inode, at, lab->bytes, (size_t)lab_random(lab, 9000) + 1), 0);
		lab_promise_file(lab, inode);
	}
	f2fs_inode_close(inode);
}

/* Write aside, fsync, rename over, fsync the directory: as careful programs replace a file. */
static void run_replacements(struct lab *lab)
{
	struct f2fs_inode *dir, *inode;

	assert_int_equal(f2fs_lookup(lab->vol, "/d3", 0, &dir), 0);
	for (unsigned i = 0; i < 5; i++) {
		inode = make(lab, "/d3", "new");
		fill(lab, 20000);
		assert_int_equal(f2fs_inode_write(inode, 0, lab->bytes, (size_t)lab_random(lab, 20000) + 1), 0);
		assert_int_equal(f2fs_fsync(inode, 0), 0);
		lab_promise_file(lab, inode);
		f2fs_inode_close(inode);
		assert_int_equal(f2fs_rename(dir, "new", 3, dir, "settings", 8, 0), 0);
		assert_int_equal(f2fs_fsync(dir, 0), 0);
		lab_promise(lab);
	}
	f2fs_inode_close(dir);
}

/* Files that were fsynced and then removed come back when there was no commit: nothing may have taken their place. */
static void run_removals(struct lab *lab)
{
	struct f2fs_inode *dir, *inode, *other = make(lab, "/", "other");
	char name[16];

	commit(lab);
	lab_promise(lab);
	assert_int_equal(f2fs_lookup(lab->vol, "/d4", 0, &dir), 0);
	for (unsigned i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "lost%u", i);
		inode = make(lab, "/d4", name);
		fill(lab, 40 * BLOCK);
		assert_int_equal(f2fs_inode_write(inode, 0, lab->bytes, 40 * BLOCK), 0);
		assert_int_equal(f2fs_fsync(inode, 0), 0);
		lab_promise_file(lab, inode);
		f2fs_inode_close(inode);
		assert_int_equal(f2fs_remove(dir, name, strlen(name)), 0);
		fill(lab, 30 * BLOCK);
		for (unsigned k = 0; k < 3; k++)
			assert_int_equal(f2fs_inode_write(other, k * 30 * BLOCK, lab->bytes, 30 * BLOCK), 0);
		assert_int_equal(f2fs_fsync(other, 0), 0);
		lab_promise_file(lab, other);
	}
	f2fs_inode_close(other);
	f2fs_inode_close(dir);
}

/* Write a new file and fsync it. */
static void deliver(struct lab *lab, const char *name)
{
	struct f2fs_inode *inode = make(lab, "/d1", name);

	fill(lab, 9 * BLOCK);
	assert_int_equal(f2fs_inode_write(inode, lab_random(lab, 2) * 2000 * BLOCK, lab->bytes,
					  (size_t)lab_random(lab, 9 * BLOCK) + 1),
			 0);
	if (lab_random(lab, 3) == 0)
		assert_int_equal(f2fs_xattr_set(inode, "user.a", lab->bytes, 3000), 0);
	assert_int_equal(f2fs_fsync(inode, 0), 0);
	lab_promise_file(lab, inode);
	f2fs_inode_close(inode);
}

static void drop_name(struct lab *lab, struct f2fs_inode *dir, const char *name)
{
	(void)lab;
	assert_int_equal(f2fs_remove(dir, name, strlen(name)), 0);
}

/* Take a name out of a directory; sometimes the file lives on under another one. */
static void file_away(struct lab *lab, struct f2fs_inode *dir, const char *name)
{
	struct f2fs_inode *other, *inode;
	struct f2fs_dirent entry;
	char kept[24];

	assert_int_equal(f2fs_dir_lookup(dir, name, strlen(name), &entry), 0);
	snprintf(kept, sizeof(kept), "kept%u", (unsigned)entry.ino);
	assert_int_equal(f2fs_lookup(lab->vol, lab_random(lab, 2) ? "/d1" : "/d2", 0, &other), 0);
	switch (lab_random(lab, 6)) {
	case 0:
		assert_int_equal(f2fs_rename(dir, name, strlen(name), other, kept, strlen(kept), 0), 0);
		break;
	case 1:
		assert_int_equal(f2fs_inode_open(lab->vol, entry.ino, &inode), 0);
		assert_int_equal(f2fs_link(other, kept, strlen(kept), inode), 0);
		f2fs_inode_close(inode);
		drop_name(lab, dir, name);
		break;
	default:
		drop_name(lab, dir, name);
	}
	f2fs_inode_close(other);
}

static void reuse_names(struct lab *lab, void (*take)(struct lab *lab, struct f2fs_inode *dir, const char *name))
{
	struct f2fs_inode *dir;
	struct f2fs_dirent entry;
	char name[16];

	assert_int_equal(f2fs_lookup(lab->vol, "/d1", 0, &dir), 0);
	for (unsigned i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "mail%u", (unsigned)lab_random(lab, 5));
		if (f2fs_dir_lookup(dir, name, strlen(name), &entry) == 0)
			take(lab, dir, name);
		if (lab_random(lab, 4))
			deliver(lab, name);
	}
	f2fs_inode_close(dir);
}

/* Letters that come and go under few names, each fsynced: a commit is made for none of them. */
static void run_mail(struct lab *lab)
{
	const uint64_t version = lab->version;

	reuse_names(lab, drop_name);
	assert_int_equal(lab->version, version);
}

static void run_filed_mail(struct lab *lab)
{
	reuse_names(lab, file_away);
}

static void run_commits(struct lab *lab)
{
	for (unsigned i = 0; i < 5; i++) {
		for (uint64_t n = (uint64_t)1 << lab_random(lab, 8); n > 0; n--)
			f2fs_inode_close(lab_change(lab));
		commit(lab);
		lab_promise(lab);
	}
}

/* Files side by side, of which every other one goes: sections that are worth cleaning. */
static void make_gaps(struct lab *lab)
{
	struct f2fs_inode *dir, *inode;
	char name[16];

	for (unsigned i = 0; i < 80; i++) {
		snprintf(name, sizeof(name), "gap%u", i);
		inode = make(lab, "/d1", name);
		fill(lab, 20 * BLOCK);
		assert_int_equal(f2fs_inode_write(inode, 0, lab->bytes, 20 * BLOCK), 0);
		f2fs_inode_close(inode);
	}
	commit(lab);
	lab_promise(lab);
	assert_int_equal(f2fs_lookup(lab->vol, "/d1", 0, &dir), 0);
	for (unsigned i = 0; i < 80; i += 2) {
		snprintf(name, sizeof(name), "gap%u", i);
		assert_int_equal(f2fs_remove(dir, name, strlen(name)), 0);
	}
	f2fs_inode_close(dir);
}

/* Cleaning by each policy, between changes; whatever it moves, the tree stays as promised. */
static void run_cleaning(struct lab *lab)
{
	uint64_t moved = 0;

	make_gaps(lab);
	for (unsigned i = 0; i < 6; i++) {
		const struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options),
							 .policy = i % 3,
							 .used_limit = 100,
							 .sections = 4,
							 .target = i & 1,
							 .move_pinned = 1 };
		struct f2fs_gc_result result = { F2FS_SIZED(f2fs_gc_result) };

		for (unsigned n = 0; n < 8; n++)
			f2fs_inode_close(lab_change(lab));
		commit(lab);
		lab_promise(lab);
		assert_int_equal(f2fs_gc(lab->vol, &options, &result), 0);
		assert_int_equal(result.unconfirmed + result.unreadable, 0);
		moved += result.data_blocks + result.node_blocks;
	}
	lab_promise(lab);
	assert_true(moved > 100);
	run_fsyncs(lab);
}

/* Putting files in order in each way, and a range from one place to another, between changes. */
static void run_defrag(struct lab *lab)
{
	static const struct f2fs_defrag_part list[] = {
		{ .path = "/filler6" }, { .path = "/filler2", .offset = 8192, .length = 12288 }, { .path = "/" }
	};
	static const uint32_t orders[] = { F2FS_DEFRAG_SCORE, F2FS_DEFRAG_TREE, F2FS_DEFRAG_AGE, F2FS_DEFRAG_SPACE,
					   F2FS_DEFRAG_LIST, F2FS_DEFRAG_TREE };
	const struct f2fs_geometry *geo = f2fs_volume_geometry(lab->vol);
	uint64_t moved = 0;

	for (unsigned i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		const uint32_t has_list = orders[i] == F2FS_DEFRAG_LIST;
		const struct f2fs_defrag_options options = { F2FS_SIZED(f2fs_defrag_options), .order = orders[i],
							     .list = has_list ? list : NULL,
							     .list_count = has_list ? 3 : 0,
							     .blocks = i == 1 ? 300 : 0 };
		struct f2fs_defrag_range_result range = { F2FS_SIZED(f2fs_defrag_range_result) };
		struct f2fs_defrag_result result = { F2FS_SIZED(f2fs_defrag_result) };

		for (unsigned n = 0; n < 8; n++)
			f2fs_inode_close(lab_change(lab));
		commit(lab);
		lab_promise(lab);
		assert_int_equal(f2fs_defrag(lab->vol, &options, &result), 0);
		assert_int_equal(result.unconfirmed + result.unreadable, 0);
		assert_true(!has_list || result.blocks_placed > 10);
		moved += result.blocks_placed + result.blocks_cleared;
		assert_int_equal(f2fs_defrag_range(lab->vol, geo->main_blkaddr + 100, 1500,
						   geo->main_blkaddr + 20 * F2FS_SEGMENT_BLOCKS, 0, &range),
				 0);
		moved += range.moved;
	}
	lab_promise(lab);
	assert_true(moved > 1000);
	run_fsyncs(lab);
}

/* Cleaning by itself before the first change of a transaction: its commits contain the promised changes. */
static void run_cleaned_changes(struct lab *lab)
{
	const struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options), .like_kernel = 1 };
	uint64_t own = 0;

	assert_int_equal(f2fs_volume_set_gc(lab->vol, &options), 0);
	for (unsigned i = 0; i < 8; i++) {
		const uint64_t before = lab->version;

		f2fs_inode_close(lab_change(lab));
		commit(lab);
		lab_promise(lab);
		own += lab->version > before + 1; /* commits of cleaning */
	}
	assert_true(own > 0);
}

static uint64_t version_of(struct lab *lab)
{
	uint64_t version;

	memcpy(&version, f2fs_volume_checkpoint(lab->vol, NULL, NULL), sizeof(version));
	return version;
}

/* Overwrite a file, as far as there is room for it. */
static struct f2fs_inode *write_again(struct lab *lab, struct f2fs_inode *inode)
{
	struct f2fs_inode *same;

	fill(lab, LAB_BYTES);
	assert_int_equal(f2fs_inode_write(inode, 0, lab->bytes, LAB_BYTES), 0);
	assert_int_equal(f2fs_inode_open(lab->vol, f2fs_inode_number(inode), &same), 0);
	return same;
}

/* Cleaning by itself while files are fsynced that no commit has yet: it commits them before it moves anything. */
static void run_cleaned_fsyncs(struct lab *lab)
{
	const struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options), .like_kernel = 1, .free_goal = 1 };
	struct f2fs_inode *bulk = make(lab, "/", "bulk");
	bool pends = false;
	unsigned own = 0;

	commit(lab);
	lab_promise(lab);
	assert_int_equal(f2fs_volume_set_gc(lab->vol, &options), 0);
	for (unsigned i = 0; i < 12; i++) {
		const uint64_t before = version_of(lab);
		struct f2fs_inode *inode = i % 2 ? lab_change(lab) : write_again(lab, bulk);
		const uint64_t changed = version_of(lab);

		own += pends && changed > before + 1; /* commits of the chain and of cleaning */
		if (inode) {
			assert_int_equal(f2fs_fsync(inode, 0), 0);
			pends = version_of(lab) == changed;
			lab_promise_file(lab, inode);
		} else {
			commit(lab);
			pends = false;
			lab_promise(lab);
		}
		f2fs_inode_close(inode);
	}
	f2fs_inode_close(bulk);
	assert_true(own > 0);
}

static f2fs_blk_t place_of(struct f2fs_inode *inode)
{
	struct f2fs_file_extent extent;

	assert_int_equal(f2fs_inode_extent(inode, 0, &extent), 0);
	assert_true(extent.count >= PINNED_BLOCKS); /* in one piece */
	return extent.addr;
}

/* A pinned file that holds a part of its section. */
static struct f2fs_inode *make_pinned(struct lab *lab, unsigned number)
{
	const struct f2fs_stat pin = { .inline_flags = FLAG_i_inline_pin_file };
	struct f2fs_inode *inode;
	char name[16];

	snprintf(name, sizeof(name), "pinned%u", number);
	inode = make(lab, "/", name);
	assert_int_equal(f2fs_inode_set(inode, F2FS_SET_PIN, &pin), 0);
	assert_int_equal(f2fs_fallocate(inode, 0, 0, 512 * BLOCK), 0);
	assert_int_equal(f2fs_inode_truncate(inode, PINNED_BLOCKS * BLOCK), 0);
	fill(lab, LAB_BYTES);
	for (unsigned at = 0; at < PINNED_BLOCKS * BLOCK; at += LAB_BYTES)
		assert_int_equal(f2fs_inode_write(inode, at, lab->bytes, LAB_BYTES), 0);
	return inode;
}

/* Blocks of pinned files move to sections that they share, with changes in between. */
static void run_pinned_moves(struct lab *lab)
{
	for (unsigned i = 0; i < 3; i++) {
		const struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options), .used_limit = 100,
							 .move_pinned = 1, .policy = i % 3 };
		struct f2fs_inode *left = make_pinned(lab, 2 * i), *right = make_pinned(lab, 2 * i + 1);
		const f2fs_blk_t was_left = place_of(left), was_right = place_of(right);
		struct f2fs_gc_result result = { F2FS_SIZED(f2fs_gc_result) };

		for (unsigned n = 0; n < 4; n++)
			f2fs_inode_close(lab_change(lab));
		commit(lab);
		lab_promise(lab);
		assert_int_equal(f2fs_gc(lab->vol, &options, &result), 0);
		assert_int_equal(result.pinned + result.unconfirmed + result.unreadable, 0);
		assert_true(place_of(left) != was_left && place_of(right) != was_right);
		lab_promise(lab);
		f2fs_inode_close(left);
		f2fs_inode_close(right);
	}
	f2fs_inode_close(lab_change(lab));
}

/* ---- contents before */

static void prepare_files(struct lab *lab)
{
	lab_make_directories(lab);
	for (unsigned i = 0; i < 30; i++)
		f2fs_inode_close(lab_change(lab));
}

static bool fills_holes(struct lab *lab)
{
	struct f2fs_log_head log;

	assert_int_equal(f2fs_volume_log(lab->vol, F2FS_WARM_DATA, &log), 0);
	return log.alloc_type == 1;
}

/* Files of ten blocks, of which some go again: count of them, or until logs fill holes. */
static void scatter(struct lab *lab, unsigned count)
{
	struct f2fs_inode *root, *inode;
	char name[24];

	for (unsigned n = 0; n < count && !fills_holes(lab); n++) {
		snprintf(name, sizeof(name), "filler%u", n);
		inode = make(lab, "/", name);
		assert_int_equal(f2fs_inode_write(inode, 0, lab->bytes, 10 * BLOCK), 0);
		f2fs_inode_close(inode);
		if (n % 2 == 0)
			continue;
		assert_int_equal(f2fs_lookup(lab->vol, "/", 0, &root), 0);
		snprintf(name, sizeof(name), "filler%u", n - 1);
		if (n % 4 == 1)
			assert_int_equal(f2fs_remove(root, name, strlen(name)), 0);
		f2fs_inode_close(root);
		if (n % 20 == 19)
			commit(lab);
	}
}

/* A volume that is so full that its logs fill holes. */
static void prepare_holes(struct lab *lab)
{
	prepare_files(lab);
	scatter(lab, 2000);
	assert_true(fills_holes(lab));
}

static uint64_t free_blocks(struct lab *lab)
{
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };

	f2fs_volume_statfs(lab->vol, &st);
	return st.free_blocks;
}

/* Write until there is hardly a free segment any more; of those in use many have holes. */
static void prepare_used_up(struct lab *lab)
{
	const struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options), .logging = F2FS_LOGGING_NORMAL };
	struct f2fs_inode *ballast;
	uint64_t at = 0;

	prepare_holes(lab);
	commit(lab);
	assert_int_equal(f2fs_volume_configure(lab->vol, &options), 0);
	ballast = make(lab, "/", "ballast");

	while (free_blocks(lab) > 300 && f2fs_inode_write(ballast, at, lab->bytes, 60 * BLOCK) == 0) {
		commit(lab);
		at += 60 * BLOCK;
	}
	f2fs_volume_rollback(lab->vol);
	f2fs_inode_close(ballast);
}

/* Segments that are partly used. */
static void prepare_scattered(struct lab *lab)
{
	prepare_files(lab);
	scatter(lab, 200);
	assert_false(fills_holes(lab));
}

static void prepare_chain(struct lab *lab)
{
	prepare_files(lab);
	commit(lab);
	for (unsigned i = 0; i < 60; i++) {
		struct f2fs_inode *inode = lab_change(lab);
		int reason = F2FS_FSYNC_NOT_REGULAR;

		if (inode)
			assert_int_equal(f2fs_fsync_reason(inode, &reason), 0);
		if (reason == F2FS_FSYNC_NONE)
			assert_int_equal(f2fs_fsync(inode, 0), 0);
		f2fs_inode_close(inode);
	}
}

static void run_recovery(struct lab *lab)
{
	uint64_t pending;

	assert_int_equal(f2fs_volume_pending(lab->vol, &pending), 0);
	assert_true(pending > 5);
	assert_int_equal(f2fs_recover(lab->vol, NULL, NULL), 0);
	lab_promise(lab);
}

static void use_logs(struct lab *lab, uint8_t logs)
{
	const struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options), .logs = logs };

	assert_int_equal(f2fs_volume_configure(lab->vol, &options), 0);
}

static void run_with_four_logs(struct lab *lab)
{
	use_logs(lab, 4);
	run_fsyncs(lab);
}

/* There is no fsync chain: each fsync is a commit. */
static void run_with_two_logs(struct lab *lab)
{
	use_logs(lab, 2);
	run_fsyncs(lab);
}

static unsigned classify_any(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	(void)user;
	(void)ino;
	return (unsigned)(file_block + old) % 4; /* the fourth is none */
}

static unsigned delay_some(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	(void)user;
	(void)old;
	return (ino + file_block) % 3 == 0;
}

static void use_streams(struct lab *lab)
{
	const struct f2fs_placement placement = { F2FS_SIZED(f2fs_placement),
						  .streams = 3, .classify = classify_any, .delay = delay_some };

	assert_int_equal(f2fs_volume_set_placement(lab->vol, &placement), 0);
}

static void run_fsyncs_in_streams(struct lab *lab)
{
	use_streams(lab);
	run_fsyncs(lab);
}

static void run_commits_in_streams(struct lab *lab)
{
	use_streams(lab);
	run_commits(lab);
}

static void write_at_once(struct lab *lab, uint8_t at_once)
{
	const struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options), .at_once = at_once };

	assert_int_equal(f2fs_volume_configure(lab->vol, &options), 0);
}

/*
 * A placement that learns. Writes that do not wait teach it until it uses streams; then it works like any other.
 */
static void run_fsyncs_by_hotness(struct lab *lab)
{
	const struct f2fs_hotness_options options = { F2FS_SIZED(f2fs_hotness_options),
						      .method = F2FS_HOTNESS_ADAPTIVE, .streams = 4 };
	struct f2fs_hotness_stat stat = { F2FS_SIZED(f2fs_hotness_stat) };
	struct f2fs_hotness *hot;
	struct f2fs_inode *inode;

	assert_int_equal(f2fs_hotness_open(lab->vol, &options, &hot), 0);
	write_at_once(lab, 1);
	inode = make(lab, "/", "taught");
	for (uint64_t i = 0; i < 4000; i++) {
		const uint64_t block = i % 2 ? i / 2 % 8 : 8 + i / 2 % 192;

		assert_int_equal(f2fs_inode_write(inode, block * BLOCK, lab->bytes, BLOCK), 0);
	}
	f2fs_inode_close(inode);
	commit(lab);
	lab_promise(lab);
	f2fs_hotness_stat(hot, &stat);
	assert_true(stat.separates);
	write_at_once(lab, 0);
	run_fsyncs(lab);
	assert_int_equal(f2fs_hotness_close(hot), 0);
}

static const char *folder; /* of the host: something to copy */

static void run_populate(struct lab *lab)
{
	const struct f2fs_populate_options options = { F2FS_SIZED(f2fs_populate_options),
						       .directory = folder, .target = "/d0/copy" };
	struct f2fs_populate_result result = { F2FS_SIZED(f2fs_populate_result) };

	assert_non_null(folder);
	assert_int_equal(f2fs_populate(lab->vol, &options, &result), 0);
	commit(lab);
	lab_promise(lab);
}

static const struct lab_workload workloads[] = {
	{ .name = "fsyncs", .prepare = prepare_files, .run = run_fsyncs },
	{ .name = "fsyncs, features", .format = { .feature = FEATURES }, .prepare = prepare_files, .run = run_fsyncs },
	{ .name = "fsyncs in holes", .size = SMALL, .prepare = prepare_holes, .run = run_fsyncs },
	{ .name = "fsyncs, four logs", .prepare = prepare_files, .run = run_with_four_logs },
	{ .name = "fsyncs, two logs", .prepare = prepare_files, .run = run_with_two_logs },
	{ .name = "fsyncs in streams", .size = WIDE, .prepare = prepare_files, .run = run_fsyncs_in_streams },
	{ .name = "commits in streams",
	  .size = WIDE,
	  .write = { .discard = 1 },
	  .prepare = prepare_files,
	  .run = run_commits_in_streams,
	  .subsets = 3 },
	{ .name = "commits in streams, zoned",
	  .format = { .zoned = 1 },
	  .size = 2 * WIDE,
	  .prepare = prepare_files,
	  .run = run_commits_in_streams,
	  .subsets = 3,
	  .scattered = 2 },
	{ .name = "fsyncs by hotness",
	  .size = ROOMY,
	  .prepare = prepare_files,
	  .run = run_fsyncs_by_hotness,
	  .subsets = 2,
	  .scattered = 1 },
	{ .name = "populate", .prepare = prepare_files, .run = run_populate },
	{ .name = "fsyncs of a new volume", .run = run_fsyncs },
	{ .name = "appends", .prepare = prepare_files, .run = run_appends },
	{ .name = "atomic writes", .run = run_atomic_writes },
	{ .name = "atomic writes in holes, commits when full",
	  .size = SMALL,
	  .write = { .commit_when_full = 1 },
	  .prepare = prepare_holes,
	  .run = run_atomic_writes },
	{ .name = "synchronous writes", .prepare = prepare_files, .run = run_synchronous_writes },
	{ .name = "replacements", .prepare = prepare_files, .run = run_replacements },
	{ .name = "removals", .prepare = prepare_files, .run = run_removals },
	{ .name = "removals in holes", .size = SMALL, .prepare = prepare_holes, .run = run_removals },
	{ .name = "mail, posix",
	  .write = { .fsync_mode = F2FS_FSYNC_MODE_POSIX },
	  .prepare = prepare_files,
	  .run = run_mail },
	{ .name = "filed mail, posix",
	  .format = { .feature = FEATURES },
	  .write = { .fsync_mode = F2FS_FSYNC_MODE_POSIX },
	  .prepare = prepare_files,
	  .run = run_filed_mail },
	{ .name = "commits", .prepare = prepare_files, .run = run_commits, .subsets = 40, .scattered = 10 },
	{ .name = "commits, discarded",
	  .write = { .discard = 1, .logs = 4 },
	  .prepare = prepare_files,
	  .run = run_commits },
	{ .name = "commits, compressed",
	  .format = { .feature = F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_COMPRESSION },
	  .write = { .discard = 1,
		     .has_compression = 1,
		     .compression = { .algorithm = F2FS_COMPRESS_LZO, .log_cluster = 3 },
		     .compress_names = "*" },
	  .run = run_commits },
	{ .name = "cleaning", .size = ROOMY, .prepare = prepare_scattered, .run = run_cleaning },
	{ .name = "cleaning, segments discarded",
	  .size = ROOMY,
	  .write = { .discard = 1, .discard_unit = F2FS_DISCARD_UNIT_SEGMENT },
	  .prepare = prepare_scattered,
	  .run = run_cleaning },
	{ .name = "cleaning, discarded, features",
	  .size = ROOMY,
	  .format = { .feature = FEATURES },
	  .write = { .discard = 1 },
	  .prepare = prepare_scattered,
	  .run = run_cleaning },
	{ .name = "defragmentation", .size = ROOMY, .prepare = prepare_scattered, .run = run_defrag },
	{ .name = "defragmentation, features",
	  .size = ROOMY,
	  .format = { .feature = FEATURES },
	  .prepare = prepare_scattered,
	  .run = run_defrag },
	{ .name = "cleaning by itself",
	  .size = ROOMY,
	  .write = { .logging = F2FS_LOGGING_NORMAL },
	  .prepare = prepare_used_up,
	  .run = run_cleaned_changes,
	  .subsets = 2,
	  .scattered = 1 },
	{ .name = "cleaning by itself, fsyncs",
	  .size = ROOMY,
	  .write = { .logging = F2FS_LOGGING_NORMAL, .commit_when_full = 1 },
	  .prepare = prepare_used_up,
	  .run = run_cleaned_fsyncs,
	  .subsets = 1,
	  .scattered = 1 },
	{ .name = "cleaning with pinned files",
	  .size = ROOMY,
	  .prepare = prepare_scattered,
	  .run = run_pinned_moves,
	  .subsets = 1,
	  .scattered = 1 },
	{ .name = "cleaning in holes", .size = SMALL, .prepare = prepare_holes, .run = run_cleaning },
	{ .name = "fsyncs, discarded", .write = { .discard = 1 }, .prepare = prepare_files, .run = run_fsyncs },
	{ .name = "recovery", .prepare = prepare_chain, .is_unclean = true, .run = run_recovery },
};

static uint64_t seed = 1;
static const char *only;

enum { SAMPLE = 7 }; /* one state in so many */

static bool is_chosen(const char *name)
{
	return !only || strcmp(only, "all") == 0 || strcmp(only, "sample") == 0 || strcmp(only, name) == 0;
}

static void cuts_harm_nothing(void **state)
{
	unsigned runs = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++) {
		if (!is_chosen(workloads[i].name))
			continue;
		lab_run(&workloads[i], seed, only && strcmp(only, "sample") == 0 ? SAMPLE : 1);
		runs++;
	}
	assert_true(runs > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(cuts_harm_nothing) };

	if (argc > 1)
		seed = strtoul(argv[1], NULL, 10);
	only = argc > 2 ? argv[2] : NULL;
	folder = argc > 3 ? argv[3] : ".";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
