/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing compressed files: stored blocks, counts, reads after a commit, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/comp.h"
#include "common/fresh.h"
#include "format/cluster.h"
#include "format/inode.h"

#define FEATURES                                                                                                       \
	(F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_COMPRESSION | F2FS_FEAT_INODE_CHECKSUM | F2FS_FEAT_FLEXIBLE_INLINE_XATTR)

static struct fresh v;

/* Text that compresses, and differs from block to block. */
static uint8_t text_at(uint64_t at)
{
	return (uint8_t)((uint8_t) "the cat sat on the mat "[at % 23] + at / 4096 % 7);
}

static void fill_text(uint8_t *bytes, uint64_t from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = text_at(from + i);
}

static void fill_noise(uint8_t *bytes, size_t n)
{
	uint32_t state = 12345;

	for (size_t i = 0; i < n; i++) {
		state = state * 1664525u + 1013904223u;
		bytes[i] = (uint8_t)(state >> 24);
	}
}

static struct f2fs_inode *make_file(const char *name, const struct f2fs_compression *how)
{
	struct f2fs_inode *inode = fresh_make(&v, name, 0100644);

	assert_int_equal(f2fs_compress_set(inode, how), 0);
	return inode;
}

/* Summary of a file's clusters: kinds counted, and sums that i_blocks and i_compr_blocks must agree with. */
struct count {
	unsigned plain, packed, released, holes;
	uint64_t blocks, saved;
};

static void count_clusters(struct f2fs_inode *inode, struct count *out)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(v.vol);
	struct f2fs_stat st;
	uint32_t size;
	uint64_t end;

	assert_int_equal(f2fs_inode_stat(inode, &st), 0);
	memset(out, 0, sizeof(*out));
	size = 1u << st.log_cluster_size;
	end = (st.size + geo->block_size - 1) / geo->block_size;
	for (uint64_t at = 0; at < end; at += size) {
		uint8_t slots[4 * 256];
		struct cluster_shape shape;

		for (uint32_t i = 0; i < size; i++) {
			f2fs_blk_t addr;

			assert_int_equal(f2fs_inode_block(inode, at + i, &addr), 0);
			put_le32(slots + (size_t)i * 4, addr);
		}
		cluster_classify(geo, slots, size, &shape);
		assert_int_not_equal(shape.kind, CLUSTER_ILLEGAL);
		out->plain += shape.kind == CLUSTER_PLAIN;
		out->packed += shape.kind == CLUSTER_COMPRESSED;
		out->released += shape.kind == CLUSTER_RELEASED;
		out->holes += shape.kind == CLUSTER_HOLE;
		out->blocks += shape.stored + shape.reserved + (shape.kind == CLUSTER_COMPRESSED);
		if (shape.kind == CLUSTER_COMPRESSED)
			out->saved += size - shape.stored;
	}
}

/* The counters of the inode are those of its slots; nodes: besides the inode. */
static void check_counters(struct f2fs_inode *inode, unsigned nodes, struct count *out)
{
	const uint8_t *raw;

	count_clusters(inode, out);
	raw = f2fs_inode_raw(inode);
	assert_int_equal(inode_i_blocks(raw), 1 + nodes + out->blocks);
	assert_int_equal(extra_i_compr_blocks(raw + INODE_ADDR_OFFSET), out->saved);
}

static void check_contents(const char *path, const uint8_t *expected, size_t n)
{
	struct f2fs_inode *inode;
	uint8_t *bytes = malloc(n + 1);
	size_t done;

	assert_non_null(bytes);
	assert_int_equal(f2fs_lookup(v.vol, path, 0, &inode), 0);
	assert_int_equal(f2fs_inode_read(inode, 0, bytes, n + 1, &done), 0);
	assert_int_equal(done, n);
	assert_memory_equal(bytes, expected, n);
	f2fs_inode_close(inode);
	free(bytes);
}

