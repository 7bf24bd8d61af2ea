/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Long writes that a worker does: reads, overwrites and commits meanwhile, and writes that fail. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <f2fskit/f2fskit.h>

#include "base/pool.h"
#include "common/test_host.h"

#define MIB (1u << 20)
#define SIZE (96u * MIB)
#define LONG (256u << 10)
#define MOST_ROUNDS 1000u

/* A device in memory that takes its time for long writes, and may fail one. */
static struct slow {
	uint8_t *bytes;
	pthread_t owner;
	unsigned behind; /* long writes by another thread */
	unsigned left;	 /* the long write that fails, counted down; 0: none */
	unsigned under_way;
	bool was_barrier_early; /* a flush came while something was under way */
} slow;

static struct f2fs_context *ctx;
static struct f2fs_volume *vol;
static uint8_t bytes[4 * MIB], back[4 * MIB];

static int slow_read(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	(void)self;
	for (unsigned i = 0; i < count; offset += iov[i++].length)
		memcpy(iov[i].base, slow.bytes + offset, iov[i].length);
	return 0;
}

static int slow_write(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	static const struct timespec pause = { .tv_nsec = 3000000 };

	(void)self;
	for (unsigned i = 0; i < count; offset += iov[i++].length) {
		const bool is_behind = !pthread_equal(pthread_self(), slow.owner);

		if (is_behind) {
			__atomic_add_fetch(&slow.under_way, 1, __ATOMIC_SEQ_CST);
			slow.behind++;
			nanosleep(&pause, NULL);
			__atomic_sub_fetch(&slow.under_way, 1, __ATOMIC_SEQ_CST);
		}
		if (iov[i].length >= LONG && slow.left > 0 && --slow.left == 0)
			return F2FS_ERR_IO;
		memcpy(slow.bytes + offset, iov[i].base, iov[i].length);
	}
	return 0;
}

static int slow_flush(void *self)
{
	(void)self;
	slow.was_barrier_early |= __atomic_load_n(&slow.under_way, __ATOMIC_SEQ_CST) > 0;
	return 0;
}

static struct f2fs_device *new_slow(void)
{
	static const struct f2fs_device_ops ops = { F2FS_SIZED(f2fs_device_ops),
						    .read = slow_read, .write = slow_write, .flush = slow_flush };
	const struct f2fs_device_info info = { .size = SIZE,
					       .sector_size = 512,
					       .caps = F2FS_DEVICE_WRITE | F2FS_DEVICE_PARALLEL |
						       F2FS_DEVICE_PARALLEL_WRITE | F2FS_DEVICE_ZEROED };
	struct f2fs_device *dev;

	assert_int_equal(f2fs_device_open_custom(ctx, &ops, &slow, &info, &dev), 0);
	return dev;
}

static void open_volume(void)
{
	struct f2fs_device *dev = new_slow();

	assert_int_equal(f2fs_volume_open(ctx, dev, NULL, &vol), 0);
	f2fs_device_close(dev);
}

static void format(struct test_host *host)
{
	static const uint8_t uuid[16] = { 9 };
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options),
						   .uuid = uuid, .has_time = 1, .time = 1, .checkpoint_version = 3 };
	struct f2fs_mkfs_device device = { 0 };

	test_host_init(host);
	assert_int_equal(f2fs_context_open(&host->host, &ctx), 0);
	memset(&slow, 0, sizeof(slow));
	slow.owner = pthread_self();
	slow.bytes = calloc(1, SIZE);
	assert_non_null(slow.bytes);
	device.device = new_slow();
	assert_int_equal(f2fs_mkfs_write(ctx, &device, 1, &options, NULL), 0);
	f2fs_device_close(device.device);
	open_volume();
}

static void finish(struct test_host *host)
{
	f2fs_volume_close(vol);
	f2fs_context_close(ctx);
	assert_int_equal(host->live, 0);
	free(slow.bytes);
}

static void fill(uint8_t seed, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(seed + i * 7 + (i >> 12));
}

static struct f2fs_inode *make(const char *name)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct f2fs_inode *root, *inode;

	assert_int_equal(f2fs_lookup(vol, "/", 0, &root), 0);
	assert_int_equal(f2fs_create(root, name, strlen(name), &spec, &inode), 0);
	f2fs_inode_close(root);
	return inode;
}

