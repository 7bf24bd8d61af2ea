/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing zoned volumes. The device refuses every write that is not at a zone's write pointer, so each of these tests
 * is one of the order of all writes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/fresh.h"

#define MIB ((uint64_t)1 << 20)
#define PIECE (64u << 10)

static const struct f2fs_zone_options zones = { F2FS_SIZED(f2fs_zone_options),
						.zone_bytes = 4 * MIB, .conventional = 5 };
static const struct f2fs_mkfs_options plain = { F2FS_SIZED(f2fs_mkfs_options), .feature = F2FS_FEAT_LOST_FOUND };
static struct fresh fresh;
static uint8_t piece[PIECE];

static void open_fresh(const struct f2fs_zone_options *how)
{
	fresh_open_zoned(&fresh, 240 * MIB, &plain, how);
	assert_true(f2fs_volume_geometry(fresh.vol)->feature & F2FS_FEAT_BLKZONED);
}

/* Write length bytes of a kind from offset on. */
static int put(struct f2fs_inode *inode, uint64_t offset, uint64_t length, unsigned kind)
{
	int err = 0;

	for (uint64_t done = 0; done < length && !err; done += PIECE) {
		memset(piece, (int)(kind + done / PIECE), sizeof(piece));
		err = f2fs_inode_write(inode, offset + done, piece, PIECE);
	}
	return err;
}

static void must_hold(struct f2fs_inode *inode, uint64_t offset, uint64_t length, unsigned kind)
{
	size_t got;

	for (uint64_t done = 0; done < length; done += PIECE) {
		assert_int_equal(f2fs_inode_read(inode, offset + done, piece, PIECE, &got), 0);
		assert_int_equal(got, PIECE);
		for (unsigned i = 0; i < PIECE; i++)
			if (piece[i] != (uint8_t)(kind + done / PIECE))
				fail_msg("%llu holds %u", (unsigned long long)(offset + done + i), piece[i]);
	}
}

static struct f2fs_inode *look(const char *path)
{
	struct f2fs_inode *inode;

	assert_int_equal(f2fs_lookup(fresh.vol, path, 0, &inode), 0);
	return inode;
}

static void make(const char *name, uint64_t length, unsigned kind)
{
	struct f2fs_inode *inode = fresh_make(&fresh, name, 0100644);

	assert_int_equal(put(inode, 0, length, kind), 0);
	f2fs_inode_close(inode);
}

static void must_be(const char *path, uint64_t length, unsigned kind)
{
	struct f2fs_inode *inode = look(path);

	must_hold(inode, 0, length, kind);
	f2fs_inode_close(inode);
}

static int drop(const char *name)
{
	struct f2fs_inode *root = look("/");
	int err = f2fs_remove(root, name, strlen(name));

	f2fs_inode_close(root);
	return err;
}

static void close_volume(void)
{
	f2fs_volume_close(fresh.vol);
	fresh.vol = NULL;
}

static void open_again(int recover)
{
	const struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options), .recover = recover };

	close_volume();
	assert_int_equal(f2fs_volume_open(fresh.ctx, fresh.dev, &options, &fresh.vol), 0);
}

static int fix(void *user, const struct f2fs_problem *problem)
{
	(void)user;
	(void)problem;
	return F2FS_DECIDE_FIX;
}

/* The findings of a check on the device. */
static uint64_t problems(int repair)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .repair = repair, .problem = fix };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };

	assert_int_equal(f2fs_check(fresh.ctx, fresh.dev, &options, &result), 0);
	return repair ? result.left : result.found;
}

/* Files, more than memory holds between commits, changed and removed. */
static void work(unsigned rounds)
{
	char name[16] = "file-0";

	for (unsigned i = 0; i < rounds; i++) {
		name[5] = (char)('0' + i % 8);
		if (i >= 8)
			assert_int_equal(drop(name), 0);
		make(name, 3 * MIB, i);
		if (i % 3 == 2)
			fresh_reopen(&fresh);
	}
	fresh_reopen(&fresh);
	for (unsigned i = rounds - 8; i < rounds; i++) {
		name[5] = (char)('0' + i % 8);
		must_be(name, 3 * MIB, i);
	}
}

