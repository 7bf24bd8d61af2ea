/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of superblock and checkpoint pack when some are damaged, and the messages about it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/seed.h"
#include "format/checkpoint.h"
#include "format/flags.h"
#include "format/structs.h"

static struct seed seed;

static uint8_t *read_bytes(uint64_t offset, size_t n)
{
	static uint8_t bytes[4096];

	assert_int_equal(f2fs_device_read(seed.dev, offset, bytes, n), 0);
	return bytes;
}

/* Set a field of a superblock copy. */
static void set_superblock(unsigned copy, const char *field, uint64_t value)
{
	const struct f2fs_field *row = f2fs_field_find(f2fs_struct_find("superblock"), field);
	uint64_t offset = copy * 4096u + SB_OFFSET;
	uint8_t *sb = read_bytes(offset, sb_SIZE);

	f2fs_field_set(row, sb, 0, value);
	assert_int_equal(f2fs_device_write(seed.dev, offset, sb, sb_SIZE), 0);
}

static uint64_t pack_offset(unsigned pack)
{
	return (512 + (pack - 1) * 512) * (uint64_t)4096;
}

/* Set a field of a pack's first block, with a good checksum or without. */
static void set_checkpoint(unsigned pack, const char *field, uint64_t value, int seal)
{
	const struct f2fs_field *row = f2fs_field_find(f2fs_struct_find("checkpoint"), field);
	uint8_t *cp = read_bytes(pack_offset(pack), 4096);

	f2fs_field_set(row, cp, 0, value);
	if (seal)
		put_le32(cp + cp_checksum_offset(cp), checkpoint_crc(cp, 4096));
	assert_int_equal(f2fs_device_write(seed.dev, pack_offset(pack), cp, 4096), 0);
}

static int open_volume(int mode, int pack)
{
	struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options), .mode = mode, .pack = pack };

	f2fs_volume_close(seed.vol);
	seed.vol = NULL;
	return f2fs_volume_open(seed.ctx, seed.dev, &options, &seed.vol);
}

static const struct f2fs_error_detail *error(void)
{
	return f2fs_context_error(seed.ctx);
}

static int set_up(void **state)
{
	(void)state;
	seed_load(&seed, "plain");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	seed_close(&seed);
	return 0;
}

static void healthy_volume_has_no_notes(void **state)
{
	unsigned copy, pack;

	(void)state;
	assert_int_equal(open_volume(F2FS_MODE_STRICT, 0), 0);
	assert_null(f2fs_volume_note(seed.vol, 0));
	f2fs_volume_superblock(seed.vol, &copy);
	assert_int_equal(copy, 0);
	f2fs_volume_checkpoint(seed.vol, NULL, &pack);
	assert_in_range(pack, 1, 2);
	assert_int_equal(f2fs_volume_superblock_state(seed.vol, 0), 0);
	assert_int_equal(f2fs_volume_superblock_state(seed.vol, 1), 0);
	assert_int_equal(error()->code, 0);
}

/* One damaged copy: the other is used, and a note says so. */
static void check_fallback(unsigned damaged, int rule)
{
	unsigned copy;

	assert_int_equal(open_volume(F2FS_MODE_TOLERANT, 0), 0);
	f2fs_volume_superblock(seed.vol, &copy);
	assert_int_equal(copy, 1 - damaged);
	assert_int_equal(f2fs_volume_superblock_state(seed.vol, damaged), rule);
	assert_non_null(strstr(f2fs_volume_note(seed.vol, 0), "superblock"));
}

static void second_superblock_is_found(void **state)
{
	(void)state;
	set_superblock(0, "magic", 0);
	check_fallback(0, RULE_SB_MAGIC);
}

/* A damaged first copy says that blocks have 16 KiB; the second one is at 4 KiB all the same. */
static void second_superblock_is_found_in_spite_of_the_first(void **state)
{
	(void)state;
	set_superblock(0, "log_blocksize", 14);
	check_fallback(0, RULE_SB_SECTORSIZE);
}

static void damaged_second_superblock_is_reported(void **state)
{
	(void)state;
	set_superblock(1, "segment_count", 7);
	check_fallback(1, RULE_SB_SEGMENT_COUNT);
}

static void no_superblock(void **state)
{
	(void)state;
	set_superblock(0, "magic", 1);
	set_superblock(1, "magic", 2);
	assert_int_equal(open_volume(F2FS_MODE_TOLERANT, 0), F2FS_ERR_NOT_F2FS);
	assert_int_equal(error()->code, F2FS_ERR_NOT_F2FS);
	set_superblock(0, "magic", F2FS_MAGIC);
	set_superblock(0, "root_ino", 9);
	assert_int_equal(open_volume(F2FS_MODE_TOLERANT, 0), F2FS_ERR_CORRUPT);
	assert_string_equal(error()->rule, "SB_RESERVED_INO");
	assert_string_equal(error()->structure, "superblock");
}

static unsigned pack_in_use(void)
{
	unsigned pack;

	f2fs_volume_checkpoint(seed.vol, NULL, &pack);
	return pack;
}

