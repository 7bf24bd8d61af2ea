/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A device asks which log or stream writes each of its blocks, and its sums are the library's counters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <f2fskit/f2fskit.h>
#include <f2fskit/placement.h>

#include "common/fresh.h"

#define MIB (1u << 20)
#define BLOCK 4096u
#define STREAMS 3u
#define HINTS (1 + F2FS_LOG_COUNT + F2FS_STREAMS)

static struct fresh v;
static uint8_t bytes[64 * BLOCK];

/* The device: contents go below, and blocks are counted by hint. */
static struct {
	struct f2fs_device *inner;
	struct f2fs_volume *vol; /* NULL: not opened yet */
	uint64_t bytes[HINTS];
} seen;

static int seen_read(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	(void)self;
	return f2fs_device_readv(seen.inner, offset, iov, count);
}

static int seen_write(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	uint64_t at = offset;

	(void)self;
	for (unsigned i = 0; i < count && seen.vol; i++) {
		/* a part of a block, as of the last node of an fsync, is of that block */
		for (size_t done = 0; done < iov[i].length;) {
			const size_t left = iov[i].length - done, rest = (size_t)(BLOCK - at % BLOCK);
			const size_t n = left < rest ? left : rest;
			const unsigned hint = f2fs_volume_write_hint(seen.vol, (f2fs_blk_t)(at / BLOCK));

			assert_true(hint < HINTS);
			seen.bytes[hint] += n;
			done += n;
			at += n;
		}
	}
	return f2fs_device_writev(seen.inner, offset, iov, count);
}

static void seen_close(void *self)
{
	(void)self;
	f2fs_device_close(seen.inner);
}

static void begin(void)
{
	static const struct f2fs_device_ops ops = {
		F2FS_SIZED(f2fs_device_ops), .read = seen_read, .write = seen_write, .close = seen_close
	};
	struct f2fs_device_info info;

	memset(&seen, 0, sizeof(seen));
	fresh_open(&v, 128 * MIB, 0);
	f2fs_volume_close(v.vol);
	seen.inner = v.dev;
	info = *f2fs_device_info(v.dev);
	info.caps &= ~(uint32_t)(F2FS_DEVICE_PARALLEL | F2FS_DEVICE_PARALLEL_WRITE);
	fresh_need(&v, f2fs_device_open_custom(v.ctx, &ops, NULL, &info, &v.dev), "device");
	fresh_need(&v, f2fs_volume_open(v.ctx, v.dev, NULL, &v.vol), "open");
	seen.vol = v.vol;
}

static void end(void)
{
	seen.vol = NULL;
	fresh_close(&v);
}

/* Write n blocks of a new file. */
static void fill(const char *name, unsigned n)
{
	struct f2fs_inode *inode = fresh_make(&v, name, 0100644);

	for (unsigned i = 0; i < n; i++)
		fresh_need(&v, f2fs_inode_write(inode, (uint64_t)i * BLOCK, bytes, BLOCK), "write");
	fresh_need(&v, f2fs_fsync(inode, 0), "fsync");
	f2fs_inode_close(inode);
}

/* Hold the hints against the library's counters. */
static void must_add_up(void)
{
	struct f2fs_counters c = { F2FS_SIZED(f2fs_counters) };
	uint64_t data = 0, nodes = 0;

	f2fs_volume_counters(v.vol, &c);
	for (unsigned i = 1; i < HINTS; i++)
		*(i - 1 >= F2FS_HOT_NODE && i - 1 < F2FS_LOG_COUNT ? &nodes : &data) += seen.bytes[i];
	assert_int_equal(data, c.bytes[F2FS_WRITE_DATA] + c.bytes[F2FS_WRITE_MOVED_DATA]);
	assert_int_equal(nodes,
			 c.bytes[F2FS_WRITE_NODE] + c.bytes[F2FS_WRITE_CHAIN] + c.bytes[F2FS_WRITE_MOVED_NODE]);
	assert_int_equal(seen.bytes[0], c.bytes[F2FS_WRITE_NAT] + c.bytes[F2FS_WRITE_SIT] + c.bytes[F2FS_WRITE_SSA] +
						c.bytes[F2FS_WRITE_PACK]);
}

static void logs_are_named(void **state)
{
	(void)state;
	begin();
	fill("warm", 700);
	fill("cold.mp4", 900);
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	assert_int_equal(seen.bytes[1 + F2FS_WARM_DATA], 700 * BLOCK);
	assert_int_equal(seen.bytes[1 + F2FS_COLD_DATA], 900 * BLOCK);
	assert_true(seen.bytes[1 + F2FS_WARM_NODE] > 0 && seen.bytes[1 + F2FS_HOT_NODE] > 0);
	must_add_up();
	fresh_need(&v, f2fs_gc(v.vol, &(struct f2fs_gc_options){ F2FS_SIZED(f2fs_gc_options), .sections = 2,
								 .used_limit = 100 }, NULL), "gc");
	must_add_up();
	assert_int_equal(f2fs_volume_write_hint(v.vol, 0), 0);
	end();
}

static unsigned classify(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	(void)user;
	(void)ino;
	(void)old;
	return (unsigned)(file_block % STREAMS);
}

static void streams_are_named(void **state)
{
	const struct f2fs_placement placement = { F2FS_SIZED(f2fs_placement), .streams = STREAMS,
						  .classify = classify };
	struct f2fs_stream_stat stat = { F2FS_SIZED(f2fs_stream_stat) };

	(void)state;
	begin();
	fresh_need(&v, f2fs_volume_set_placement(v.vol, &placement), "set placement");
	fill("data", 5000); /* more than three segments for each stream, so that segments end within a transaction */
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	f2fs_volume_streams(v.vol, &stat);
	for (unsigned i = 0; i < STREAMS; i++) {
		assert_true(stat.blocks[i] > 3 * 512);
		assert_int_equal(seen.bytes[1 + F2FS_LOG_COUNT + i], stat.blocks[i] * BLOCK);
	}
	must_add_up();
	fresh_need(&v, f2fs_volume_set_placement(v.vol, NULL), "set placement");
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logs_are_named),
		cmocka_unit_test(streams_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
