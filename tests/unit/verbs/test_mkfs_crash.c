/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mkfs over an older volume, cut short at every write, and with every write, flush and zeroing failing: the device then
 * has no volume at all or the new one, never the old one over the new one's tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <f2fskit/f2fskit.h>

#define SIZE (64ull << 20)

static const uint8_t old_uuid[16] = { 1 };
static const uint8_t new_uuid[16] = { 2 };

static struct f2fs_context *ctx;

static int make(struct f2fs_device *dev, const uint8_t *uuid)
{
	struct f2fs_mkfs_device device = { .device = dev };
	struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .uuid = uuid,
					     .feature = F2FS_FEAT_QUOTA | F2FS_FEAT_LOST_FOUND };

	return f2fs_mkfs_write(ctx, &device, 1, &options, NULL);
}

static struct f2fs_device *old_volume(void)
{
	struct f2fs_device *dev;

	assert_int_equal(f2fs_device_open_memory(ctx, SIZE, &dev), 0);
	assert_int_equal(make(dev, old_uuid), 0);
	return dev;
}

/* Which volume is there: 0 none, 1 the new one, and sound; the old one fails the test. */
static int look(struct f2fs_device *dev)
{
	struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options), .mode = F2FS_MODE_STRICT };
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	struct f2fs_volume *vol;
	struct f2fs_inode *inode;

	if (f2fs_volume_open(ctx, dev, &options, &vol) != 0) {
		options.mode = F2FS_MODE_TOLERANT;
		assert_int_equal(f2fs_volume_open(ctx, dev, &options, &vol), F2FS_ERR_NOT_F2FS);
		return 0;
	}
	f2fs_volume_statfs(vol, &st);
	assert_memory_equal(st.uuid, new_uuid, sizeof(new_uuid));
	assert_int_equal(f2fs_lookup(vol, "/lost+found", 0, &inode), 0);
	f2fs_inode_close(inode);
	f2fs_volume_close(vol);
	return 1;
}

static void replay(struct f2fs_device *to, const struct f2fs_record *r)
{
	int rc = 0;

	if (r->kind == F2FS_RECORD_WRITE)
		rc = f2fs_device_write(to, r->offset, r->data, (size_t)r->length);
	else if (r->kind == F2FS_RECORD_ZERO)
		rc = f2fs_device_zero(to, r->offset, r->length);
	else if (r->kind == F2FS_RECORD_DISCARD)
		rc = f2fs_device_discard(to, r->offset, r->length);
	assert_int_equal(rc, 0);
}

/* Each prefix of the operations, after the first. */
static void test_prefixes(void **state)
{
	struct f2fs_device *old = old_volume(), *copy, *recorder;
	uint64_t count;
	int is_new = 0;

	(void)state;
	assert_int_equal(f2fs_device_fork_memory(old, &copy), 0);
	assert_int_equal(f2fs_device_open_recorder(old, &recorder), 0);
	assert_int_equal(make(recorder, new_uuid), 0);
	count = f2fs_device_record_count(recorder);
	assert_true(count > 10);
	for (uint64_t i = 0; i < count; i++) {
		struct f2fs_record r;
		int now;

		assert_int_equal(f2fs_device_record_at(recorder, i, &r), 0);
		replay(copy, &r);
		now = look(copy);
		assert_true(now >= is_new);
		is_new = now;
	}
	assert_int_equal(is_new, 1);
	f2fs_device_close(copy);
	f2fs_device_close(recorder);
	f2fs_device_close(old);
}

/* Between two flushes a device may write in any order: up to the last flush before a superblock, none may be there. */
static void test_order(void **state)
{
	struct f2fs_device *old = old_volume(), *recorder;
	uint64_t count, last_other = 0, first_superblock = UINT64_MAX, flush_between = 0;

	(void)state;
	assert_int_equal(f2fs_device_open_recorder(old, &recorder), 0);
	assert_int_equal(make(recorder, new_uuid), 0);
	count = f2fs_device_record_count(recorder);
	for (uint64_t i = 0; i < count; i++) {
		struct f2fs_record r;

		assert_int_equal(f2fs_device_record_at(recorder, i, &r), 0);
		if (r.kind == F2FS_RECORD_WRITE && r.offset < 8192)
			first_superblock = first_superblock < i ? first_superblock : i;
		else if (r.kind == F2FS_RECORD_WRITE)
			last_other = i;
		else if (r.kind == F2FS_RECORD_FLUSH && first_superblock == UINT64_MAX)
			flush_between = i;
	}
	assert_true(last_other < flush_between && flush_between < first_superblock);
	f2fs_device_close(recorder);
	f2fs_device_close(old);
}

enum fault { FAIL_WRITE, FAIL_FLUSH, TEAR_WRITE, FAULTS };

static void test_faults(void **state)
{
	uint64_t reads, writes, flushes;
	struct f2fs_device *old = old_volume(), *fault;

	(void)state;
	assert_int_equal(f2fs_device_open_fault(old, &fault), 0);
	assert_int_equal(make(fault, new_uuid), 0);
	f2fs_device_fault_counts(fault, &reads, &writes, &flushes);
	assert_true(writes > 5 && flushes >= 4);
	f2fs_device_close(fault);
	f2fs_device_close(old);
	for (int kind = 0; kind < FAULTS; kind++) {
		for (uint64_t n = 1; n <= (kind == FAIL_FLUSH ? flushes : writes); n++) {
			struct f2fs_fault_rule rule = { .sticky = 1, .torn = kind == TEAR_WRITE };

			*(kind == FAIL_FLUSH ? &rule.fail_flush : &rule.fail_write) = n;
			old = old_volume();
			assert_int_equal(f2fs_device_open_fault(old, &fault), 0);
			f2fs_device_fault_set(fault, &rule);
			/* a discard that fails is borne, but then the next write fails too */
			assert_int_equal(make(fault, new_uuid), F2FS_ERR_IO);
			f2fs_device_close(fault);
			if (n > 1)
				look(old);
			f2fs_device_close(old);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_faults),
	};
	int failed;

	if (f2fs_context_open(NULL, &ctx))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	f2fs_context_close(ctx);
	return failed;
}