static void older_pack_is_used_when_the_newer_is_broken(void **state)
{
	uint64_t newer_version, older_version;
	unsigned newer;

	(void)state;
	assert_int_equal(open_volume(F2FS_MODE_TOLERANT, 0), 0);
	newer = pack_in_use();
	f2fs_volume_pack_state(seed.vol, newer, &newer_version);
	f2fs_volume_pack_state(seed.vol, 3 - newer, &older_version);
	assert_true(newer_version > older_version);
	/* the checksum does not match: its last block says the same, but the kernel takes the older pack */
	set_checkpoint(newer, "elapsed_time", 12345, 0);
	assert_int_equal(open_volume(F2FS_MODE_STRICT, 0), 0);
	assert_int_equal(pack_in_use(), 3 - newer);
	assert_int_equal(open_volume(F2FS_MODE_TOLERANT, 0), 0);
	assert_int_equal(pack_in_use(), newer);
	assert_int_equal(f2fs_volume_pack_state(seed.vol, newer, NULL), RULE_CP_CRC);
	assert_non_null(strstr(f2fs_volume_note(seed.vol, 0), "checkpoint"));
	assert_int_equal(open_volume(F2FS_MODE_TOLERANT, (int)newer), F2FS_ERR_CORRUPT);
	assert_string_equal(error()->rule, "CP_CRC");
	/* the checksum does, but the contents do not hold */
	set_checkpoint(newer, "user_block_count", 0, 1);
	set_checkpoint(newer, "user_block_count", 0, 1);
	assert_int_equal(open_volume(F2FS_MODE_TOLERANT, (int)newer), F2FS_ERR_CORRUPT);
	assert_string_equal(error()->rule, "CP_USER_BLOCKS");
	assert_int_equal(open_volume(F2FS_MODE_TOLERANT, 0), 0);
	assert_int_equal(pack_in_use(), newer);
	/* the kernel would stop */
	assert_int_equal(open_volume(F2FS_MODE_STRICT, 0), F2FS_ERR_CORRUPT);
	/* neither */
	set_checkpoint(3 - newer, "elapsed_time", 12345, 0);
	assert_int_equal(open_volume(F2FS_MODE_TOLERANT, 0), F2FS_ERR_CORRUPT);
	assert_string_equal(error()->structure, "checkpoint");
	assert_int_equal(open_volume(F2FS_MODE_TOLERANT, 3), F2FS_ERR_INVALID);
}

static void unreadable_newer_pack(void **state)
{
	struct f2fs_fault_rule rule = { .bad_length = 4096 };
	struct f2fs_device *fault;
	unsigned newer;

	(void)state;
	assert_int_equal(open_volume(F2FS_MODE_TOLERANT, 0), 0);
	newer = pack_in_use();
	assert_int_equal(f2fs_device_open_fault(seed.dev, &fault), 0);
	rule.bad_offset = pack_offset(newer);
	f2fs_device_fault_set(fault, &rule);
	f2fs_device_close(seed.dev);
	seed.dev = fault;
	assert_int_equal(open_volume(F2FS_MODE_TOLERANT, 0), 0);
	assert_int_equal(pack_in_use(), newer); /* by its last block */
	assert_int_equal(f2fs_volume_pack_state(seed.vol, newer, NULL), F2FS_ERR_IO);
	/* both superblocks */
	rule.bad_offset = 0;
	rule.bad_length = 8192;
	f2fs_device_fault_set(fault, &rule);
	assert_int_equal(open_volume(F2FS_MODE_TOLERANT, 0), F2FS_ERR_IO);
	assert_int_equal(error()->code, F2FS_ERR_IO);
}

static void volume_within_a_disk(void **state)
{
	struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options), .offset = (1 << 20) + 512 };
	struct f2fs_device *disk;
	static uint8_t chunk[1 << 20];
	uint64_t size = f2fs_device_info(seed.dev)->size;

	(void)state;
	assert_int_equal(f2fs_device_open_memory(seed.ctx, size + (2 << 20), &disk), 0);
	for (uint64_t at = 0; at < size; at += sizeof(chunk)) {
		assert_int_equal(f2fs_device_read(seed.dev, at, chunk, sizeof(chunk)), 0);
		assert_int_equal(f2fs_device_write(disk, at + options.offset, chunk, sizeof(chunk)), 0);
	}
	f2fs_device_close(seed.dev);
	seed.dev = disk;
	assert_int_equal(open_volume(F2FS_MODE_TOLERANT, 0), F2FS_ERR_NOT_F2FS);
	assert_int_equal(f2fs_volume_open(seed.ctx, seed.dev, &options, &seed.vol), 0);
	assert_null(f2fs_volume_note(seed.vol, 0));
}

static void image_cut_short(void **state)
{
	struct f2fs_device *part;

	(void)state;
	assert_int_equal(f2fs_device_open_slice(seed.dev, 0, (uint64_t)40 << 20, &part), 0);
	f2fs_device_close(seed.dev);
	seed.dev = part;
	assert_int_equal(open_volume(F2FS_MODE_TOLERANT, 0), 0);
	assert_non_null(strstr(f2fs_volume_note(seed.vol, 0), "shorter"));
	f2fs_volume_close(seed.vol);
	seed.vol = NULL;
	assert_int_equal(f2fs_device_open_slice(seed.dev, 0, 3000, &part), 0);
	f2fs_device_close(seed.dev);
	seed.dev = part;
	assert_true(open_volume(F2FS_MODE_TOLERANT, 0) < 0);
}

int main(void)
{
#define VOLUME_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		VOLUME_TEST(healthy_volume_has_no_notes),
		VOLUME_TEST(second_superblock_is_found),
		VOLUME_TEST(second_superblock_is_found_in_spite_of_the_first),
		VOLUME_TEST(damaged_second_superblock_is_reported),
		VOLUME_TEST(no_superblock),
		VOLUME_TEST(older_pack_is_used_when_the_newer_is_broken),
		VOLUME_TEST(unreadable_newer_pack),
		VOLUME_TEST(volume_within_a_disk),
		VOLUME_TEST(image_cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
