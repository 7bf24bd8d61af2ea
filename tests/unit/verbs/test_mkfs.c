/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * New volumes on one device: the bytes of the worked example (FORMAT volume 11), readers' results for volumes of each
 * kind, independence of the device's old contents, and refusals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <f2fskit/f2fskit.h>

#include "base/bytes.h"
#include "format/superblock.h"
#include "format/flags.h"
#include "format/structs.h"
#include "common/test_host.h"

#define MIB (1ull << 20)

static const uint8_t uuid[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
				  0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };

struct fixture {
	struct test_host host;
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
	struct f2fs_mkfs_options options;
	struct f2fs_mkfs_result result;
};

static struct f2fs_mkfs_options fixed_options(void)
{
	struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options),
					     .uuid = uuid, .checkpoint_version = 0x6B8B4567, .has_time = 1 };

	options.time = 1700000000;
	return options;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	test_host_init(&f->host);
	assert_int_equal(f2fs_context_open(&f->host.host, &f->ctx), 0);
	f->options = fixed_options();
	f->result.struct_size = sizeof(f->result);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	f2fs_volume_close(f->vol);
	f2fs_device_close(f->dev);
	f2fs_context_close(f->ctx);
	assert_int_equal(f->host.live, 0);
	free(f);
	return 0;
}

static void new_memory(struct fixture *f, uint64_t size)
{
	f2fs_volume_close(f->vol);
	f->vol = NULL;
	f2fs_device_close(f->dev);
	assert_int_equal(f2fs_device_open_memory(f->ctx, size, &f->dev), 0);
}

static int make(struct fixture *f)
{
	struct f2fs_mkfs_device device = { .device = f->dev };

	return f2fs_mkfs_write(f->ctx, &device, 1, &f->options, &f->result);
}

static void open_strictly(struct fixture *f)
{
	struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options), .mode = F2FS_MODE_STRICT };

	if (f2fs_volume_open(f->ctx, f->dev, &options, &f->vol) != 0)
		fail_msg("%s", f2fs_context_error(f->ctx)->message);
	assert_null(f2fs_volume_note(f->vol, 0));
}

static void make_well(struct fixture *f, uint64_t size)
{
	new_memory(f, size);
	if (make(f) != 0)
		fail_msg("%s", f2fs_context_error(f->ctx)->message);
	open_strictly(f);
}

static void read_block(struct fixture *f, f2fs_blk_t addr, uint8_t *block)
{
	assert_int_equal(f2fs_device_read(f->dev, (uint64_t)addr * 4096, block, 4096), 0);
}

static void test_worked_example(void **state)
{
	static const uint8_t nat_journal[] = { 1, 0, 3, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0x10, 0, 0 };
	static const uint8_t sit_journal[] = { 6, 0, 3, 0, 0, 0, 1, 0, 0x80 };
	struct fixture *f = *state;
	uint8_t block[4096], other[4096];

	make_well(f, 64 * MIB);
	read_block(f, 512, block);
	assert_int_equal(get_le64(block), 0x6B8B4567);
	assert_int_equal(get_le32(block + 132), 0x185);
	assert_int_equal(get_le32(block + 4092), 0x8BAADBCB);
	read_block(f, 517, other);
	assert_memory_equal(block, other, sizeof(block));
	read_block(f, 513, block);
	assert_memory_equal(block, nat_journal, sizeof(nat_journal));
	assert_memory_equal(block + 507, sit_journal, sizeof(sit_journal));
	read_block(f, 514, block);
	assert_int_equal(get_le32(block), 3);
	assert_int_equal(block[4091], 1);
	read_block(f, 1023, block);
	assert_int_equal(get_le64(block), 0x8BAADBCB6B8B4567);
	assert_int_equal(block[8], 0);
	assert_int_equal(block[72], 0xFE);
	assert_int_equal(block[73], 0xFF);
	read_block(f, 4096, block);
	assert_int_equal(get_le32(block + 360), 5632);
	assert_int_equal(get_le64(block + 4084), 1);
	assert_int_equal(get_le32(block + 4092), 4097);
	read_block(f, 5632, block);
	assert_int_equal(block[0], 3);
}

