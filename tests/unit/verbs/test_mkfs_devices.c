/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Volumes on several devices, device aliases, and zoned devices.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <f2fskit/f2fskit.h>

#define MIB (1ull << 20)

static struct f2fs_context *ctx;

static struct f2fs_device *memory(uint64_t size)
{
	struct f2fs_device *dev;

	assert_int_equal(f2fs_device_open_memory(ctx, size, &dev), 0);
	return dev;
}

static struct f2fs_volume *open_on(const struct f2fs_mkfs_device *devices, unsigned count)
{
	struct f2fs_device *more[F2FS_MAX_DEVICES];
	struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options),
					     .mode = F2FS_MODE_STRICT, .devices = more, .device_count = count - 1 };
	struct f2fs_volume *vol;

	for (unsigned i = 1; i < count; i++)
		more[i - 1] = devices[i].device;
	if (f2fs_volume_open(ctx, devices[0].device, &options, &vol) != 0)
		fail_msg("%s", f2fs_context_error(ctx)->message);
	return vol;
}

static void close_all(struct f2fs_mkfs_device *devices, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		f2fs_device_close(devices[i].device);
}

static void test_several(void **state)
{
	struct f2fs_mkfs_device devices[] = {
		{ .device = memory(100 * MIB), .path = "/dev/a" },
		{ .device = memory(61 * MIB), .path = "/dev/b" },
		{ .device = memory(70 * MIB), .path = "/dev/c" },
	};
	struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .feature = F2FS_FEAT_LOST_FOUND };
	struct f2fs_device *const second = devices[1].device;
	struct f2fs_mkfs_result result = { F2FS_SIZED(f2fs_mkfs_result) };
	struct f2fs_volume *vol;
	struct f2fs_inode *inode;

	(void)state;
	assert_int_equal(f2fs_mkfs_write(ctx, devices, 3, &options, &result), 0);
	assert_int_equal(result.layout.geometry.segment_count, 49 + 30 + 35);
	assert_int_equal(result.layout.devices[1].start, 25600);
	vol = open_on(devices, 3);
	assert_int_equal(f2fs_lookup(vol, "/lost+found", 0, &inode), 0);
	f2fs_inode_close(inode);
	f2fs_volume_close(vol);
	devices[1].path = NULL;
	assert_int_equal(f2fs_mkfs_write(ctx, devices, 3, &options, &result), F2FS_ERR_INVALID);
	devices[1].path = "a path of more than sixty-three bytes, which is too long for the table";
	assert_int_equal(f2fs_mkfs_write(ctx, devices, 3, &options, &result), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_mkfs_write(ctx, devices, 0, &options, &result), F2FS_ERR_INVALID);
	devices[1] = devices[0];
	assert_int_equal(f2fs_mkfs_write(ctx, devices, 2, &options, &result), F2FS_ERR_INVALID);
	assert_non_null(strstr(f2fs_context_error(ctx)->message, "twice"));
	devices[1].device = second;
	close_all(devices, 3);
}

static void test_alias(void **state)
{
	struct f2fs_mkfs_device devices[] = {
		{ .device = memory(100 * MIB), .path = "/dev/a" },
		{ .device = memory(64 * MIB), .path = "/dev/b", .alias = "whole" },
	};
	struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .feature = F2FS_FEAT_QUOTA |
										       F2FS_FEAT_EXTRA_ATTR |
										       F2FS_FEAT_INODE_CHECKSUM };
	struct f2fs_mkfs_result result = { F2FS_SIZED(f2fs_mkfs_result) };
	struct f2fs_segment_info sit;
	struct f2fs_volume *vol;
	struct f2fs_inode *inode;
	char text[6] = "";
	size_t done;

	(void)state;
	assert_int_equal(f2fs_device_write(devices[1].device, 4096, "stays", 5), 0);
	assert_int_equal(f2fs_mkfs_write(ctx, devices, 2, &options, &result), 0);
	assert_int_equal(result.layout.alias_segments, 32);
	vol = open_on(devices, 2);
	assert_int_equal(f2fs_sit_lookup(vol, 42, &sit), 0);
	assert_int_equal(sit.valid_blocks, 512);
	assert_int_equal(sit.type, F2FS_COLD_DATA);
	assert_int_equal(f2fs_sit_lookup(vol, 41, &sit), 0);
	assert_int_equal(sit.valid_blocks, 0);
	/* the file is the device */
	assert_int_equal(f2fs_lookup(vol, "/whole", 0, &inode), 0);
	assert_int_equal(f2fs_inode_read(inode, 4096, text, 5, &done), 0);
	assert_string_equal(text, "stays");
	f2fs_inode_close(inode);
	f2fs_volume_close(vol);
	close_all(devices, 2);
}

