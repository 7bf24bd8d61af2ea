/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A check reads each block that it needs once, and each pass goes over the device in ascending order. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/fresh.h"
#include "common/read_log.h"

/* Passes that read: opening (superblocks, both ends of both packs), signatures of other systems, NAT, SIT, inodes,
 * other nodes with directories, each quota file, summaries (in the pack, too). */
#define MAX_DESCENTS 15
/* Files over several directories, each with a node of its own and blocks between those of others. */
#define FILES 1500

static void fill(struct fresh *f)
{
	static const uint8_t data[20000];
	struct f2fs_inode *dir = NULL, *file;

	for (unsigned i = 0; i < FILES; i++) {
		struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
		char name[32];

		if (i % 100 == 0) {
			f2fs_inode_close(dir);
			snprintf(name, sizeof(name), "directory-%u", i / 100);
			dir = fresh_make(f, name, 0040755);
		}
		snprintf(name, sizeof(name), "file-%u", i);
		assert_int_equal(f2fs_create(dir, name, strlen(name), &spec, &file), 0);
		assert_int_equal(f2fs_inode_write(file, 0, data, i % 3 ? 100 : sizeof(data)), 0);
		f2fs_inode_close(file);
		if (i % 500 == 499)
			assert_int_equal(f2fs_volume_commit(f->vol), 0);
	}
	file = fresh_make(f, "large", 0100644);
	for (unsigned i = 0; i < 500; i++)
		assert_int_equal(f2fs_inode_write(file, (uint64_t)i * sizeof(data), data, sizeof(data)), 0);
	f2fs_inode_close(file);
	f2fs_inode_close(dir);
	fresh_reopen(f);
}

struct counts {
	uint64_t distinct, again, again_in_main;
	unsigned descents;
};

static void count(const struct fresh *f, const struct read_request *requests, size_t n, struct counts *out)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(f->vol);
	uint8_t *seen = calloc((size_t)geo->end_blkaddr, 1);
	uint64_t end = 0;

	assert_non_null(seen);
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < n; i++) {
		const uint64_t first = requests[i].offset >> geo->block_bits;
		const uint64_t last = (requests[i].offset + requests[i].length - 1) >> geo->block_bits;

		out->descents += requests[i].offset < end;
		end = requests[i].offset + requests[i].length;
		for (uint64_t block = first; block <= last; block++) {
			if (seen[block] == 0)
				out->distinct++;
			else if (block >= geo->main_blkaddr)
				out->again_in_main++;
			else if (block >= geo->sit_blkaddr) /* the tables */
				out->again++;
			seen[block] = 1;
		}
	}
	free(seen);
}

static void each_block_is_read_once(void **state)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .threads = 1 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	const struct read_request *requests;
	struct f2fs_device *dev;
	struct read_log *log;
	struct counts c;
	struct fresh f;
	size_t n;

	(void)state;
	fresh_open(&f, 256 << 20, F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_QUOTA);
	fill(&f);
	dev = read_log_open(f.ctx, f.dev, &log);
	assert_int_equal(f2fs_check(f.ctx, dev, &options, &result), 0);
	assert_int_equal(result.state, F2FS_CHECK_SOUND);
	f2fs_device_close(dev);
	requests = read_log_requests(log, &n);
	count(&f, requests, n, &c);
	printf("%zu requests, %llu blocks, %llu of tables and %llu of the main area again, %u times back; %llu nodes\n",
	       n, (unsigned long long)c.distinct, (unsigned long long)c.again, (unsigned long long)c.again_in_main,
	       c.descents, (unsigned long long)result.nodes);
	assert_true(c.distinct >= result.nodes);
	/* the NAT is asked again for the quota files, one block */
	assert_true(c.again <= 1);
	/* gaps between inodes are read over, and may hold what another pass wants */
	assert_true(c.again_in_main * 50 <= c.distinct);
	assert_true(c.descents <= MAX_DESCENTS);
	read_log_free(log);
	fresh_close(&f);
}

/* A device that knows its reader. */
struct alone {
	struct f2fs_device *inner;
	pthread_t owner;
	bool is_shared;
};

static int read_alone(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct alone *alone = self;

	if (!pthread_equal(pthread_self(), alone->owner))
		alone->is_shared = true;
	return f2fs_device_readv(alone->inner, offset, iov, count);
}

/* Without F2FS_DEVICE_PARALLEL a device is read by the context's thread only, however many threads check. */
static void a_device_that_bears_one_thread_gets_one(void **state)
{
	static const struct f2fs_device_ops ops = { F2FS_SIZED(f2fs_device_ops), .read = read_alone };
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .threads = 4 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	struct f2fs_device_info info;
	struct f2fs_device *dev;
	struct alone alone;
	struct fresh f;

	(void)state;
	fresh_open(&f, 256 << 20, F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_QUOTA);
	fill(&f);
	alone = (struct alone){ f.dev, pthread_self(), false };
	info = *f2fs_device_info(f.dev);
	info.caps &= ~(uint32_t)(F2FS_DEVICE_WRITE | F2FS_DEVICE_PARALLEL);
	assert_int_equal(f2fs_device_open_custom(f.ctx, &ops, &alone, &info, &dev), 0);
	assert_int_equal(f2fs_check(f.ctx, dev, &options, &result), 0);
	assert_int_equal(result.state, F2FS_CHECK_SOUND);
	assert_false(alone.is_shared);
	f2fs_device_close(dev);
	fresh_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_block_is_read_once),
					    cmocka_unit_test(a_device_that_bears_one_thread_gets_one) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
