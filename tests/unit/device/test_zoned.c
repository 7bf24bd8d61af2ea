/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Zones of a block device: the kernel's requests are answered here (the linker puts the function below in the place of
 * ioctl), so that reports in pieces, capacities and every state of a zone are seen without such a disk. Then what
 * slices, sets, caches and overlays make of zones.
 */
#include "model.h"

#include <errno.h>
#include <linux/blkzoned.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <unistd.h>

#include "device/block.h"
#include "device/file.h"
#include "device/zoned.h"

#define ZONE (4u << 20)
#define ZONES 150u
#define SIZE ((uint64_t)ZONE * ZONES - 8192) /* the last zone is shorter */

/* The last request to the made-up disk, and its answers. */
static unsigned long last_request;
static struct blk_zone_range last_range;
static int answer_errno;
static int gives_capacity;

int __wrap_ioctl(int fd, unsigned long request, ...);

static void report_zone(uint64_t number, struct blk_zone *zone)
{
	static const uint8_t conditions[] = { BLK_ZONE_COND_EMPTY, BLK_ZONE_COND_IMP_OPEN, BLK_ZONE_COND_FULL,
					      BLK_ZONE_COND_CLOSED };

	zone->start = number * ZONE / 512;
	zone->len = (number == ZONES - 1 ? ZONE - 8192 : ZONE) / 512;
	zone->capacity = zone->len - 100;
	zone->type = number < 3	    ? BLK_ZONE_TYPE_CONVENTIONAL
		     : number < 100 ? BLK_ZONE_TYPE_SEQWRITE_REQ
				    : BLK_ZONE_TYPE_SEQWRITE_PREF;
	zone->cond = number < 3 ? BLK_ZONE_COND_NOT_WP : conditions[number % 4];
	zone->wp = number < 3 || number % 4 == 2 ? UINT64_MAX : zone->start + (number % 4 == 0 ? 0 : number);
}

static void report_zones(struct blk_zone_report *report)
{
	const uint64_t first = report->sector / (ZONE / 512);
	/* A kernel may give fewer than were asked for. */
	const unsigned room = report->nr_zones < 50 ? report->nr_zones : 50;

	report->flags = gives_capacity ? BLK_ZONE_REP_CAPACITY : 0;
	for (report->nr_zones = 0; report->nr_zones < room && first + report->nr_zones < ZONES; report->nr_zones++)
		report_zone(first + report->nr_zones, &report->zones[report->nr_zones]);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	(void)fd;
	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	errno = answer_errno;
	if (answer_errno != 0)
		return -1;
	if (request == BLKGETSIZE64) {
		*(uint64_t *)arg = SIZE;
	} else if (request == BLKSSZGET) {
		*(int *)arg = 4096;
	} else if (request == BLKGETZONESZ) {
		*(uint32_t *)arg = ZONE / 512;
	} else if (request == BLKREPORTZONE) {
		report_zones(arg);
	} else {
		last_request = request;
		memcpy(&last_range, arg, sizeof(last_range));
	}
	return 0;
}

static void make_disk(struct test_host *host, struct f2fs_device **dev)
{
	char path[64];
	int fd;

	answer_errno = 0;
	test_host_init(host);
	test_path(path);
	assert_int_equal(truncate(path, (off_t)SIZE), 0);
	assert_int_equal(f2fs_device_open(host->ctx, path, F2FS_OPEN_WRITE, dev), 0);
	fd = dup(((const struct hostfile *)(*dev)->self)->fd);
	assert_true(fd >= 0);
	f2fs_device_close(*dev);
	unlink(path);
	assert_int_equal(block_make_device(host->ctx, "the disk", fd, F2FS_DEVICE_WRITE, -1, dev), 0);
}

static void check_zone(const struct f2fs_zone *zone, uint64_t number, uint64_t shift)
{
	const uint64_t start = number * ZONE;
	const uint64_t length = number == ZONES - 1 ? ZONE - 8192 : ZONE;

	assert_int_equal(zone->start, start - shift);
	assert_int_equal(zone->length, length);
	assert_int_equal(zone->capacity, gives_capacity ? length - 51200 : length);
	assert_int_equal(zone->type, number < 3	    ? F2FS_ZONE_CONVENTIONAL
				     : number < 100 ? F2FS_ZONE_SEQUENTIAL
						    : F2FS_ZONE_SEQUENTIAL_PREFERRED);
	assert_int_equal(zone->empty, number >= 3 && number % 4 == 0);
	assert_int_equal(zone->full, number >= 3 && number % 4 == 2);
	if (number < 3 || number % 4 == 0)
		assert_int_equal(zone->write_pointer, start - shift);
	else if (number % 4 == 2)
		assert_int_equal(zone->write_pointer, start + length - shift);
	else
		assert_int_equal(zone->write_pointer, start + number * 512 - shift);
}