static void writes_are_in_order(void **state)
{
	struct f2fs_log_head head;

	(void)state;
	open_fresh(&zones);
	work(30);
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		assert_int_equal(f2fs_volume_log(fresh.vol, i, &head), 0);
		assert_int_equal(head.alloc_type, 0);
	}
	close_volume();
	assert_int_equal(problems(0), 0);
	fresh_close(&fresh);
}

static void zones_that_hold_less_are_left_in_time(void **state)
{
	const struct f2fs_zone_options less = { F2FS_SIZED(f2fs_zone_options),
						.zone_bytes = 4 * MIB, .capacity = 3 * MIB - 8192, .conventional = 5 };

	(void)state;
	open_fresh(&less);
	work(20);
	close_volume();
	assert_int_equal(problems(0), 0);
	assert_int_equal(problems(1), 0);
	fresh_close(&fresh);
}

static void dropped_changes_leave_their_zones(void **state)
{
	(void)state;
	open_fresh(&zones);
	make("kept", 2 * MIB, 1);
	assert_int_equal(f2fs_volume_commit(fresh.vol), 0);
	for (unsigned i = 0; i < 4; i++) {
		make("dropped", 5 * MIB, 2);
		f2fs_volume_rollback(fresh.vol);
	}
	must_be("kept", 2 * MIB, 1);
	make("more", 2 * MIB, 3);
	fresh_reopen(&fresh);
	must_be("kept", 2 * MIB, 1);
	must_be("more", 2 * MIB, 3);
	close_volume();
	assert_int_equal(problems(0), 0);
	fresh_close(&fresh);
}

static void fsynced_files_are_recovered(void **state)
{
	struct f2fs_inode *inode;
	int reason;

	(void)state;
	open_fresh(&zones);
	make("file", MIB, 1);
	assert_int_equal(f2fs_volume_commit(fresh.vol), 0);
	inode = look("file");
	for (unsigned i = 1; i < 5; i++) {
		assert_int_equal(put(inode, i * MIB, MIB, i + 1), 0);
		assert_int_equal(f2fs_fsync_reason(inode, &reason), 0);
		assert_int_equal(reason, 0);
		assert_int_equal(f2fs_fsync(inode, 0), 0);
	}
	f2fs_inode_close(inode);
	open_again(F2FS_RECOVER_VIEW);
	inode = look("file");
	must_hold(inode, 4 * MIB, MIB, 5);
	f2fs_inode_close(inode);
	open_again(F2FS_RECOVER_APPLY);
	inode = look("file");
	for (unsigned i = 0; i < 5; i++)
		must_hold(inode, i * MIB, MIB, i + 1);
	/* dropped writes move the logs, because a recovery would find no chain there */
	assert_int_equal(put(inode, 5 * MIB, MIB, 9), 0);
	f2fs_inode_close(inode);
	f2fs_volume_rollback(fresh.vol);
	inode = look("file");
	assert_int_equal(put(inode, 5 * MIB, MIB, 7), 0);
	assert_int_equal(f2fs_fsync(inode, 0), 0);
	f2fs_inode_close(inode);
	open_again(F2FS_RECOVER_APPLY);
	inode = look("file");
	must_hold(inode, 5 * MIB, MIB, 7);
	f2fs_inode_close(inode);
	close_volume();
	assert_int_equal(problems(0), 0);
	fresh_close(&fresh);
}