static void test_second_pack(void **state)
{
	struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options), .mode = F2FS_MODE_TOLERANT };
	struct fixture *f = *state;
	struct f2fs_nat_info entry;
	uint8_t zeros[8 * 4096] = { 0 };
	uint64_t version;
	size_t length;
	unsigned pack;

	make_well(f, 64 * MIB);
	assert_int_equal(f2fs_volume_pack_state(f->vol, 1, &version), 0);
	assert_int_equal(version, 0x6B8B4567);
	assert_int_equal(f2fs_volume_pack_state(f->vol, 2, &version), 0);
	assert_int_equal(version, 0x6B8B4566);
	f2fs_volume_close(f->vol);
	f->vol = NULL;
	/* the first pack is lost: the second says the same */
	assert_int_equal(f2fs_device_write(f->dev, 512 * 4096, zeros, sizeof(zeros)), 0);
	assert_int_equal(f2fs_volume_open(f->ctx, f->dev, &options, &f->vol), 0);
	f2fs_volume_checkpoint(f->vol, &length, &pack);
	assert_int_equal(pack, 2);
	assert_int_equal(f2fs_nat_lookup(f->vol, 3, &entry), 0);
	assert_int_equal(entry.block_addr, 4096);
}

/* A set of options that the readers look at. */
struct kind {
	uint64_t mib;
	uint32_t block_size, feature, segs_per_sec;
	uint8_t large_nat;
};

static const struct kind kinds[] = {
	{ 64, 0, 0, 0, 0 },
	{ 46, 0, 0, 0, 0 },
	{ 1024, 0, 0, 4, 0 },
	{ 1024, 0, 0, 0, 1 },
	{ 8 << 20, 0, F2FS_FEAT_SB_CHECKSUM, 0, 0 },
	{ 2 << 20, 0, F2FS_FEAT_QUOTA, 0, 1 },
	{ 512, 16384, F2FS_FEAT_LOST_FOUND | F2FS_FEAT_QUOTA, 0, 0 },
	{ 512, 16384, F2FS_FEAT_PACKED_SSA, 0, 0 },
	{ 512, 16384, F2FS_FEAT_RO, 0, 0 },
	{ 64, 0, F2FS_FEAT_RO | F2FS_FEAT_LOST_FOUND | F2FS_FEAT_QUOTA, 0, 0 },
	{ 64, 0, F2FS_FEAT_CASEFOLD, 0, 0 },
	{ 64, 0,
	  F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_PROJECT_QUOTA | F2FS_FEAT_QUOTA | F2FS_FEAT_INODE_CHECKSUM |
		  F2FS_FEAT_LOST_FOUND | F2FS_FEAT_FLEXIBLE_INLINE_XATTR,
	  0, 0 },
	{ 64, 0, F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_INODE_CRTIME | F2FS_FEAT_COMPRESSION, 0, 0 },
};

static void take_kind(struct fixture *f, const struct kind *k)
{
	f->options = fixed_options();
	f->options.block_size = k->block_size;
	f->options.feature = k->feature;
	f->options.segs_per_sec = k->segs_per_sec;
	f->options.large_nat = k->large_nat;
}

/* Every block of the volume is accounted for: the counts of the SIT, the checkpoint and the nodes agree. */
static void check_counts(struct fixture *f)
{
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	struct f2fs_log_head head;
	uint64_t valid = 0;

	f2fs_volume_statfs(f->vol, &st);
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		struct f2fs_segment_info entry;

		assert_int_equal(f2fs_volume_log(f->vol, i, &head), 0);
		if (head.segno != f->result.layout.logs[i])
			fail_msg("log %u is elsewhere", i);
		assert_int_equal(f2fs_sit_lookup(f->vol, head.segno, &entry), 0);
		if (!(f->options.feature & F2FS_FEAT_RO)) {
			assert_int_equal(entry.type, i);
			valid += entry.valid_blocks;
		} else if (i == F2FS_HOT_DATA || i == F2FS_HOT_NODE) {
			valid += entry.valid_blocks;
		}
	}
	assert_int_equal(st.valid_blocks, valid);
	assert_int_equal(st.valid_blocks, f->result.valid_blocks);
	assert_int_equal(st.valid_nodes, f->result.valid_nodes);
}

static void check_nodes(struct fixture *f)
{
	uint8_t *block = malloc(16384);
	unsigned found = 0;

	assert_non_null(block);
	for (f2fs_nid_t nid = 3; nid < 3 + f->result.valid_nodes + 4; nid++) {
		struct f2fs_nat_info entry;
		struct f2fs_block_identity id;

		assert_int_equal(f2fs_nat_lookup(f->vol, nid, &entry), 0);
		if (entry.block_addr == 0)
			continue;
		found++;
		assert_int_equal(f2fs_node_read(f->vol, nid, block), 0);
		assert_int_equal(f2fs_block_identify(f->vol, entry.block_addr, &id), 0);
		assert_true(id.is_valid && id.is_node && id.is_owned);
	}
	assert_int_equal(found, f->result.valid_nodes);
	free(block);
}

