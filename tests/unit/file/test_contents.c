/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contents, extents, metadata and attributes of files that the kernel wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/comp.h"
#include "base/sha.h"
#include "common/seed.h"

static struct seed seed;

static struct f2fs_inode *open_path(const char *path)
{
	struct f2fs_inode *inode;

	assert_int_equal(f2fs_lookup(seed.vol, path, 0, &inode), 0);
	return inode;
}

/* The pattern that the seeds are filled with. */
static uint8_t pattern(uint64_t at)
{
	return (uint8_t) "0123456789abcdef"[at % 16];
}

static void check_pattern(struct f2fs_inode *inode, uint64_t offset, size_t length, uint64_t from)
{
	uint8_t *bytes = malloc(length);
	size_t done;

	assert_non_null(bytes);
	assert_int_equal(f2fs_inode_read(inode, offset, bytes, length, &done), 0);
	assert_int_equal(done, length);
	for (size_t i = 0; i < length; i++)
		if (bytes[i] != pattern(offset + i - from))
			fail_msg("byte %zu of %zu", i, length);
	free(bytes);
}

/* Compare the SHA-256 of a file, computed together with other digests, with that of its bytes. */
static void check_digest(const char *path, size_t size, unsigned others)
{
	struct f2fs_digests found = { F2FS_SIZED(f2fs_digests) };
	struct f2fs_inode *inode = open_path(path);
	uint8_t bytes[9000], expected[SHA_MAX_SIZE];
	size_t done;

	assert_int_equal(f2fs_inode_read(inode, 0, bytes, sizeof(bytes), &done), 0);
	assert_int_equal(done, size);
	assert_int_equal(sha_digest(SHA_256, bytes, size, expected), 0);
	assert_int_equal(f2fs_inode_digest(inode, F2FS_DIGEST_SHA256 | others, &found), 0);
	assert_memory_equal(found.sha256, expected, sizeof(found.sha256));
	assert_int_equal(found.bytes, size);
	f2fs_inode_close(inode);
}

/* Digests stay ready from one file to the next, and other ones may be wanted. */
static void digests_in_turn(void **state)
{
	const unsigned others = f2fs_digest_available(F2FS_DIGEST_ALL) ? F2FS_DIGEST_ALL : 0;

	(void)state;
	assert_int_equal(seed_open(&seed, "plain", NULL), 0);
	check_digest("/tree/size-3000", 3000, 0);
	check_digest("/tree/size-9000", 9000, 0);
	check_digest("/tree/size-0", 0, 0);
	check_digest("/tree/size-5", 5, others);
	check_digest("/tree/size-3000", 3000, others);
	check_digest("/tree/size-9000", 9000, 0);
	seed_close(&seed);
}

static void files_of_all_sizes(void **state)
{
	static const unsigned sizes[] = { 0, 5, 3000, 4096, 9000 };

	(void)state;
	assert_int_equal(seed_open(&seed, "plain", NULL), 0);
	for (unsigned i = 0; i < 5; i++) {
		struct f2fs_inode *inode;
		struct f2fs_stat st;
		uint8_t bytes[10];
		size_t done = 99;
		char path[40];

		snprintf(path, sizeof(path), "/tree/size-%u", sizes[i]);
		inode = open_path(path);
		assert_int_equal(f2fs_inode_stat(inode, &st), 0);
		assert_true(st.size == sizes[i]);
		assert_int_equal(st.mode & 0170000, 0100000);
		if (sizes[i] > 0)
			check_pattern(inode, 0, sizes[i], 0);
		/* from the middle over the end, and past it */
		if (sizes[i] > 5) {
			check_pattern(inode, sizes[i] / 2 + 1, sizes[i] / 4, 0);
			assert_int_equal(f2fs_inode_read(inode, sizes[i] - 3, bytes, 10, &done), 0);
			assert_int_equal(done, 3);
		}
		assert_int_equal(f2fs_inode_read(inode, sizes[i], bytes, 10, &done), 0);
		assert_int_equal(done, 0);
		assert_int_equal(f2fs_inode_read(inode, UINT64_MAX, bytes, 10, &done), 0);
		assert_int_equal(done, 0);
		assert_int_equal(st.is_inline, sizes[i] <= 3000);
		f2fs_inode_close(inode);
	}
	seed_close(&seed);
}