static void expect(struct f2fs_inode *inode, uint64_t offset, size_t size)
{
	size_t done;

	assert_int_equal(f2fs_inode_read(inode, offset, back, size, &done), 0);
	assert_int_equal(done, size);
	assert_memory_equal(back, bytes, size);
}

/* Blocks under way are read, freed and overwritten as if they were on the device. */
static void nobody_notices(void **state)
{
	const bool has_worker = pool_processors() > 1;
	struct test_host host;
	struct f2fs_inode *inode;

	(void)state;
	format(&host);
	inode = make("file");
	/* the owner does the work that no worker has begun: continue until a worker had the time for a write */
	for (unsigned round = 0; round < 6 || (has_worker && slow.behind == 0 && round < MOST_ROUNDS); round++) {
		fill((uint8_t)round, 4 * MIB);
		assert_int_equal(f2fs_inode_write(inode, 4 * MIB, bytes, 4 * MIB), 0);
		expect(inode, 4 * MIB, 4 * MIB);
		fill((uint8_t)(100 + round), 4 * MIB);
		/* freed at once: the next round takes the same blocks */
		assert_int_equal(f2fs_inode_write(inode, 4 * MIB, bytes, 4 * MIB), 0);
		assert_int_equal(f2fs_inode_truncate(inode, 0), 0);
	}
	fill(77, 4 * MIB);
	assert_int_equal(f2fs_inode_write(inode, 0, bytes, 4 * MIB), 0);
	f2fs_inode_close(inode);
	assert_int_equal(f2fs_volume_commit(vol), 0);
	assert_false(slow.was_barrier_early);
	assert_true(!has_worker || slow.behind > 0);
	f2fs_volume_close(vol);
	open_volume();
	assert_int_equal(f2fs_lookup(vol, "/file", 0, &inode), 0);
	expect(inode, 0, 4 * MIB);
	f2fs_inode_close(inode);
	finish(&host);
}

/* A write that fails: the commit, or a call before it, fails, and the volume is as it was. */
static void failures_are_reported(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 4; n++) {
		struct test_host host;
		struct f2fs_inode *inode;
		int err;

		format(&host);
		fill(1, MIB);
		inode = make("kept");
		assert_int_equal(f2fs_inode_write(inode, 0, bytes, MIB), 0);
		f2fs_inode_close(inode);
		assert_int_equal(f2fs_volume_commit(vol), 0);
		inode = make("lost");
		slow.left = n;
		err = f2fs_inode_write(inode, 0, bytes, 4 * MIB);
		for (unsigned i = 1; !err && i < 3; i++)
			err = f2fs_inode_write(inode, (uint64_t)i * 4 * MIB, bytes, 4 * MIB);
		assert_true(!err || err == F2FS_ERR_IO);
		f2fs_inode_close(inode);
		err = f2fs_volume_commit(vol);
		assert_true(err == F2FS_ERR_IO || err == F2FS_ERR_STATE);
		assert_int_equal(slow.left, 0);
		f2fs_volume_rollback(vol);
		assert_int_equal(f2fs_lookup(vol, "/lost", 0, &inode), F2FS_ERR_NOT_FOUND);
		assert_int_equal(f2fs_lookup(vol, "/kept", 0, &inode), 0);
		expect(inode, 0, MIB);
		assert_int_equal(f2fs_inode_write(inode, MIB, bytes, MIB), 0);
		assert_int_equal(f2fs_volume_commit(vol), 0);
		expect(inode, MIB, MIB);
		f2fs_inode_close(inode);
		finish(&host);
	}
}

/* A rollback waits for writes under way. */
static void discarding_waits(void **state)
{
	struct test_host host;
	struct f2fs_inode *inode;

	(void)state;
	format(&host);
	inode = make("file");
	fill(3, 4 * MIB);
	assert_int_equal(f2fs_inode_write(inode, 0, bytes, 4 * MIB), 0);
	assert_int_equal(f2fs_inode_write(inode, 4 * MIB, bytes, 4 * MIB), 0);
	f2fs_inode_close(inode);
	f2fs_volume_rollback(vol);
	assert_int_equal(slow.under_way, 0);
	finish(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_notices),
		cmocka_unit_test(failures_are_reported),
		cmocka_unit_test(discarding_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