static void check_root(struct fixture *f)
{
	struct f2fs_inode *inode;
	struct f2fs_dirent entry;

	assert_int_equal(f2fs_lookup(f->vol, "/", 0, &inode), 0);
	assert_int_equal(f2fs_dir_lookup(inode, "..", 2, &entry), 0);
	assert_int_equal(entry.ino, 3);
	f2fs_inode_close(inode);
	if (!f->result.lost_found_ino)
		return;
	assert_int_equal(f2fs_lookup(f->vol, "/lost+found", 0, &inode), 0);
	assert_int_equal(f2fs_dir_lookup(inode, "..", 2, &entry), 0);
	assert_int_equal(entry.ino, 3);
	f2fs_inode_close(inode);
}

static void test_kinds(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		take_kind(f, &kinds[i]);
		make_well(f, kinds[i].mib * MIB);
		check_counts(f);
		check_nodes(f);
		check_root(f);
	}
}

/* The same volume comes out, whatever was there: nothing relies on zeros. */
static void test_dirty_device(void **state)
{
	struct fixture *f = *state;
	uint8_t *dirt = malloc(MIB);

	assert_non_null(dirt);
	memset(dirt, 0xA5, MIB);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].mib > 600)
			continue;
		take_kind(f, &kinds[i]);
		f->options.no_discard = 1;
		new_memory(f, kinds[i].mib * MIB);
		for (uint64_t at = 0; at < kinds[i].mib; at++)
			assert_int_equal(f2fs_device_write(f->dev, at * MIB, dirt, MIB), 0);
		assert_int_equal(make(f), 0);
		open_strictly(f);
		check_counts(f);
		check_nodes(f);
		check_root(f);
	}
	free(dirt);
}

struct seen {
	unsigned count;
	struct f2fs_quota quota;
};

static int note_quota(void *user, const struct f2fs_quota *quota)
{
	struct seen *seen = user;

	seen->count++;
	seen->quota = *quota;
	return 0;
}

static void test_quota(void **state)
{
	static const uint32_t ids[] = { 1000, 70000, 0 };
	struct fixture *f = *state;

	f->options.feature = F2FS_FEAT_QUOTA | F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_PROJECT_QUOTA | F2FS_FEAT_LOST_FOUND;
	f->options.root_uid = ids[0];
	f->options.root_gid = ids[1];
	make_well(f, 64 * MIB);
	for (unsigned kind = 0; kind < 3; kind++) {
		struct seen seen = { 0 };

		assert_int_equal(f2fs_quota_list(f->vol, kind, note_quota, &seen), 0);
		assert_int_equal(seen.count, 1);
		assert_int_equal(seen.quota.id, ids[kind]);
		assert_int_equal(seen.quota.inodes, 2);
		assert_int_equal(seen.quota.space_bytes, 2 * 4096);
	}
	assert_int_equal(f->result.quota_ino[0], 4);
	assert_int_equal(f->result.lost_found_ino, 7);
	/* project_quota alone: no files for users and groups */
	f->options.feature = F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_PROJECT_QUOTA;
	make_well(f, 64 * MIB);
	assert_int_equal(f->result.quota_ino[0], 0);
	assert_int_equal(f->result.quota_ino[2], 4);
}

static void test_texts(void **state)
{
	struct fixture *f = *state;
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	const uint8_t *sb;
	unsigned copy;

	f->options.label = "d\xc3\xa4 \xf0\x9f\x98\x80";
	f->options.cold_extensions = "foo, mp,seven77";
	f->options.hot_extensions = "x1";
	f->options.stamp = "a stamp";
	make_well(f, 64 * MIB);
	f2fs_volume_statfs(f->vol, &st);
	assert_string_equal(st.label, f->options.label);
	sb = f2fs_volume_superblock(f->vol, &copy);
	assert_int_equal(sb_extension_count(sb), 38); /* "mp" is there already */
	assert_int_equal(sb_hot_ext_count(sb), 5);
	assert_string_equal((const char *)sb_extension_list(sb) + 36 * 8, "foo");
	assert_string_equal((const char *)sb_extension_list(sb) + 37 * 8, "seven77");
	assert_string_equal((const char *)sb_extension_list(sb) + 38 * 8, "db");
	assert_string_equal((const char *)sb_extension_list(sb) + 42 * 8, "x1");
	assert_string_equal((const char *)sb_version(sb), "a stamp");
	assert_string_equal((const char *)sb_init_version(sb), "a stamp");
}

/* Without a host's clock and random numbers the substitutes are used; two volumes differ. */
static void test_random(void **state)
{
	struct fixture *f = *state;
	uint8_t first[16];
	uint64_t version;

	f->options = (struct f2fs_mkfs_options){ F2FS_SIZED(f2fs_mkfs_options) };
	make_well(f, 64 * MIB);
	memcpy(first, f->result.uuid, sizeof(first));
	version = f->result.checkpoint_version;
	assert_int_equal(first[6] >> 4, 4);
	assert_int_equal(first[8] >> 6, 2);
	assert_true((version & 1) && version <= 0x7FFFFFFF);
	make_well(f, 64 * MIB);
	assert_memory_not_equal(first, f->result.uuid, sizeof(first));
	assert_true(version != f->result.checkpoint_version);
}