/* Until nothing fits; committed files are there, and removals make room again. */
static void full_volumes_lose_nothing(void **state)
{
	struct f2fs_inode *inode;
	unsigned n = 0;
	int err = 0;

	(void)state;
	open_fresh(&zones);
	make("kept", 4 * MIB, 1);
	assert_int_equal(f2fs_volume_commit(fresh.vol), 0);
	inode = fresh_make(&fresh, "big", 0100644);
	for (; !err && n < 400; n += !err)
		err = put(inode, n * MIB, MIB, n);
	assert_int_equal(err, F2FS_ERR_NOSPC);
	assert_true(n > 80);
	f2fs_inode_close(inode);
	f2fs_volume_rollback(fresh.vol);
	must_be("kept", 4 * MIB, 1);
	inode = fresh_make(&fresh, "big", 0100644);
	for (unsigned i = 0; i < n - 4; i++)
		assert_int_equal(put(inode, i * MIB, MIB, i), 0);
	f2fs_inode_close(inode);
	fresh_reopen(&fresh);
	must_be("kept", 4 * MIB, 1);
	assert_int_equal(drop("big"), 0);
	fresh_reopen(&fresh);
	make("after", 60 * MIB, 3);
	fresh_reopen(&fresh);
	must_be("after", 60 * MIB, 3);
	close_volume();
	assert_int_equal(problems(0), 0);
	fresh_close(&fresh);
}

static void damage_is_repaired_elsewhere(void **state)
{
	static const uint8_t garbage[4096] = { 9, 9, 9 };
	const struct f2fs_geometry *geo;

	(void)state;
	open_fresh(&zones);
	work(10);
	geo = f2fs_volume_geometry(fresh.vol);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(
			f2fs_device_write(fresh.dev,
					  (uint64_t)(geo->sit_blkaddr + i * geo->segment_count_sit * 256) * 4096,
					  garbage, sizeof(garbage)),
			0);
	close_volume();
	assert_int_not_equal(problems(0), 0);
	assert_int_equal(problems(1), 0);
	assert_int_equal(problems(0), 0);
	open_again(F2FS_RECOVER_NONE);
	must_be("file-7", 3 * MIB, 7);
	make("after", 5 * MIB, 3);
	fresh_reopen(&fresh);
	must_be("after", 5 * MIB, 3);
	fresh_close(&fresh);
}

/* A copy of an image on another device: all zones are full there. */
static void logs_leave_zones_that_are_full(void **state)
{
	const struct f2fs_zone_options full = { F2FS_SIZED(f2fs_zone_options),
						.zone_bytes = 4 * MIB, .conventional = 5, .is_full = 1 };
	struct f2fs_device *copy, *overlay;

	(void)state;
	open_fresh(&zones);
	work(10);
	close_volume();
	assert_int_equal(f2fs_device_open_overlay(fresh.dev, 0, NULL, &overlay), 0);
	assert_int_equal(f2fs_device_open_zoned(overlay, &full, &copy), F2FS_ERR_INVALID);
	f2fs_device_close(overlay);
	assert_int_equal(f2fs_device_open_memory(fresh.ctx, 240 * MIB, &overlay), 0);
	for (uint64_t at = 0; at < 240 * MIB; at += PIECE) {
		assert_int_equal(f2fs_device_read(fresh.dev, at, piece, PIECE), 0);
		assert_int_equal(f2fs_device_write(overlay, at, piece, PIECE), 0);
	}
	f2fs_device_close(fresh.dev);
	assert_int_equal(f2fs_device_open_zoned(overlay, &full, &fresh.dev), 0);
	f2fs_device_close(overlay);
	assert_int_not_equal(problems(0), 0);
	assert_int_equal(f2fs_device_open_overlay(fresh.dev, 0, NULL, &copy), 0);
	overlay = fresh.dev;
	fresh.dev = copy;
	assert_int_equal(problems(1), 0);
	f2fs_device_close(copy);
	fresh.dev = overlay;
	open_again(F2FS_RECOVER_NONE);
	must_be("file-7", 3 * MIB, 7);
	make("after", 5 * MIB, 3);
	fresh_reopen(&fresh);
	must_be("after", 5 * MIB, 3);
	close_volume();
	assert_int_equal(problems(0), 0);
	fresh_close(&fresh);
}

static unsigned empty_zones(void)
{
	struct f2fs_zone all[60];
	unsigned found, n = 0;

	assert_int_equal(f2fs_device_zones(fresh.dev, 0, all, 60, &found), 0);
	for (unsigned i = 0; i < found; i++)
		n += all[i].empty;
	return n;
}