static void test_alias_refusals(void **state)
{
	static const char *const names[] = { "", ".", "..", "a/b", "lost+found", "twice" };
	struct f2fs_mkfs_device devices[] = {
		{ .device = memory(100 * MIB), .path = "/dev/a" },
		{ .device = memory(64 * MIB), .path = "/dev/b" },
		{ .device = memory(64 * MIB), .path = "/dev/c", .alias = "twice" },
	};
	struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .feature = F2FS_FEAT_LOST_FOUND };

	(void)state;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		devices[1].alias = names[i];
		assert_int_not_equal(f2fs_mkfs_write(ctx, devices, 3, &options, NULL), 0);
	}
	devices[1].alias = "other";
	assert_int_equal(f2fs_mkfs_write(ctx, devices, 3, &options, NULL), 0);
	options.feature = F2FS_FEAT_RO;
	assert_int_equal(f2fs_mkfs_write(ctx, devices, 3, &options, NULL), F2FS_ERR_UNSUPPORTED);
	options.feature = 0;
	devices[0].alias = "main";
	assert_int_equal(f2fs_mkfs_write(ctx, devices, 3, &options, NULL), F2FS_ERR_INVALID);
	close_all(devices, 3);
}

/* A host-managed device: writes to sequential zones only at the write pointer. */
struct zoned {
	struct f2fs_device *memory;
	uint64_t zone_bytes, capacity, size;
	unsigned conventional;
	uint64_t pointers[64];
	unsigned resets;
};

static int read_zoned(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct zoned *z = self;

	return f2fs_device_readv(z->memory, offset, iov, count);
}

static int write_zoned(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct zoned *z = self;
	uint64_t zone = offset / z->zone_bytes, length = 0;

	for (unsigned i = 0; i < count; i++)
		length += iov[i].length;
	if (zone >= z->conventional) {
		if (offset != z->pointers[zone] || offset + length > zone * z->zone_bytes + z->capacity)
			return F2FS_ERR_IO;
		z->pointers[zone] = offset + length;
	}
	return f2fs_device_writev(z->memory, offset, iov, count);
}

static int report_zones(void *self, uint64_t first, struct f2fs_zone *zones, unsigned count, unsigned *found)
{
	struct zoned *z = self;
	unsigned total = (unsigned)(z->size / z->zone_bytes), n = 0;

	for (; n < count && first + n < total; n++) {
		uint64_t i = first + n;

		memset(&zones[n], 0, sizeof(zones[n]));
		zones[n].start = i * z->zone_bytes;
		zones[n].length = z->zone_bytes;
		zones[n].capacity = i < z->conventional ? z->zone_bytes : z->capacity;
		zones[n].type = i < z->conventional ? F2FS_ZONE_CONVENTIONAL : F2FS_ZONE_SEQUENTIAL;
		zones[n].write_pointer = z->pointers[i];
		zones[n].empty = z->pointers[i] == zones[n].start;
	}
	*found = n;
	return 0;
}

static int reset_zone(void *self, uint64_t offset)
{
	struct zoned *z = self;

	z->pointers[offset / z->zone_bytes] = offset;
	z->resets++;
	return 0;
}

static struct f2fs_device *zoned_device(struct zoned *z, uint64_t size, uint64_t zone_bytes, uint64_t capacity,
					unsigned conventional)
{
	static const struct f2fs_device_ops ops = {
		F2FS_SIZED(f2fs_device_ops),
		.read = read_zoned, .write = write_zoned, .zones = report_zones, .zone_reset = reset_zone
	};
	struct f2fs_device_info info = { .size = size, .zone_bytes = zone_bytes, .sector_size = 512 };
	struct f2fs_device *dev;

	memset(z, 0, sizeof(*z));
	z->memory = memory(size);
	z->zone_bytes = zone_bytes;
	z->capacity = capacity;
	z->size = size;
	z->conventional = conventional;
	for (uint64_t i = 0; i < size / zone_bytes; i++)
		z->pointers[i] = i * zone_bytes;
	z->pointers[size / zone_bytes - 1] += 8192; /* not empty */
	info.caps = F2FS_DEVICE_WRITE | F2FS_DEVICE_ZONED;
	assert_int_equal(f2fs_device_open_custom(ctx, &ops, z, &info, &dev), 0);
	return dev;
}