static void expect_refusal(struct fixture *f, int code, const char *words)
{
	const struct f2fs_error_detail *error = f2fs_context_error(f->ctx);
	uint8_t zeros[4096] = { 0 }, block[4096];

	assert_int_equal(make(f), code);
	assert_int_equal(error->code, code);
	if (!strstr(error->message, words))
		fail_msg("'%s' lacks '%s'", error->message, words);
	/* nothing was written */
	for (f2fs_blk_t addr = 0; addr < 8; addr++) {
		read_block(f, addr, block);
		assert_memory_equal(block, zeros, sizeof(block));
	}
	f->options = fixed_options();
}

static void test_refusals(void **state)
{
	struct fixture *f = *state;
	char long_text[600];

	memset(long_text, 'x', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = '\0';
	new_memory(f, 64 * MIB);
	f->options.block_size = 8192;
	expect_refusal(f, F2FS_ERR_INVALID, "4096 or 16384");
	f->options.segs_per_sec = 8;
	expect_refusal(f, F2FS_ERR_NOSPC, "(272 MiB)");
	f->options.feature = F2FS_FEAT_COMPRESSION;
	expect_refusal(f, F2FS_ERR_UNSUPPORTED, "extra_attr");
	f->options.feature = 0x80000000;
	expect_refusal(f, F2FS_ERR_UNSUPPORTED, "unknown feature");
	f->options.zoned = 1;
	expect_refusal(f, F2FS_ERR_INVALID, "zoned");
	f->options.label = long_text;
	expect_refusal(f, F2FS_ERR_NAME_TOO_LONG, "label");
	f->options.label = "\xff";
	expect_refusal(f, F2FS_ERR_INVALID, "UTF-8");
	f->options.stamp = long_text;
	expect_refusal(f, F2FS_ERR_NAME_TOO_LONG, "stamp");
	f->options.hot_extensions = "eightlet";
	expect_refusal(f, F2FS_ERR_INVALID, "'eightlet'");
	f->options.cold_extensions = "a b c d e f g h i j k l m n o p q r s t u v w x y";
	expect_refusal(f, F2FS_ERR_INVALID, "more than 64");
	f->options.overprovision = 100;
	expect_refusal(f, F2FS_ERR_INVALID, "ratio");
	new_memory(f, (16ull << 40) + 512);
	expect_refusal(f, F2FS_ERR_TOO_BIG, "16 TiB");
}

static void test_sizes(void **state)
{
	struct fixture *f = *state;
	struct f2fs_mkfs_device device = { 0 };
	struct f2fs_layout layout;
	uint64_t smallest;

	assert_int_equal(f2fs_mkfs_minimum_size(f->ctx, &f->options, &smallest), 0);
	new_memory(f, smallest - 1);
	assert_int_equal(make(f), F2FS_ERR_NOSPC);
	make_well(f, smallest);
	/* part of a device */
	new_memory(f, 200 * MIB);
	device.device = f->dev;
	device.size = 100 * MIB;
	assert_int_equal(f2fs_mkfs_plan(f->ctx, &device, 1, &f->options, &layout), 0);
	assert_int_equal(layout.geometry.block_count, 25600);
	device.size = 201 * MIB;
	assert_int_equal(f2fs_mkfs_plan(f->ctx, &device, 1, &f->options, &layout), F2FS_ERR_INVALID);
}

/* Every allocation can fail, and then nothing is leaked and the error says so. */
static void test_memory(void **state)
{
	struct fixture *f = *state;
	uint64_t used, before;

	f->options.feature = F2FS_FEAT_QUOTA | F2FS_FEAT_LOST_FOUND;
	new_memory(f, 64 * MIB);
	before = f->host.allocations;
	assert_int_equal(make(f), 0);
	used = f->host.allocations - before;
	assert_true(used > 5);
	for (uint64_t n = 1; n <= used; n++) {
		new_memory(f, 64 * MIB);
		f->host.fail_at = f->host.allocations + n;
		assert_int_equal(make(f), F2FS_ERR_NOMEM);
		f->host.fail_at = 0;
	}
	assert_int_equal(f->host.failures, used);
	assert_true(f->host.peak < 4 * MIB);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_worked_example), TEST(test_second_pack), TEST(test_kinds),  TEST(test_dirty_device),
		TEST(test_quota),	   TEST(test_texts),	   TEST(test_random), TEST(test_refusals),
		TEST(test_sizes),	   TEST(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
