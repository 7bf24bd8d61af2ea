/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Slot areas of directories, scanning them, and the arithmetic of hash levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/dentry.h"
#include "unit/sample.h"

static uint8_t block[SAMPLE_BLOCK];

/* FORMAT files 3.3: payload -> slots, bitmap, offsets of entries and names. */
static const struct inline_row {
	uint32_t payload, slots, bitmap, entries, names;
} inlines[] = {
	{ 3688, 192, 24, 40, 2152 }, { 3488, 182, 23, 30, 2032 },    { 3484, 182, 23, 26, 2028 },
	{ 3476, 181, 23, 37, 2028 }, { 3464, 181, 23, 25, 2016 },    { 3652, 190, 24, 42, 2132 },
	{ 3452, 180, 23, 32, 2012 }, { 15776, 824, 103, 120, 9184 }, { 15740, 823, 103, 103, 9156 },
};

static void inline_areas_of_the_document(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(inlines) / sizeof(inlines[0]); i++) {
		struct dentry_inline_geometry g;

		dentry_inline_geometry(inlines[i].payload, &g);
		assert_int_equal(g.slots, inlines[i].slots);
		assert_int_equal(g.bitmap_size, inlines[i].bitmap);
		assert_int_equal(g.entry_offset, inlines[i].entries);
		assert_int_equal(g.name_offset, inlines[i].names);
	}
	/* the smallest payloads: no slot may be outside */
	for (uint32_t payload = 0; payload < 4000; payload++) {
		struct dentry_inline_geometry g;

		dentry_inline_geometry(payload, &g);
		assert_true(g.bitmap_size <= g.entry_offset);
		assert_true(g.bitmap_size * 8 >= g.slots);
		assert_true(g.entry_offset + 11 * g.slots == g.name_offset);
		assert_true(g.name_offset + 8 * g.slots == payload);
	}
}

/* Add an entry without asking whether it fits. */
static void put_entry(const struct f2fs_geometry *geo, uint32_t slot, const char *name, uint16_t len, f2fs_nid_t ino)
{
	uint8_t *entry = block + geo->dentry_offset + slot * dentry_SIZE;

	for (uint32_t i = 0; i < dentry_slots_of(len) && slot + i < geo->dentries_per_block; i++)
		lsb_set(block, slot + i);
	dentry_set_hash_code(entry, 0x11223344);
	dentry_set_ino(entry, ino);
	dentry_set_name_len(entry, len);
	dentry_set_file_type(entry, 1);
	memcpy(block + geo->dentry_name_offset + slot * DENTRY_SLOT_BYTES, name, strlen(name));
}

static void scan_follows_the_rule(void **state)
{
	struct f2fs_geometry geo;
	struct dentry_area area;
	struct dentry_ref ref;
	uint32_t slot = 0;

	(void)state;
	sample_geometry(&geo, 12, 0);
	memset(block, 0, sizeof(block));
	put_entry(&geo, 0, ".", 1, 4);
	put_entry(&geo, 1, "..", 2, 3);
	put_entry(&geo, 5, "a name of three slots", 21, 7);
	put_entry(&geo, 8, "deleted", 7, 9);
	lsb_clear(block, 8);
	put_entry(&geo, 9, "", 0, 9); /* a head without length is stepped over */
	put_entry(&geo, 10, "next", 4, 10);
	put_entry(&geo, 20, "too long", 256, 11);
	put_entry(&geo, 213, "last", 4, 12);
	dentry_area_of_block(&geo, block, &area);
	assert_int_equal(area.slots, 214);

	assert_int_equal(dentry_next(&area, &slot, &ref), DENTRY_FOUND);
	assert_int_equal(ref.ino, 4);
	assert_int_equal(dentry_next(&area, &slot, &ref), DENTRY_FOUND);
	assert_int_equal(ref.slot, 1);
	assert_int_equal(dentry_next(&area, &slot, &ref), DENTRY_FOUND);
	assert_int_equal(ref.slot, 5);
	assert_int_equal(ref.name_len, 21);
	assert_memory_equal(ref.name, "a name of three slots", 21);
	assert_int_equal(ref.hash, 0x11223344);
	assert_int_equal(ref.type, 1);
	assert_int_equal(slot, 8);
	assert_int_equal(dentry_next(&area, &slot, &ref), DENTRY_FOUND);
	assert_int_equal(ref.ino, 10);
	/* 256 bytes: bad, named by its slot; its 32 slots hold no further head */
	assert_int_equal(dentry_next(&area, &slot, &ref), DENTRY_BAD);
	assert_int_equal(ref.slot, 20);
	assert_int_equal(slot, 21);
	assert_int_equal(dentry_next(&area, &slot, &ref), DENTRY_FOUND);
	assert_int_equal(ref.ino, 12);
	assert_int_equal(dentry_next(&area, &slot, &ref), DENTRY_END);
	assert_int_equal(dentry_next(&area, &slot, &ref), DENTRY_END);
}

