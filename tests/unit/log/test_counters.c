/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters of writes: each cause counts its own. That the sum is right, crash/lab.c asserts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/fresh.h"
#include "log/run.h"

#define MIB (1u << 20)

static struct fresh v;
static uint8_t bytes[4 * MIB];

static void write_file(const char *name, size_t size)
{
	struct f2fs_inode *inode = fresh_make(&v, name, 0100644);

	assert_int_equal(f2fs_inode_write(inode, 0, bytes, size), 0);
	f2fs_inode_close(inode);
}

static struct f2fs_counters since(const struct f2fs_counters *before)
{
	struct f2fs_counters now = { F2FS_SIZED(f2fs_counters) };

	f2fs_volume_counters(v.vol, &now);
	for (unsigned i = 0; i < F2FS_WRITE_CAUSES; i++) {
		now.bytes[i] -= before->bytes[i];
		now.requests[i] -= before->requests[i];
	}
	now.commits -= before->commits;
	now.flushes -= before->flushes;
	return now;
}

static void each_cause_has_its_own(void **state)
{
	const struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options), .used_limit = 100 };
	const struct f2fs_counters none = { F2FS_SIZED(f2fs_counters) };
	struct f2fs_counters found = { F2FS_SIZED(f2fs_counters) }, before = { F2FS_SIZED(f2fs_counters) };
	struct f2fs_gc_result result = { F2FS_SIZED(f2fs_gc_result) };
	struct f2fs_inode *inode;

	(void)state;
	fresh_open(&v, 128 * MIB, 0);
	found = since(&none);
	assert_int_equal(found.commits + found.flushes, 0);
	for (unsigned i = 0; i < 10; i++) {
		const char name[] = { (char)('a' + i), 0 };

		write_file(name, 3 * MIB);
	}
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	found = since(&none);
	assert_in_range(found.bytes[F2FS_WRITE_DATA], 30 * MIB, 30 * MIB + 10 * 4096);
	assert_in_range(found.bytes[F2FS_WRITE_NODE], 11 * 4096, 40 * 4096);
	assert_int_equal(found.bytes[F2FS_WRITE_MOVED_DATA] + found.bytes[F2FS_WRITE_MOVED_NODE], 0);
	assert_true(found.bytes[F2FS_WRITE_SSA] >= 10 * 4096 && found.bytes[F2FS_WRITE_PACK] > 4 * 4096);
	assert_true(found.bytes[F2FS_WRITE_SIT] > 0);
	assert_int_equal(found.bytes[F2FS_WRITE_CHAIN], 0);
	assert_int_equal(found.commits, 1);
	assert_int_equal(found.flushes, 3); /* one before the first change */
	/* an fsync */
	before = found = since(&none);
	assert_int_equal(f2fs_lookup(v.vol, "/a", 0, &inode), 0);
	assert_int_equal(f2fs_inode_write(inode, 0, bytes, 4096), 0);
	assert_int_equal(f2fs_fsync(inode, 0), 0);
	f2fs_inode_close(inode);
	found = since(&before);
	assert_int_equal(found.bytes[F2FS_WRITE_CHAIN], 4096);
	assert_int_equal(found.bytes[F2FS_WRITE_DATA], 4096);
	assert_int_equal(found.commits, 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	/* cleaning */
	for (unsigned i = 0; i < 10; i += 2) {
		const char path[] = { '/', (char)('a' + i), 0 };

		assert_int_equal(f2fs_lookup(v.vol, path, 0, &inode), 0);
		assert_int_equal(f2fs_inode_truncate(inode, 0), 0);
		f2fs_inode_close(inode);
	}
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	before = since(&none);
	assert_int_equal(f2fs_gc(v.vol, &options, &result), 0);
	found = since(&before);
	assert_int_equal(found.bytes[F2FS_WRITE_MOVED_DATA], result.data_blocks * 4096);
	assert_true(result.data_blocks > 0 && found.bytes[F2FS_WRITE_MOVED_NODE] > 0);
	assert_int_equal(found.bytes[F2FS_WRITE_DATA] + found.bytes[F2FS_WRITE_NODE], 0);
	assert_int_equal(found.commits, result.commits);
	f2fs_volume_counters(v.vol, &found);
	assert_true(result.sections > 0);
	assert_int_equal(found.gc_sections, result.sections);
	assert_int_equal(found.gc_blocks, result.data_blocks + result.node_blocks);
	fresh_close(&v);
}

/* Logs that continue in holes are counted separately. */
static void holes_are_counted(void **state)
{
	const struct f2fs_write_options threaded = { F2FS_SIZED(f2fs_write_options), .logging = F2FS_LOGGING_THREADED };
	struct f2fs_counters counters = { F2FS_SIZED(f2fs_counters) };
	struct f2fs_inode *inode;

	(void)state;
	fresh_open(&v, 128 * MIB, 0);
	inode = fresh_make(&v, "a", 0100644);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(f2fs_inode_write(inode, (uint64_t)i * 4 * MIB, bytes, 4 * MIB), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	/* every other block elsewhere: the segments that the file was in have holes */
	for (unsigned i = 0; i < 4096; i += 2)
		assert_int_equal(f2fs_inode_write(inode, (uint64_t)i * 4096, bytes, 4096), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	f2fs_volume_counters(v.vol, &counters);
	assert_int_equal(counters.threaded_bytes, 0);
	assert_int_equal(f2fs_volume_configure(v.vol, &threaded), 0);
	assert_int_equal(f2fs_inode_write(inode, 0, bytes, 4 * MIB), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	f2fs_volume_counters(v.vol, &counters);
	/* except blocks that fit after the last block of the log's free segment */
	assert_in_range(counters.threaded_bytes, 2 * MIB, 4 * MIB + 64 * 4096);
	f2fs_inode_close(inode);
	fresh_close(&v);
}

static void labels_are_counted(void **state)
{
	const struct f2fs_counters none = { F2FS_SIZED(f2fs_counters) };
	struct f2fs_counters found = { F2FS_SIZED(f2fs_counters) };
	uint64_t reads, writes, flushes;
	struct f2fs_device *watched, *plain;
	const struct f2fs_fault_rule no_fault = { 0 };

	(void)state;
	fresh_open(&v, 64 * MIB, 0);
	f2fs_volume_close(v.vol);
	plain = v.dev;
	assert_int_equal(f2fs_device_open_fault(plain, &watched), 0);
	f2fs_device_fault_set(watched, &no_fault);
	assert_int_equal(f2fs_volume_open(v.ctx, watched, NULL, &v.vol), 0);
	assert_int_equal(f2fs_volume_set_label(v.vol, "counted"), 0);
	found = since(&none);
	f2fs_device_fault_counts(watched, &reads, &writes, &flushes);
	assert_true(found.requests[F2FS_WRITE_SUPERBLOCK] >= 2);
	assert_int_equal(found.requests[F2FS_WRITE_SUPERBLOCK], writes);
	assert_int_equal(found.flushes, flushes);
	f2fs_device_close(watched);
	fresh_close(&v);
}

static void causes_have_names(void **state)
{
	unsigned n = 0;

	(void)state;
	for (; f2fs_write_cause_name(n); n++)
		assert_true(strlen(f2fs_write_cause_text(n)) > 0);
	assert_int_equal(n, F2FS_WRITE_CAUSES);
	assert_null(f2fs_write_cause_text(n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cause_has_its_own),
		cmocka_unit_test(holes_are_counted),
		cmocka_unit_test(labels_are_counted),
		cmocka_unit_test(causes_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
