/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hollow device against an array of bytes, its memory, its counts, and a file system on it. */
#include "model.h"

#include <f2fskit/f2fskit.h>

#include "cells.h"
#include "hollow.h"

#define SIZE (3u * 1024 * 1024)

static void agrees_with_array(void **state)
{
	struct test_host host;
	struct f2fs_device *dev;
	struct model m;

	(void)state;
	test_host_init(&host);
	assert_int_equal(lab_hollow_open(host.ctx, SIZE, &dev), 0);
	model_init(&m, dev, 0, SIZE, 1);
	model_compare(&m);
	model_run(&m, 3000);
	model_compare(&m);
	f2fs_device_close(dev);
	model_fini(&m);
	test_host_fini(&host);
}

/* Blocks with pieces of zeros in all places come back as they were, each over what another one left. */
static void keeps_odd_blocks(void **state)
{
	static uint8_t block[CELL_BLOCK], back[CELL_BLOCK];
	struct cells cells;
	struct cell *cell = NULL;
	uint64_t random = 5;

	(void)state;
	cells_init(&cells);
	for (unsigned round = 0; round < 2000; round++) {
		const uint64_t pieces = test_random(&random, 66);

		memset(block, pieces == 65 ? (int)test_random(&random, 256) : 0, sizeof(block));
		for (uint64_t i = 0; i < pieces % 65; i++)
			block[test_random(&random, sizeof(block))] = (uint8_t)test_random(&random, 256);
		assert_int_equal(cells_store(&cells, &cell, block), 0);
		cells_load(cell, back);
		assert_memory_equal(back, block, sizeof(block));
	}
	memset(block, 0, sizeof(block));
	assert_int_equal(cells_store(&cells, &cell, block), 0);
	assert_null(cell);
	cells_fini(&cells);
}

/* Zeros take nothing, one byte takes one piece; discarded or zeroed pieces are freed. */
static void takes_memory_for_contents_only(void **state)
{
	static uint8_t zeros[1 << 20];
	const uint64_t size = UINT64_C(8) << 40;
	struct lab_hollow_counts counts;
	struct test_host host;
	struct f2fs_device *dev;
	uint64_t table, length;
	uint8_t byte = 7;
	int hole;

	(void)state;
	test_host_init(&host);
	assert_int_equal(lab_hollow_open_counted(host.ctx, size, &counts, &dev), 0);
	table = counts.memory_bytes;
	for (uint64_t at = 0; at < size; at += size / 64)
		assert_int_equal(f2fs_device_write(dev, at, zeros, sizeof(zeros)), 0);
	assert_int_equal(counts.memory_bytes, table);
	assert_int_equal(counts.held_blocks, 0);
	assert_int_equal(f2fs_device_write(dev, size - 1, &byte, 1), 0);
	assert_int_equal(counts.held_blocks, 1);
	assert_int_equal(f2fs_device_extent(dev, 4096, &length, &hole), 0);
	assert_true(hole);
	assert_int_equal(length, size - 8192);
	assert_int_equal(f2fs_device_extent(dev, size - 4096, &length, &hole), 0);
	assert_false(hole);
	assert_int_equal(length, 4096);
	assert_int_equal(f2fs_device_discard(dev, 0, size), 0);
	assert_int_equal(counts.held_blocks, 0);
	assert_int_equal(counts.memory_bytes, table + (1 << 20)); /* the slab stays for the next block */
	f2fs_device_close(dev);
	test_host_fini(&host);
}

static void counts_requests(void **state)
{
	static uint8_t bytes[1 << 20];
	struct lab_hollow_counts counts;
	struct test_host host;
	struct f2fs_device *dev;

	(void)state;
	test_host_init(&host);
	assert_int_equal(lab_hollow_open_counted(host.ctx, SIZE, &counts, &dev), 0);
	assert_int_equal(f2fs_device_write(dev, 0, bytes, 4096), 0);
	assert_int_equal(f2fs_device_write(dev, 512, bytes, 8191), 0);
	assert_int_equal(f2fs_device_write(dev, 4096, bytes, 512 << 10), 0);
	assert_int_equal(f2fs_device_read(dev, 4096, bytes, 512), 0);
	assert_int_equal(f2fs_device_discard(dev, 0, 2 << 20), 0);
	assert_int_equal(f2fs_device_flush(dev), 0);
	assert_int_equal(counts.writes.count, 3);
	assert_int_equal(counts.writes.bytes, 4096 + 8191 + (512 << 10));
	assert_int_equal(counts.writes.by_size[3], 2);
	assert_int_equal(counts.writes.by_size[10], 1);
	assert_int_equal(counts.reads.by_size[0], 1);
	assert_int_equal(counts.discards.by_size[12], 1);
	assert_int_equal(counts.flushes, 1);
	f2fs_device_close(dev);
	test_host_fini(&host);
}

static void refuses_odd_sizes(void **state)
{
	struct test_host host;
	struct f2fs_device *dev;

	(void)state;
	test_host_init(&host);
	assert_int_equal(lab_hollow_open(host.ctx, 4095, &dev), F2FS_ERR_INVALID);
	assert_int_equal(lab_hollow_open(host.ctx, 0, &dev), F2FS_ERR_INVALID);
	assert_int_equal(lab_hollow_open(host.ctx, UINT64_MAX - 4095, &dev), F2FS_ERR_INVALID);
	test_host_fini(&host);
}

/* A volume of a tebibyte with a file of zeros: the volume opens again, and memory holds its metadata only. */
static void carries_a_volume(void **state)
{
	static uint8_t zeros[1 << 20];
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .label = "hollow" };
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct lab_hollow_counts counts;
	struct f2fs_mkfs_device device = { 0 };
	struct f2fs_inode *root, *file;
	struct f2fs_volume *vol;
	struct f2fs_stat stat;
	struct test_host host;

	(void)state;
	test_host_init(&host);
	assert_int_equal(lab_hollow_open_counted(host.ctx, UINT64_C(1) << 40, &counts, &device.device), 0);
	assert_int_equal(f2fs_mkfs_write(host.ctx, &device, 1, &options, NULL), 0);
	assert_int_equal(f2fs_volume_open(host.ctx, device.device, NULL, &vol), 0);
	assert_int_equal(f2fs_lookup(vol, "/", 0, &root), 0);
	assert_int_equal(f2fs_create(root, "file", 4, &spec, &file), 0);
	for (uint64_t at = 0; at < 64; at++)
		assert_int_equal(f2fs_inode_write(file, at << 20, zeros, sizeof(zeros)), 0);
	assert_int_equal(f2fs_volume_commit(vol), 0);
	f2fs_inode_close(file);
	f2fs_inode_close(root);
	f2fs_volume_close(vol);
	assert_int_equal(f2fs_volume_open(host.ctx, device.device, NULL, &vol), 0);
	assert_int_equal(f2fs_lookup(vol, "/file", 0, &file), 0);
	assert_int_equal(f2fs_inode_stat(file, &stat), 0);
	assert_int_equal(stat.size, 64 << 20);
	f2fs_inode_close(file);
	f2fs_volume_close(vol);
	assert_true(counts.writes.bytes > 64 << 20);
	assert_true(counts.memory_bytes < 12 << 20);
	f2fs_device_close(device.device);
	test_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_array), cmocka_unit_test(keeps_odd_blocks),
		cmocka_unit_test(takes_memory_for_contents_only), cmocka_unit_test(counts_requests),
		cmocka_unit_test(refuses_odd_sizes), cmocka_unit_test(carries_a_volume),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