static void holes_are_zeros(void **state)
{
	static uint8_t bytes[60000];
	struct f2fs_file_extent extent;
	struct f2fs_inode *inode;
	size_t done;

	(void)state;
	assert_int_equal(seed_open(&seed, "plain", NULL), 0);
	inode = open_path("/tree/hole");
	assert_int_equal(f2fs_inode_read(inode, 0, bytes, sizeof(bytes), &done), 0);
	assert_int_equal(done, 50005);
	for (size_t i = 0; i < 50000; i++)
		assert_int_equal(bytes[i], 0);
	assert_memory_equal(bytes + 50000, "after", 5);
	assert_int_equal(f2fs_inode_extent(inode, 0, &extent), 0);
	assert_int_equal(extent.kind, F2FS_EXTENT_HOLE);
	assert_true(extent.count == 12);
	assert_int_equal(f2fs_inode_extent(inode, 12, &extent), 0);
	assert_int_equal(extent.kind, F2FS_EXTENT_DATA);
	assert_true(extent.count == 1 && extent.addr != 0);
	assert_int_equal(f2fs_inode_extent(inode, 13, &extent), F2FS_ERR_NOT_FOUND);
	f2fs_inode_close(inode);
	seed_close(&seed);
}

/* A block in each region of the node tree, all else holes. */
static void blocks_at_every_border(void **state)
{
	static const uint64_t blocks[] = { 0, 922, 923, 1941, 2959, 1039283, 2075607, 1057052515 };
	struct f2fs_file_extent extent;
	struct f2fs_inode *inode;
	uint64_t at = 0, found = 0;
	size_t done;
	int rc;

	(void)state;
	assert_int_equal(seed_open(&seed, "borders", NULL), 0);
	inode = open_path("/all");
	while ((rc = f2fs_inode_extent(inode, at, &extent)) == 0) {
		assert_true(extent.file_block == at && extent.count > 0);
		if (extent.kind == F2FS_EXTENT_DATA)
			for (uint64_t i = 0; i < extent.count; i++)
				assert_true(found < 8 && blocks[found++] == at + i);
		at += extent.count;
	}
	assert_int_equal(rc, F2FS_ERR_NOT_FOUND);
	assert_true(found == 8 && at == 1057052516);
	for (unsigned i = 0; i < 8; i++) {
		uint8_t bytes[6];

		assert_int_equal(f2fs_inode_read(inode, blocks[i] * 4096, bytes, 5, &done), 0);
		assert_memory_equal(bytes, "block", 5);
		if (blocks[i] > 0) {
			assert_int_equal(f2fs_inode_read(inode, blocks[i] * 4096 - 3, bytes, 6, &done), 0);
			assert_memory_equal(bytes + 3, "blo", 3);
		}
	}
	f2fs_inode_close(inode);
	/* reserved past the end, and not part of the file */
	inode = open_path("/keep-size");
	assert_int_equal(f2fs_inode_extent(inode, 1, &extent), 0);
	assert_int_equal(extent.kind, F2FS_EXTENT_RESERVED);
	assert_true(extent.count == 9);
	f2fs_inode_close(inode);
	seed_close(&seed);
}

/* The nodes of that file, and reading it from within the visit, which must not disturb it. */
struct nodes {
	struct f2fs_inode *inode;
	uint32_t offsets[40];
	unsigned count;
};

static int take_node(void *user, const struct f2fs_node_info *node)
{
	struct nodes *nodes = user;
	f2fs_blk_t addr;

	assert_true(nodes->count < 40);
	nodes->offsets[nodes->count++] = node->node_offset;
	assert_int_equal(f2fs_inode_block(nodes->inode, nodes->count % 2 ? 2075607 : 2959, &addr), 0);
	return 0;
}

static void nodes_of_a_file(void **state)
{
	static const uint32_t wanted[] = { 0, 1, 2, 3, 4, 1022, 1023, 2041, 2042, 2043 };
	struct nodes nodes = { .count = 0 };

	(void)state;
	assert_int_equal(seed_open(&seed, "borders", NULL), 0);
	nodes.inode = open_path("/all");
	assert_int_equal(f2fs_inode_list_nodes(nodes.inode, take_node, &nodes), 0);
	assert_true(nodes.count >= 12);
	for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_int_equal(nodes.offsets[i], wanted[i]);
	for (unsigned i = 1; i < nodes.count; i++)
		assert_true(nodes.offsets[i] > nodes.offsets[i - 1]);
	f2fs_inode_close(nodes.inode);
	seed_close(&seed);
}