static void all_algorithms_and_sizes(void **state)
{
	static const struct f2fs_compression ways[] = {
		{ F2FS_COMPRESS_LZO, 0, 2, 0 },	  { F2FS_COMPRESS_LZ4, 0, 3, 1 },   { F2FS_COMPRESS_LZ4, 9, 4, 0 },
		{ F2FS_COMPRESS_ZSTD, 0, 5, 1 },  { F2FS_COMPRESS_ZSTD, 19, 6, 0 }, { F2FS_COMPRESS_LZORLE, 0, 7, 1 },
		{ F2FS_COMPRESS_ZSTD, 22, 8, 1 }, { F2FS_COMPRESS_LZ4, 12, 8, 0 },
	};
	const size_t n = (3u << 20) + 5000;
	uint8_t *bytes = malloc(n);

	(void)state;
	assert_non_null(bytes);
	fill_text(bytes, 0, n);
	fresh_open(&v, 200 << 20, FEATURES);
	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct f2fs_inode *inode;
		struct count count;
		char name[20];

		if (!comp_can_compress(ways[i].algorithm))
			continue;
		snprintf(name, sizeof(name), "/way-%u", i);
		inode = make_file(name + 1, &ways[i]);
		/* in pieces that end anywhere */
		for (size_t at = 0; at < n; at += 333333)
			assert_int_equal(f2fs_inode_write(inode, at, bytes + at, n - at < 333333 ? n - at : 333333), 0);
		f2fs_inode_close(inode);
		fresh_reopen(&v);
		check_contents(name, bytes, n);
		assert_int_equal(f2fs_lookup(v.vol, name, 0, &inode), 0);
		check_counters(inode, ways[i].log_cluster >= 7, &count);
		assert_int_equal(count.packed, n >> 12 >> ways[i].log_cluster);
		assert_true(count.saved > count.blocks / 2);
		assert_int_equal(extra_i_compress_flag(f2fs_inode_raw(inode) + INODE_ADDR_OFFSET) & 0xff,
				 ways[i].checksum);
		f2fs_inode_close(inode);
	}
	fresh_close(&v);
	free(bytes);
}