static void zones_are_reported(void **state)
{
	struct f2fs_zone zones[ZONES + 10];
	struct f2fs_device *dev;
	struct test_host host;
	unsigned found;

	(void)state;
	for (gives_capacity = 0; gives_capacity < 2; gives_capacity++) {
		make_disk(&host, &dev);
		assert_int_equal(f2fs_device_info(dev)->zone_bytes, ZONE);
		assert_int_equal(f2fs_device_info(dev)->sector_size, 4096);
		assert_true(f2fs_device_info(dev)->caps & F2FS_DEVICE_ZONED);
		assert_int_equal(f2fs_device_zones(dev, 0, zones, ZONES + 10, &found), 0);
		assert_int_equal(found, ZONES);
		for (unsigned i = 0; i < ZONES; i++)
			check_zone(&zones[i], i, 0);
		assert_int_equal(f2fs_device_zones(dev, 60, zones, 71, &found), 0);
		assert_int_equal(found, 71);
		for (unsigned i = 0; i < found; i++)
			check_zone(&zones[i], 60 + i, 0);
		assert_int_equal(f2fs_device_zones(dev, ZONES, zones, 5, &found), 0);
		assert_int_equal(found, 0);
		f2fs_device_close(dev);
		test_host_fini(&host);
	}
}

static void zones_are_changed_as_a_whole(void **state)
{
	struct f2fs_device *dev;
	struct test_host host;

	(void)state;
	make_disk(&host, &dev);
	assert_int_equal(f2fs_device_zone_reset(dev, 7 * (uint64_t)ZONE + 4096), 0);
	assert_int_equal(last_request, BLKRESETZONE);
	assert_int_equal(last_range.sector, 7 * ZONE / 512);
	assert_int_equal(last_range.nr_sectors, ZONE / 512);
	assert_int_equal(f2fs_device_zone_finish(dev, (ZONES - 1) * (uint64_t)ZONE), 0);
	assert_int_equal(last_request, BLKFINISHZONE);
	assert_int_equal(last_range.nr_sectors, (ZONE - 8192) / 512);
	assert_int_equal(f2fs_device_zone_reset(dev, SIZE), F2FS_ERR_RANGE);
	answer_errno = EIO;
	assert_int_equal(f2fs_device_zone_reset(dev, 0), F2FS_ERR_IO);
	assert_non_null(strstr(f2fs_context_error(host.ctx)->message, "the disk"));
	f2fs_device_close(dev);
	test_host_fini(&host);
}

/* Whole sectors only go to the kernel; ranges that it refuses are written. */
static void ranges_are_whole_sectors(void **state)
{
	struct f2fs_device *dev;
	struct test_host host;
	uint8_t bytes[3] = { 9, 9, 9 };

	(void)state;
	make_disk(&host, &dev);
	last_request = 0;
	assert_int_equal(f2fs_device_discard(dev, 4000, 100), 0);
	assert_int_equal(last_request, 0);
	assert_int_equal(f2fs_device_discard(dev, 4000, 9000), 0);
	assert_int_equal(last_request, BLKDISCARD);
	assert_int_equal(last_range.sector, 4096);
	assert_int_equal(last_range.nr_sectors, 8192);
	assert_int_equal(f2fs_device_zero(dev, 8192, 4096), 0);
	assert_int_equal(last_request, BLKZEROOUT);
	assert_int_equal(last_range.sector, 8192);
	assert_int_equal(f2fs_device_write(dev, 100, bytes, 3), 0);
	last_request = 0;
	assert_int_equal(f2fs_device_zero(dev, 101, 1), 0);
	assert_int_equal(last_request, 0);
	answer_errno = EOPNOTSUPP;
	assert_int_equal(f2fs_device_discard(dev, 0, 4096), 0);
	assert_int_equal(f2fs_device_write(dev, 8192, bytes, 3), 0);
	assert_int_equal(f2fs_device_zero(dev, 8192, 4096), 0);
	assert_int_equal(f2fs_device_read(dev, 8192, bytes, 3), 0);
	assert_memory_equal(bytes, "\0\0\0", 3);
	answer_errno = 0;
	assert_int_equal(f2fs_device_read(dev, 100, bytes, 3), 0);
	assert_memory_equal(bytes, "\11\0\11", 3);
	f2fs_device_close(dev);
	test_host_fini(&host);
}