/* A build without the algorithm names its library, and gives no bytes. */
static void check_refused(struct f2fs_inode *inode, unsigned algorithm)
{
	uint8_t bytes[16];
	size_t done;

	assert_int_equal(f2fs_inode_read(inode, 0, bytes, sizeof(bytes), &done), F2FS_ERR_UNSUPPORTED);
	assert_non_null(strstr(f2fs_context_error(seed.ctx)->message, comp_why_not(algorithm)));
}

static void compressed_files(void **state)
{
	(void)state;
	assert_int_equal(seed_open(&seed, "compressed", NULL), 0);
	for (unsigned algorithm = 0; algorithm < 4; algorithm++) {
		for (unsigned log = 2; log <= 3; log++) {
			struct f2fs_inode *inode;
			struct f2fs_file_extent extent;
			struct f2fs_stat st;
			char path[40];

			snprintf(path, sizeof(path), "/file-%u-%u", algorithm, log);
			inode = open_path(path);
			assert_int_equal(f2fs_inode_stat(inode, &st), 0);
			assert_true(st.is_compressed);
			assert_int_equal(st.compress_algorithm, algorithm);
			assert_int_equal(st.log_cluster_size, log);
			assert_int_equal(f2fs_inode_extent(inode, 0, &extent), 0);
			assert_int_equal(extent.kind, F2FS_EXTENT_COMPRESSED);
			assert_true(extent.count == 1u << log && extent.stored < extent.count);
			if (!comp_can_decompress(algorithm)) {
				check_refused(inode, algorithm);
				f2fs_inode_close(inode);
				continue;
			}
			/* 2048 bytes of text, then the pattern; over the border of clusters and within one */
			check_pattern(inode, 2048, (size_t)4096 << log, 2048);
			check_pattern(inode, ((size_t)4096 << log) - 100, 200, 2048);
			check_pattern(inode, 5000, 1, 2048);
			f2fs_inode_close(inode);
		}
	}
	seed_close(&seed);
	if (!comp_can_decompress(COMP_LZ4))
		return;
	assert_int_equal(seed_open(&seed, "compressed-released", NULL), 0);
	for (unsigned i = 0; i < 2; i++) {
		struct f2fs_inode *inode = open_path(i ? "/kept" : "/released");

		check_pattern(inode, 0, i ? 50000 : 70000, 0);
		f2fs_inode_close(inode);
	}
	seed_close(&seed);
}

static void encrypted_contents_are_refused(void **state)
{
	struct f2fs_dirent entry;
	struct f2fs_inode *top, *inode;
	struct f2fs_dir *dir;
	unsigned files = 0, links = 0;
	uint8_t bytes[100];
	size_t done;

	(void)state;
	assert_int_equal(seed_open(&seed, "encrypted", NULL), 0);
	top = open_path("/v2-1");
	assert_int_equal(f2fs_dir_open(top, &dir), 0);
	while (f2fs_dir_next(dir, &entry) == 0) {
		assert_int_equal(f2fs_inode_open(seed.vol, entry.ino, &inode), 0);
		if (entry.type == F2FS_TYPE_REGULAR) {
			assert_int_equal(f2fs_inode_read(inode, 0, bytes, 10, &done), F2FS_ERR_ENCRYPTED);
			assert_non_null(strstr(f2fs_context_error(seed.ctx)->message, "AES-256-XTS"));
			assert_int_equal(f2fs_inode_read_raw(inode, 0, bytes, 100, &done), 0);
			files++;
		} else if (entry.type == F2FS_TYPE_SYMLINK) {
			struct f2fs_stat st;
			char target[500];

			assert_int_equal(f2fs_inode_stat(inode, &st), 0);
			assert_int_equal(f2fs_inode_readlink(inode, target, sizeof(target), &done), 0);
			assert_true(st.size == done && strlen(target) == done);
			links++;
		}
		f2fs_inode_close(inode);
	}
	assert_int_equal(files, 2);
	assert_int_equal(links, 1);
	f2fs_dir_close(dir);
	f2fs_inode_close(top);
	seed_close(&seed);
}

static void check_attribute(const char *path, const char *name, const void *value, size_t size)
{
	struct f2fs_inode *inode = open_path(path);
	struct f2fs_xattr x;

	assert_int_equal(f2fs_xattr_get(inode, name, &x), 0);
	assert_string_equal(x.name, name);
	assert_int_equal(x.value_size, size);
	assert_memory_equal(x.value, value, size);
	assert_int_equal(f2fs_xattr_get(inode, "user.absent", &x), F2FS_ERR_NO_ATTR);
	f2fs_inode_close(inode);
}