/* Clusters that cannot be compressed, are incomplete, or have holes are stored as they are. */
static void plain_clusters(void **state)
{
	static const struct f2fs_compression how = { .algorithm = F2FS_COMPRESS_LZO };
	static uint8_t bytes[20 * 4096];
	struct f2fs_inode *inode;
	struct count count;

	(void)state;
	fresh_open(&v, 64 << 20, FEATURES);
	inode = make_file("f", &how);
	fill_noise(bytes, 4 * 4096);			/* cluster 0: noise */
	fill_text(bytes + 4 * 4096, 0, 4 * 4096 - 100); /* cluster 1: all but some bytes */
	fill_text(bytes + 16 * 4096, 0, 2 * 4096 + 10); /* cluster 4: in part; 2 and 3 are holes */
	assert_int_equal(f2fs_inode_write(inode, 0, bytes, 8 * 4096 - 100), 0);
	assert_int_equal(f2fs_inode_write(inode, 16 * 4096, bytes + 16 * 4096, 2 * 4096 + 10), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	check_counters(inode, 0, &count);
	assert_int_equal(count.packed, 1);
	assert_int_equal(count.plain, 2);
	assert_int_equal(count.holes, 2);
	check_contents("/f", bytes, 18 * 4096 + 10);
	f2fs_inode_close(inode);
	fresh_close(&v);
}

/* Changes in the middle, at the end, and cuts. */
static void changes(void **state)
{
	static const struct f2fs_compression how = { .algorithm = F2FS_COMPRESS_LZO, .log_cluster = 3, .checksum = 1 };
	static uint8_t bytes[40 * 4096];
	struct f2fs_inode *inode;
	struct count count;

	(void)state;
	fresh_open(&v, 64 << 20, FEATURES);
	inode = make_file("f", &how);
	fill_text(bytes, 0, sizeof(bytes));
	assert_int_equal(f2fs_inode_write(inode, 0, bytes, sizeof(bytes)), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	check_counters(inode, 0, &count);
	assert_int_equal(count.packed, 5);

	/* a few bytes over the border of two clusters: both are rewritten, still compressed */
	memset(bytes + 8 * 4096 - 3, '!', 7);
	assert_int_equal(f2fs_inode_write(inode, 8 * 4096 - 3, "!!!!!!!", 7), 0);
	check_contents("/f", bytes, sizeof(bytes));
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	check_counters(inode, 0, &count);
	assert_int_equal(count.packed, 5);

	/* noise in one: it is plain then */
	fill_noise(bytes + 16 * 4096, 8 * 4096);
	assert_int_equal(f2fs_inode_write(inode, 16 * 4096, bytes + 16 * 4096, 8 * 4096), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	check_counters(inode, 0, &count);
	assert_int_equal(count.packed, 4);
	assert_int_equal(count.plain, 1);

	/* a cut within a cluster leaves its start plain; growing again shows zeros */
	assert_int_equal(f2fs_inode_truncate(inode, 33 * 4096 + 5), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	check_counters(inode, 0, &count);
	assert_int_equal(count.packed, 3);
	assert_int_equal(count.plain, 2);
	assert_int_equal(f2fs_inode_truncate(inode, 36 * 4096), 0);
	memset(bytes + 33 * 4096 + 5, 0, 3 * 4096 - 5);
	fresh_reopen_keep(&v, &inode, "/f");
	check_contents("/f", bytes, 36 * 4096);

	/* a cut between clusters frees whole ones */
	assert_int_equal(f2fs_inode_truncate(inode, 8 * 4096), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	check_counters(inode, 0, &count);
	assert_int_equal(count.packed, 1);
	check_contents("/f", bytes, 8 * 4096);
	assert_int_equal(f2fs_inode_truncate(inode, 0), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	check_counters(inode, 0, &count);
	assert_int_equal(count.blocks, 0);
	f2fs_inode_close(inode);
	fresh_close(&v);
}

static void released(void **state)
{
	static const struct f2fs_compression how = { .algorithm = F2FS_COMPRESS_LZO };
	static uint8_t bytes[16 * 4096];
	struct f2fs_volume_stat before = { F2FS_SIZED(f2fs_volume_stat) }, after = { F2FS_SIZED(f2fs_volume_stat) };
	struct f2fs_inode *inode;
	struct count count;
	uint64_t blocks = 0;

	(void)state;
	fresh_open(&v, 64 << 20, FEATURES);
	inode = make_file("f", &how);
	assert_int_equal(f2fs_compress_release(inode, NULL), F2FS_ERR_ACCESS);
	fill_text(bytes, 0, sizeof(bytes));
	assert_int_equal(f2fs_inode_write(inode, 0, bytes, sizeof(bytes)), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	f2fs_volume_statfs(v.vol, &before);
	assert_int_equal(f2fs_compress_reserve(inode, NULL), F2FS_ERR_STATE);
	assert_int_equal(f2fs_compress_release(inode, &blocks), 0);
	assert_int_equal(blocks, 12);
	assert_int_equal(f2fs_compress_release(inode, NULL), F2FS_ERR_STATE);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	f2fs_volume_statfs(v.vol, &after);
	assert_int_equal(after.free_blocks, before.free_blocks + 12);
	check_counters(inode, 0, &count);
	assert_int_equal(count.released, 4);
	check_contents("/f", bytes, sizeof(bytes));
	assert_int_equal(f2fs_inode_write(inode, 0, "x", 1), F2FS_ERR_ACCESS);
	assert_int_equal(f2fs_inode_truncate(inode, 5), F2FS_ERR_INVALID);

	/* cut between clusters, then have the rest back */
	assert_int_equal(f2fs_inode_truncate(inode, 12 * 4096), 0);
	assert_int_equal(f2fs_compress_reserve(inode, &blocks), 0);
	assert_int_equal(blocks, 9);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	check_counters(inode, 0, &count);
	assert_int_equal(count.packed, 3);
	assert_int_equal(f2fs_inode_write(inode, 4000, "x", 1), 0);
	bytes[4000] = 'x';
	fresh_reopen_keep(&v, &inode, "/f");
	check_contents("/f", bytes, 12 * 4096);

	/* nothing stays counted when a released file goes */
	assert_int_equal(f2fs_compress_release(inode, NULL), 0);
	assert_int_equal(f2fs_inode_truncate(inode, 0), 0);
	assert_int_equal(f2fs_volume_commit(v.vol), 0);
	check_counters(inode, 0, &count);
	assert_int_equal(count.blocks, 0);
	assert_int_equal(inode_i_inline(f2fs_inode_raw(inode)) & FLAG_i_inline_compress_released, 0);
	f2fs_inode_close(inode);
	fresh_close(&v);
}

static void refusals(void **state)
{
	struct f2fs_compression how = { .algorithm = F2FS_COMPRESS_LZ4, .level = 2 };
	struct f2fs_inode *inode;

	(void)state;
	fresh_open(&v, 64 << 20, FEATURES);
	inode = fresh_make(&v, "f", 0100644);
	assert_int_equal(f2fs_compress_set(inode, &how), F2FS_ERR_INVALID);
	how.level = 0;
	how.log_cluster = 9;
	assert_int_equal(f2fs_compress_set(inode, &how), F2FS_ERR_INVALID);
	how.log_cluster = 1;
	assert_int_equal(f2fs_compress_set(inode, &how), F2FS_ERR_INVALID);
	how.log_cluster = 0;
	how.algorithm = 4;
	assert_int_equal(f2fs_compress_set(inode, &how), F2FS_ERR_INVALID);
	how.algorithm = F2FS_COMPRESS_LZO;
	assert_int_equal(f2fs_compress_release(inode, NULL), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_inode_write(inode, 0, "x", 1), 0);
	assert_int_equal(f2fs_compress_set(inode, &how), F2FS_ERR_INVALID);
	f2fs_inode_close(inode);
	fresh_close(&v);

	fresh_open(&v, 64 << 20, F2FS_FEAT_EXTRA_ATTR);
	inode = fresh_make(&v, "f", 0100644);
	assert_int_equal(f2fs_compress_set(inode, &how), F2FS_ERR_UNSUPPORTED);
	f2fs_inode_close(inode);
	fresh_close(&v);
	assert_int_equal(f2fs_compress_find("lzo-rle"), F2FS_COMPRESS_LZORLE);
	assert_int_equal(f2fs_compress_find("gzip"), -1);
	assert_string_equal(f2fs_compress_name(F2FS_COMPRESS_ZSTD), "zstd");
	assert_null(f2fs_compress_name(4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_algorithms_and_sizes),
		cmocka_unit_test(plain_clusters),
		cmocka_unit_test(changes),
		cmocka_unit_test(released),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