static void entries_that_run_over_the_end_are_bad(void **state)
{
	struct f2fs_geometry geo;
	struct dentry_area area;
	struct dentry_ref ref;

	(void)state;
	sample_geometry(&geo, 14, 0);
	for (uint32_t len = 1; len <= 255; len++) {
		uint32_t slots = (len + 7) / 8, at = geo.dentries_per_block - slots;

		memset(block, 0, sizeof(block));
		dentry_area_of_block(&geo, block, &area);
		put_entry(&geo, at, "x", (uint16_t)len, 3);
		assert_int_equal(dentry_next(&area, &at, &ref), DENTRY_FOUND);
		assert_int_equal(at, geo.dentries_per_block);
		memset(block, 0, sizeof(block));
		at = geo.dentries_per_block - slots + 1;
		if (at == geo.dentries_per_block)
			continue;
		put_entry(&geo, at, "x", (uint16_t)len, 3);
		assert_int_equal(dentry_next(&area, &at, &ref), DENTRY_BAD);
	}
}

/* Any bytes as a directory: the scan ends, and its results are inside. */
static void random_areas_are_survived(void **state)
{
	struct f2fs_geometry geo;

	(void)state;
	srand(11);
	for (unsigned round = 0; round < 600; round++) {
		struct dentry_area area;
		struct dentry_ref ref;
		uint32_t slot = 0, steps = 0;

		sample_geometry(&geo, round % 2 ? 12 : 14, F2FS_FEAT_EXTRA_ATTR);
		for (uint32_t i = 0; i < geo.block_size; i++)
			block[i] = (uint8_t)rand();
		if (round % 3) {
			struct inode_layout layout;

			inode_layout(&geo, block, &layout);
			dentry_area_of_inode(block, &layout, &area);
		} else {
			dentry_area_of_block(&geo, block, &area);
		}
		for (;;) {
			uint32_t before = slot;
			enum dentry_scan found = dentry_next(&area, &slot, &ref);

			if (found == DENTRY_END)
				break;
			assert_true(slot > before && slot <= area.slots);
			assert_true(++steps <= area.slots);
			if (found == DENTRY_FOUND)
				assert_true(ref.name + ref.name_len <= block + geo.block_size);
		}
	}
}

/* Compare room and hashes with a walk slot by slot. */
static void quick_answers_are_right(void **state)
{
	struct f2fs_geometry geo;
	struct dentry_area area;

	(void)state;
	srand(12);
	sample_geometry(&geo, 12, 0);
	dentry_area_of_block(&geo, block, &area);
	for (unsigned round = 0; round < 300; round++) {
		const uint32_t some = (uint32_t)rand() % area.slots;

		for (uint32_t i = 0; i < geo.block_size; i++)
			block[i] = (uint8_t)(rand() % 4 ? 0xff : rand());
		memset(block + geo.dentry_offset, 0x55, (size_t)area.slots * dentry_SIZE);
		dentry_set_hash_code(block + geo.dentry_offset + some * dentry_SIZE, 0x12345678);
		assert_true(dentry_may_have_hash(&area, 0x12345678));
		assert_true(dentry_may_have_hash(&area, 0x55555555));
		assert_false(dentry_may_have_hash(&area, 0x12345677));
		for (uint32_t count = 1; count <= 32; count++) {
			uint32_t expected = 0, n = 0;

			for (; expected + count <= area.slots; expected++) {
				for (n = 0; n < count && !lsb_test(block, expected + n); n++)
					;
				if (n == count)
					break;
			}
			assert_int_equal(dentry_find_room(&area, 0, count), n == count ? expected : area.slots);
		}
	}
	memset(block, 0, sizeof(block));
	assert_int_equal(dentry_find_room(&area, 0, area.slots), 0);
	assert_int_equal(dentry_find_room(&area, 0, area.slots + 1), area.slots);
}

/* FORMAT files 5.3. */
static void hash_levels(void **state)
{
	(void)state;
	for (unsigned l = 0; l < 30; l++) {
		assert_true(dentry_buckets(l, 0) == 1u << l);
		assert_true(dentry_bucket_start(l, 0, 0) == ((uint64_t)2 << l) - 2);
		/* the last bucket ends where the next level starts */
		assert_true(dentry_bucket_start(l, 0, (uint32_t)(dentry_buckets(l, 0) - 1)) + dentry_bucket_blocks(l) ==
			    dentry_bucket_start(l + 1, 0, 0));
	}
	assert_int_equal(dentry_bucket_blocks(30), 2);
	assert_int_equal(dentry_bucket_blocks(31), 4);
	assert_true(dentry_buckets(30, 0) == 1u << 30);
	assert_true(dentry_buckets(31, 0) == 1u << 30);
	assert_true(dentry_buckets(62, 255) == 1u << 30);
	assert_true(dentry_buckets(2, 3) == 32);
	/* names of the kernel's example: even hashes in blocks 2 and 3, odd ones in 4 and 5 */
	assert_true(dentry_bucket_start(1, 0, 0x6D0EA4C0) == 2);
	assert_true(dentry_bucket_start(1, 0, 0x6D0EA4C1) == 4);
	/* a directory that starts with 4 buckets */
	assert_true(dentry_bucket_start(0, 2, 7) == 6);
	assert_true(dentry_bucket_start(1, 2, 7) == 8 + 14);
	/* the deepest level does not overflow */
	assert_true(dentry_bucket_start(62, 255, 0xFFFFFFFF) < (uint64_t)1 << 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inline_areas_of_the_document),
		cmocka_unit_test(scan_follows_the_rule),
		cmocka_unit_test(entries_that_run_over_the_end_are_bad),
		cmocka_unit_test(random_areas_are_survived),
		cmocka_unit_test(quick_answers_are_right),
		cmocka_unit_test(hash_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