static void test_zoned(void **state)
{
	struct zoned z;
	struct f2fs_mkfs_device device = { .device = zoned_device(&z, 240 * MIB, 4 * MIB, 4 * MIB, 8) };
	struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .zoned = 1,
					     .feature = F2FS_FEAT_LOST_FOUND | F2FS_FEAT_QUOTA };
	struct f2fs_mkfs_result result = { F2FS_SIZED(f2fs_mkfs_result) };

	(void)state;
	assert_int_equal(f2fs_mkfs_write(ctx, &device, 1, &options, &result), 0);
	assert_int_equal(z.resets, 1);
	assert_int_equal(result.layout.geometry.segs_per_sec, 2);
	assert_true(result.layout.geometry.feature & F2FS_FEAT_BLKZONED);
	assert_int_equal(result.trimmed, 1);
	f2fs_volume_close(open_on(&device, 1));
	options.no_discard = 1;
	assert_int_equal(f2fs_mkfs_write(ctx, &device, 1, &options, &result), F2FS_ERR_INVALID);
	options.no_discard = 0;
	options.zoned = 0;
	assert_int_equal(f2fs_mkfs_write(ctx, &device, 1, &options, &result), F2FS_ERR_INVALID);
	close_all(&device, 1);
	f2fs_device_close(z.memory);
}

/* A small conventional device for the metadata, a large zoned one with zones that hold less than their size. */
static void test_zoned_second(void **state)
{
	struct zoned z;
	struct f2fs_mkfs_device devices[] = {
		{ .device = memory(62 * MIB), .path = "/dev/a" },
		{ .device = zoned_device(&z, 240 * MIB, 4 * MIB, 3 * MIB, 0), .path = "/dev/b" },
	};
	struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .zoned = 1 };
	struct f2fs_mkfs_result result = { F2FS_SIZED(f2fs_mkfs_result) };
	const struct f2fs_layout *l = &result.layout;

	(void)state;
	assert_int_equal(f2fs_mkfs_write(ctx, devices, 2, &options, &result), 0);
	assert_int_equal((l->devices[1].start - l->geometry.segment0_blkaddr) % 1024, 0);
	/* 60 zones of 3 MiB: two segments each, one of them half */
	assert_int_equal(l->devices[1].segments, 120);
	assert_int_equal(l->usable_segments, l->geometry.segment_count_main);
	assert_true(l->user_blocks + (l->reserved_segments / 2 + F2FS_LOG_COUNT) * 768 <=
		    (uint64_t)l->geometry.section_count * 768);
	/* the logs begin on the zoned device */
	assert_int_equal(l->geometry.main_blkaddr + l->logs[F2FS_HOT_NODE] * 512, l->devices[1].start);
	f2fs_volume_close(open_on(devices, 2));
	/* half of each zone */
	f2fs_device_close(devices[1].device);
	f2fs_device_close(z.memory);
	devices[1].device = zoned_device(&z, 240 * MIB, 4 * MIB, 2 * MIB, 0);
	assert_int_equal(f2fs_mkfs_write(ctx, devices, 2, &options, &result), 0);
	/* a kernel uses no more of the sections on the first device */
	assert_int_equal(l->usable_segments, l->geometry.section_count);
	/* the offered space leaves the reserve, in sections as a kernel counts it, and the open logs */
	assert_int_equal(l->reserved_segments % 2, 0);
	assert_true(l->user_blocks + (l->reserved_segments / 2 + F2FS_LOG_COUNT) * 512 <=
		    (uint64_t)l->geometry.section_count * 512);
	close_all(devices, 2);
	f2fs_device_close(z.memory);
}

static void test_zoned_refusals(void **state)
{
	struct zoned z;
	struct f2fs_mkfs_device device = { .device = zoned_device(&z, 240 * MIB, 4 * MIB, 4 * MIB, 2) };
	struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .zoned = 1 };

	(void)state;
	assert_int_equal(f2fs_mkfs_write(ctx, &device, 1, &options, NULL), F2FS_ERR_INVALID);
	assert_non_null(strstr(f2fs_context_error(ctx)->message, "conventional zones"));
	close_all(&device, 1);
	f2fs_device_close(z.memory);
	device.device = zoned_device(&z, 240 * MIB, 5 * MIB, 5 * MIB, 8);
	assert_int_equal(f2fs_mkfs_write(ctx, &device, 1, &options, NULL), F2FS_ERR_INVALID);
	assert_non_null(strstr(f2fs_context_error(ctx)->message, "multiple of the segment"));
	close_all(&device, 1);
	f2fs_device_close(z.memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_several),	       cmocka_unit_test(test_alias),
		cmocka_unit_test(test_alias_refusals), cmocka_unit_test(test_zoned),
		cmocka_unit_test(test_zoned_second),   cmocka_unit_test(test_zoned_refusals),
	};
	int failed;

	if (f2fs_context_open(NULL, &ctx))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	f2fs_context_close(ctx);
	return failed;
}