static void windows_shift_zones(void **state)
{
	struct f2fs_zone zones[ZONES];
	struct f2fs_device *dev, *slice;
	struct test_host host;
	unsigned found;

	(void)state;
	gives_capacity = 0;
	make_disk(&host, &dev);
	assert_int_equal(f2fs_device_open_slice(dev, 5 * (uint64_t)ZONE, 20 * (uint64_t)ZONE, &slice), 0);
	assert_int_equal(f2fs_device_zones(slice, 0, zones, ZONES, &found), 0);
	assert_int_equal(found, 20);
	for (unsigned i = 0; i < found; i++)
		check_zone(&zones[i], 5 + i, 5 * (uint64_t)ZONE);
	assert_int_equal(f2fs_device_zones(slice, 20, zones, 1, &found), 0);
	assert_int_equal(found, 0);
	assert_int_equal(f2fs_device_zone_reset(slice, ZONE), 0);
	assert_int_equal(last_range.sector, 6 * ZONE / 512);
	f2fs_device_close(slice);
	/* Cut through a zone there are none. */
	assert_int_equal(f2fs_device_open_slice(dev, 4096, 0, &slice), 0);
	assert_false(f2fs_device_info(slice)->caps & F2FS_DEVICE_ZONED);
	assert_int_equal(f2fs_device_info(slice)->zone_bytes, 0);
	assert_int_equal(f2fs_device_zones(slice, 0, zones, 1, &found), F2FS_ERR_UNSUPPORTED);
	assert_int_equal(f2fs_device_zone_reset(slice, 0), F2FS_ERR_UNSUPPORTED);
	f2fs_device_close(slice);
	f2fs_device_close(dev);
	test_host_fini(&host);
}

static void sets_join_zones(void **state)
{
	struct f2fs_zone zones[2 * ZONES];
	struct f2fs_device_part parts[3];
	struct f2fs_device *dev, *memory, *multi;
	struct test_host host;
	unsigned found;

	(void)state;
	gives_capacity = 0;
	make_disk(&host, &dev);
	assert_int_equal(f2fs_device_open_memory(host.ctx, 1000000, &memory), 0);
	parts[0] = (struct f2fs_device_part){ memory, 10, 999990 };
	parts[1] = (struct f2fs_device_part){ dev, 4 * (uint64_t)ZONE, 10 * (uint64_t)ZONE };
	parts[2] = (struct f2fs_device_part){ memory, 0, 5 };
	assert_int_equal(f2fs_device_open_multi(host.ctx, parts, 3, &multi), 0);
	assert_int_equal(f2fs_device_info(multi)->zone_bytes, ZONE);
	assert_int_equal(f2fs_device_info(multi)->sector_size, 4096);
	assert_int_equal(f2fs_device_zones(multi, 0, zones, ZONES, &found), 0);
	assert_int_equal(found, 12);
	assert_int_equal(zones[0].length, 999990);
	assert_int_equal(zones[0].type, F2FS_ZONE_CONVENTIONAL);
	for (unsigned i = 1; i < 11; i++) {
		zones[i].start -= 999990;
		zones[i].write_pointer -= 999990;
		check_zone(&zones[i], 3 + i, 4 * (uint64_t)ZONE);
	}
	assert_int_equal(zones[11].start, 999990 + 10 * (uint64_t)ZONE);
	assert_int_equal(f2fs_device_zones(multi, 9, zones, 2, &found), 0);
	assert_int_equal(found, 2);
	assert_int_equal(zones[0].start, 999990 + 8 * (uint64_t)ZONE);
	assert_int_equal(f2fs_device_zone_reset(multi, 999990 + ZONE), 0);
	assert_int_equal(last_range.sector, 5 * ZONE / 512);
	assert_int_equal(f2fs_device_zone_reset(multi, 0), F2FS_ERR_UNSUPPORTED);
	f2fs_device_close(multi);
	parts[1].offset = 4096;
	assert_int_equal(f2fs_device_open_multi(host.ctx, parts, 3, &multi), F2FS_ERR_INVALID);
	f2fs_device_close(memory);
	f2fs_device_close(dev);
	test_host_fini(&host);
}