static void attributes(void **state)
{
	static const uint8_t acl[] = { 2, 0, 0,	  0,   1,   0,	 7,  0, 255, 255, 255, 255, 4,	 0,
				       5, 0, 255, 255, 255, 255, 32, 0, 0,   0,	  255, 255, 255, 255 };
	uint8_t large[2000];

	(void)state;
	for (size_t i = 0; i < sizeof(large); i++)
		large[i] = pattern(i);
	assert_int_equal(seed_open(&seed, "plain", NULL), 0);
	check_attribute("/tree/size-5", "user.color", "green", 5);
	check_attribute("/tree/size-0", "trusted.large", large, sizeof(large)); /* in a node of its own */
	check_attribute("/tree", "security.selinux", "label", 6);
	check_attribute("/tree", "system.posix_acl_default", acl, sizeof(acl));
	check_attribute("/tree/size-5", "system.advise", "\2", 1); /* a further link: LOST_PINO */
	seed_close(&seed);
}

static void damaged_attributes_are_reported_each_time(void **state)
{
	struct f2fs_nat_info nat;
	struct f2fs_inode *inode;
	struct f2fs_xattr x;
	uint8_t bytes[4] = { 1, 255, 255, 255 };

	(void)state;
	assert_int_equal(seed_open(&seed, "plain", NULL), 0);
	inode = open_path("/tree/size-5");
	assert_int_equal(f2fs_nat_lookup(seed.vol, f2fs_inode_number(inode), &nat), 0);
	f2fs_inode_close(inode);
	f2fs_volume_close(seed.vol);
	/* after user.color (16 bytes from 3876 on): an entry that does not fit; the checksum feature is off */
	assert_int_equal(f2fs_device_write(seed.dev, nat.block_addr * (uint64_t)4096 + 3892, bytes, 4), 0);
	assert_int_equal(f2fs_volume_open(seed.ctx, seed.dev, NULL, &seed.vol), 0);
	inode = open_path("/tree/size-5");
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(f2fs_xattr_count(inode), F2FS_ERR_CORRUPT);
		assert_string_equal(f2fs_context_error(seed.ctx)->rule, "XATTR_ENTRY");
		assert_int_equal(f2fs_xattr_get(inode, "user.absent", &x), F2FS_ERR_CORRUPT);
		assert_string_equal(f2fs_context_error(seed.ctx)->rule, "XATTR_ENTRY");
		/* what stands before the damage is there */
		assert_int_equal(f2fs_xattr_get(inode, "user.color", &x), 0);
		assert_int_equal(f2fs_context_error(seed.ctx)->code, 0);
	}
	f2fs_inode_close(inode);
	seed_close(&seed);
}

static void kinds_of_files(void **state)
{
	static const struct {
		const char *path;
		uint32_t mode, links, uid, gid;
	} rows[] = {
		{ "/tree/fifo", 0010644, 1, 0, 0 },	   { "/tree/device", 0020600, 1, 0, 0 },
		{ "/tree/second-name", 0100644, 2, 0, 0 }, { "/tree/size-0", 0100644, 1, 1000, 70000 },
		{ "/tree/sub", 0040755, 3, 0, 0 },	   { "/tree/short-link", 0120777, 1, 0, 0 },
	};

	(void)state;
	assert_int_equal(seed_open(&seed, "plain", NULL), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct f2fs_inode *inode = open_path(rows[i].path);
		struct f2fs_stat st;

		assert_int_equal(f2fs_inode_stat(inode, &st), 0);
		assert_int_equal(st.mode & 0170000, rows[i].mode & 0170000);
		assert_int_equal(st.nlink, rows[i].links);
		assert_int_equal(st.uid, rows[i].uid);
		assert_int_equal(st.gid, rows[i].gid);
		assert_true(st.mtime.seconds > 1500000000 && st.mtime.nanoseconds < 1000000000);
		if (strcmp(rows[i].path, "/tree/device") == 0) {
			assert_int_equal(st.rdev_major, 259);
			assert_int_equal(st.rdev_minor, 70000);
		}
		f2fs_inode_close(inode);
	}
	seed_close(&seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digests_in_turn),
		cmocka_unit_test(files_of_all_sizes),
		cmocka_unit_test(holes_are_zeros),
		cmocka_unit_test(blocks_at_every_border),
		cmocka_unit_test(nodes_of_a_file),
		cmocka_unit_test(compressed_files),
		cmocka_unit_test(encrypted_contents_are_refused),
		cmocka_unit_test(attributes),
		cmocka_unit_test(damaged_attributes_are_reported_each_time),
		cmocka_unit_test(kinds_of_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
