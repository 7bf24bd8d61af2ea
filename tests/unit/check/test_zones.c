/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compare the write pointers of a zoned device with the volume's blocks in use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <f2fskit/f2fskit.h>

#include "facts/problem.h"

#define MIB ((uint64_t)1 << 20)
#define SIZE (240 * MIB)
#define ZONE (4 * MIB)
#define ZONES (SIZE / ZONE)
#define CONVENTIONAL 5u

/* Memory with zones that remember how far they were written. */
struct zoned {
	struct f2fs_device *memory;
	uint64_t pointers[ZONES];
};

static int read_zoned(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	return f2fs_device_readv(((struct zoned *)self)->memory, offset, iov, count);
}

static int write_zoned(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct zoned *z = self;
	uint64_t end = offset;

	for (unsigned i = 0; i < count; i++)
		end += iov[i].length;
	if (end > z->pointers[offset / ZONE])
		z->pointers[offset / ZONE] = end;
	return f2fs_device_writev(z->memory, offset, iov, count);
}

static int report_zones(void *self, uint64_t first, struct f2fs_zone *zones, unsigned count, unsigned *found)
{
	const struct zoned *z = self;

	memset(zones, 0, count * sizeof(*zones));
	for (*found = 0; *found < count && first + *found < ZONES; ++*found) {
		const uint64_t i = first + *found;
		struct f2fs_zone *zone = &zones[*found];

		zone->start = i * ZONE;
		zone->length = zone->capacity = ZONE;
		zone->type = i < CONVENTIONAL ? F2FS_ZONE_CONVENTIONAL : F2FS_ZONE_SEQUENTIAL;
		zone->write_pointer = z->pointers[i];
		zone->empty = z->pointers[i] == i * ZONE;
	}
	return 0;
}

static int reset_zone(void *self, uint64_t offset)
{
	((struct zoned *)self)->pointers[offset / ZONE] = offset;
	return 0;
}

static unsigned found[20], found_count;

static int note(void *user, const struct f2fs_problem *problem)
{
	(void)user;
	if (found_count < 20)
		found[found_count++] = problem->info->id;
	return F2FS_DECIDE_SKIP;
}

static void check(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .problem = note };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };

	found_count = 0;
	assert_int_equal(f2fs_check(ctx, dev, &options, &result), 0);
}

static void pointers_are_compared(void **state)
{
	const struct f2fs_device_ops ops = {
		F2FS_SIZED(f2fs_device_ops),
		.read = read_zoned, .write = write_zoned, .zones = report_zones, .zone_reset = reset_zone
	};
	const struct f2fs_device_info info = {
		.size = SIZE, .zone_bytes = ZONE, .sector_size = 512, .caps = F2FS_DEVICE_WRITE | F2FS_DEVICE_ZONED
	};
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .zoned = 1 };
	struct f2fs_mkfs_device device = { 0 };
	struct zoned z = { 0 };
	struct f2fs_log_head head;
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	uint64_t *pointer, right;

	(void)state;
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	assert_int_equal(f2fs_device_open_memory(ctx, SIZE, &z.memory), 0);
	for (unsigned i = 0; i < ZONES; i++)
		z.pointers[i] = i * ZONE;
	assert_int_equal(f2fs_device_open_custom(ctx, &ops, &z, &info, &device.device), 0);
	assert_int_equal(f2fs_mkfs_write(ctx, &device, 1, &options, NULL), 0);
	assert_int_equal(f2fs_volume_open(ctx, device.device, NULL, &vol), 0);
	assert_int_equal(f2fs_volume_log(vol, F2FS_HOT_NODE, &head), 0);
	pointer = &z.pointers[(f2fs_volume_geometry(vol)->main_blkaddr + (uint64_t)head.segno * 512) * 4096 / ZONE];
	f2fs_volume_close(vol);
	check(ctx, device.device);
	assert_int_equal(found_count, 0);
	right = *pointer;
	*pointer += 4096;
	check(ctx, device.device);
	assert_int_equal(found_count, 1);
	assert_int_equal(found[0], P_ZONE_POINTER);
	*pointer = right - 4096;
	check(ctx, device.device);
	assert_int_equal(found_count, 2);
	assert_int_equal(found[0], P_ZONE_BEYOND);
	assert_int_equal(found[1], P_ZONE_POINTER);
	f2fs_device_close(device.device);
	f2fs_device_close(z.memory);
	f2fs_context_close(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(pointers_are_compared) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