static int check_change(void *user, uint64_t offset, uint64_t length)
{
	(void)user;
	assert_true(offset == 5 * (uint64_t)ZONE || offset == (ZONES - 1) * (uint64_t)ZONE);
	assert_int_equal(length, offset == 5 * (uint64_t)ZONE ? ZONE : ZONE - 8192);
	return 0;
}

/* Without memory a disk is not opened. */
static void survives_failing_allocations(void **state)
{
	struct f2fs_device *dev, *other = NULL;
	struct f2fs_zone zone;
	struct test_host host;
	unsigned found;

	(void)state;
	make_disk(&host, &dev);
	for (uint64_t n = 1; n <= 3; n++) {
		host.fail_at = host.calls + n;
		assert_int_equal(block_make_device(host.ctx, "the disk", 0, 0, -1, &other), F2FS_ERR_NOMEM);
		assert_null(other);
	}
	host.fail_at = 0;
	answer_errno = EIO;
	assert_int_equal(f2fs_device_zones(dev, 0, &zone, 1, &found), F2FS_ERR_IO);
	f2fs_device_close(dev);
	test_host_fini(&host);
}

/* A reset changes contents: a cache forgets, an overlay keeps it to itself. */
static void layers_know_of_resets(void **state)
{
	struct f2fs_device *dev, *cache, *overlay;
	struct test_host host;
	unsigned found;
	struct f2fs_zone zone;
	uint8_t byte = 0;

	(void)state;
	make_disk(&host, &dev);
	assert_int_equal(f2fs_device_open_cache(dev, 0, &cache), 0);
	assert_int_equal(f2fs_device_write(dev, 0, "a", 1), 0);
	assert_int_equal(f2fs_device_read(cache, 0, &byte, 1), 0);
	assert_int_equal(byte, 'a');
	assert_int_equal(f2fs_device_write(dev, 0, "b", 1), 0);
	assert_int_equal(f2fs_device_zone_reset(cache, 0), 0);
	assert_int_equal(f2fs_device_read(cache, 0, &byte, 1), 0);
	assert_int_equal(byte, 'b');
	f2fs_device_close(cache);
	assert_int_equal(f2fs_device_open_overlay(dev, 0, NULL, &overlay), 0);
	assert_int_equal(f2fs_device_zones(overlay, 7, &zone, 1, &found), 0);
	last_request = 0;
	assert_int_equal(f2fs_device_zone_reset(overlay, 4096), F2FS_ERR_INVALID); /* has no write pointer */
	assert_int_equal(f2fs_device_zone_reset(overlay, 5 * (uint64_t)ZONE + 4096), 0);
	assert_int_equal(f2fs_device_read(overlay, 5 * (uint64_t)ZONE, &byte, 1), 0);
	assert_int_equal(byte, 0);
	assert_int_equal(f2fs_device_zones(overlay, 5, &zone, 1, &found), 0);
	assert_true(zone.empty && zone.write_pointer == zone.start);
	assert_int_equal(f2fs_device_write(overlay, 5 * (uint64_t)ZONE, "cd", 2), 0);
	assert_int_equal(f2fs_device_zones(overlay, 5, &zone, 1, &found), 0);
	assert_true(!zone.empty && zone.write_pointer == zone.start + 2);
	assert_int_equal(f2fs_device_zone_finish(overlay, 5 * (uint64_t)ZONE), 0);
	assert_int_equal(f2fs_device_zones(overlay, 5, &zone, 1, &found), 0);
	assert_true(zone.full && zone.write_pointer == zone.start + zone.length);
	assert_int_equal(last_request, 0);
	assert_int_equal(f2fs_device_zone_reset(overlay, SIZE - 1), 0);
	assert_int_equal(f2fs_device_overlay_changes(overlay, check_change, NULL), 0);
	assert_int_equal(f2fs_device_overlay_apply(overlay), F2FS_ERR_UNSUPPORTED);
	f2fs_device_close(overlay);
	f2fs_device_close(dev);
	test_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zones_are_reported),
		cmocka_unit_test(zones_are_changed_as_a_whole),
		cmocka_unit_test(ranges_are_whole_sectors),
		cmocka_unit_test(windows_shift_zones),
		cmocka_unit_test(sets_join_zones),
		cmocka_unit_test(layers_know_of_resets),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