static void free_zones_are_reset(void **state)
{
	const struct f2fs_write_options discard = { F2FS_SIZED(f2fs_write_options), .discard = 1 };
	unsigned before;
	uint64_t bytes;

	(void)state;
	open_fresh(&zones);
	make("a", 20 * MIB, 1);
	make("b", 20 * MIB, 2);
	fresh_reopen(&fresh);
	before = empty_zones();
	assert_int_equal(drop("a"), 0);
	fresh_reopen(&fresh);
	assert_true(empty_zones() <= before);
	assert_int_equal(f2fs_volume_trim(fresh.vol, 0, &bytes), 0);
	assert_true(bytes >= 16 * MIB && empty_zones() >= before + 4);
	assert_int_equal(f2fs_volume_configure(fresh.vol, &discard), 0);
	before = empty_zones();
	assert_int_equal(drop("b"), 0);
	assert_int_equal(f2fs_volume_commit(fresh.vol), 0);
	assert_true(empty_zones() >= before + 3);
	make("c", 20 * MIB, 2);
	fresh_reopen(&fresh);
	must_be("c", 20 * MIB, 2);
	close_volume();
	assert_int_equal(problems(0), 0);
	fresh_close(&fresh);
}

static void the_uuid_changes_with_all_checksums(void **state)
{
	const struct f2fs_mkfs_options sums = { F2FS_SIZED(f2fs_mkfs_options),
						.feature = F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_INODE_CHECKSUM };
	const uint8_t uuid[16] = { 1, 2, 3 };

	(void)state;
	fresh_open_zoned(&fresh, 240 * MIB, &sums, &zones);
	work(9);
	assert_int_equal(f2fs_volume_set_uuid(fresh.vol, uuid, 0), 0);
	must_be("file-7", 3 * MIB, 7);
	make("after", MIB, 1);
	fresh_reopen(&fresh);
	assert_true(f2fs_volume_geometry(fresh.vol)->feature & F2FS_FEAT_INODE_CHECKSUM);
	must_be("file-7", 3 * MIB, 7);
	close_volume();
	assert_int_equal(problems(0), 0);
	fresh_close(&fresh);
}

static void other_zones_are_refused(void **state)
{
	const struct f2fs_zone_options other = { F2FS_SIZED(f2fs_zone_options),
						 .zone_bytes = 2 * MIB, .conventional = 10 };
	const struct f2fs_write_options in_place = { F2FS_SIZED(f2fs_write_options), .in_place = F2FS_IN_PLACE_ALWAYS };
	struct f2fs_device *memory;
	struct f2fs_inode *root;

	(void)state;
	fresh_open_with(&fresh, 240 * MIB, &plain);
	close_volume();
	memory = fresh.dev;
	assert_int_equal(f2fs_device_open_zoned(memory, &other, &fresh.dev), 0);
	f2fs_device_close(memory);
	open_again(F2FS_RECOVER_NONE);
	root = look("/");
	assert_int_equal(f2fs_xattr_set(root, "user.a", "b", 1), F2FS_ERR_UNSUPPORTED);
	f2fs_inode_close(root);
	fresh_close(&fresh);
	open_fresh(&zones);
	assert_int_equal(f2fs_volume_configure(fresh.vol, &in_place), F2FS_ERR_UNSUPPORTED);
	fresh_close(&fresh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_are_in_order),
		cmocka_unit_test(zones_that_hold_less_are_left_in_time),
		cmocka_unit_test(dropped_changes_leave_their_zones),
		cmocka_unit_test(fsynced_files_are_recovered),
		cmocka_unit_test(full_volumes_lose_nothing),
		cmocka_unit_test(damage_is_repaired_elsewhere),
		cmocka_unit_test(logs_leave_zones_that_are_full),
		cmocka_unit_test(free_zones_are_reset),
		cmocka_unit_test(the_uuid_changes_with_all_checksums),
		cmocka_unit_test(other_zones_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
