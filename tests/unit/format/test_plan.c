/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Layouts against numbers read from volumes that f2fs-tools' mkfs.f2fs made (FORMAT volume 3.5, 3.7, 3.8, 9.3), and the
 * refusals. The ratios are given with two decimals there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "format/geometry.h"
#include "format/plan.h"

#define MIB (1ull << 20)
#define GIB (1ull << 30)
#define TIB (1ull << 40)
#define ANY UINT32_MAX

static struct plan_input on_one_device(uint64_t size)
{
	struct plan_input in = { .block_size = 4096, .segs_per_sec = 1, .secs_per_zone = 1, .device_count = 1 };

	in.devices[0].size = size;
	in.devices[0].sector_size = 512;
	return in;
}

static void add_device(struct plan_input *in, uint64_t size, int is_alias)
{
	in->devices[in->device_count].size = size;
	in->devices[in->device_count].sector_size = 512;
	in->devices[in->device_count].is_alias = (uint8_t)is_alias;
	in->device_count++;
}

static struct f2fs_layout planned(const struct plan_input *in)
{
	struct f2fs_layout out;
	enum plan_result result = plan_layout(in, &out);

	if (result != PLAN_OK)
		fail_msg("%s", plan_text(result));
	return out;
}

/* A row of layouts.def. */
struct row {
	const char *name;
	uint64_t size;
	uint32_t block_size, segs_per_sec, secs_per_zone, feature;
	uint8_t large_nat;
	double percent;
	uint64_t block_count;
	uint32_t segments, sit, nat, ssa, main;
	uint32_t segment0, sit_blkaddr, nat_blkaddr, ssa_blkaddr, main_blkaddr;
	uint32_t sit_bytes, nat_bytes, payload, checksum;
	double ratio;
	uint32_t reserved, overprovision;
	uint64_t user_blocks;
	uint32_t free;
	uint32_t logs[F2FS_LOG_COUNT]; /* HOT, WARM, COLD DATA, HOT, WARM, COLD NODE */
};

static const struct row rows[] = {
#define LAYOUT(...) { __VA_ARGS__ },
#include "layouts.def"
#undef LAYOUT
};

static void check_number(const char *row, const char *what, uint64_t found, uint64_t expected)
{
	if (expected != ANY && found != expected)
		fail_msg("%s: %s is %llu, not %llu", row, what, (unsigned long long)found,
			 (unsigned long long)expected);
}

static void check_row(const struct row *r, const struct f2fs_layout *l)
{
	const struct f2fs_geometry *g = &l->geometry;
	char ratio[32], expected[32];

	check_number(r->name, "block_count", g->block_count, r->block_count);
	check_number(r->name, "segment_count", g->segment_count, r->segments);
	check_number(r->name, "segment_count_sit", g->segment_count_sit, r->sit);
	check_number(r->name, "segment_count_nat", g->segment_count_nat, r->nat);
	check_number(r->name, "segment_count_ssa", g->segment_count_ssa, r->ssa);
	check_number(r->name, "segment_count_main", g->segment_count_main, r->main);
	check_number(r->name, "segment0_blkaddr", g->segment0_blkaddr, r->segment0);
	check_number(r->name, "sit_blkaddr", g->sit_blkaddr, r->sit_blkaddr);
	check_number(r->name, "nat_blkaddr", g->nat_blkaddr, r->nat_blkaddr);
	check_number(r->name, "ssa_blkaddr", g->ssa_blkaddr, r->ssa_blkaddr);
	check_number(r->name, "main_blkaddr", g->main_blkaddr, r->main_blkaddr);
	check_number(r->name, "cp_payload", g->cp_payload, r->payload);
	check_number(r->name, "SIT bitmap", l->sit_bitmap_bytes, r->sit_bytes);
	check_number(r->name, "NAT bitmap", l->nat_bitmap_bytes, r->nat_bytes);
	check_number(r->name, "checksum_offset", l->checksum_offset, r->checksum);
	check_number(r->name, "reserved", l->reserved_segments, r->reserved);
	check_number(r->name, "overprovision", l->overprovision_segments, r->overprovision);
	check_number(r->name, "user blocks", l->user_blocks, r->user_blocks ? r->user_blocks : l->user_blocks);
	check_number(r->name, "free", l->free_segments, r->free);
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		check_number(r->name, f2fs_log_type_name(i), l->logs[i], r->logs[i]);
	if (r->ratio < 0)
		return;
	snprintf(ratio, sizeof(ratio), "%.2f", l->overprovision);
	snprintf(expected, sizeof(expected), "%.2f", r->ratio);
	assert_string_equal(ratio, expected);
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct plan_input in = on_one_device(r->size);
		struct f2fs_layout out;

		in.block_size = r->block_size;
		in.segs_per_sec = r->segs_per_sec;
		in.secs_per_zone = r->secs_per_zone;
		in.feature = r->feature;
		in.large_nat = r->large_nat;
		in.overprovision = r->percent;
		out = planned(&in);
		check_row(r, &out);
	}
}

/* NAT segments per copy shrink as the volume grows, until payload blocks take the SIT bitmap (FORMAT volume 3.3). */
static void test_nat_limit(void **state)
{
	static const struct {
		uint64_t gib;
		uint32_t nat, payload;
	} limits[] = {
		{ 64, 58, 0 },	 { 110, 58, 0 },  { 128, 57, 0 },   { 256, 55, 0 },   { 512, 50, 0 },	{ 1024, 41, 0 },
		{ 2048, 22, 0 }, { 3072, 4, 0 },  { 3245, 1, 0 },   { 3246, 60, 1 },  { 3520, 60, 1 },	{ 3521, 60, 2 },
		{ 7040, 60, 2 }, { 7041, 60, 3 }, { 10561, 60, 4 }, { 14080, 60, 4 }, { 14081, 60, 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct plan_input in = on_one_device(limits[i].gib * GIB);
		struct f2fs_layout out = planned(&in);

		assert_int_equal(out.geometry.segment_count_nat / 2, limits[i].nat);
		assert_int_equal(out.geometry.cp_payload, limits[i].payload);
		assert_int_equal(out.geometry.max_nid, limits[i].nat * 512 * 455);
	}
}

static void test_devices(void **state)
{
	struct plan_input in = on_one_device(100 * MIB);
	struct f2fs_layout l;

	(void)state;
	add_device(&in, 61 * MIB, 0);
	add_device(&in, 70 * MIB, 0);
	l = planned(&in);
	assert_int_equal(l.devices[0].segments, 49);
	assert_int_equal(l.devices[1].segments, 30);
	assert_int_equal(l.devices[2].segments, 35);
	assert_int_equal(l.devices[0].start, 0);
	assert_int_equal(l.devices[1].start, 25600);
	assert_int_equal(l.devices[2].start, 40960);
	assert_int_equal(l.devices[2].end, l.geometry.end_blkaddr);
	assert_int_equal(l.geometry.segment_count_main, 107);
	assert_int_equal(l.geometry.main_blkaddr, 4096);
	assert_int_equal(l.reserved_segments, 13);
	assert_int_equal(l.overprovision_segments, 20);
	assert_int_equal(l.logs[F2FS_HOT_DATA], 3);
	assert_int_equal(l.logs[F2FS_WARM_DATA], 52);
	assert_int_equal(l.logs[F2FS_COLD_DATA], 25);
}

static void test_alias(void **state)
{
	struct plan_input in = on_one_device(100 * MIB);
	struct f2fs_layout l;

	(void)state;
	in.feature = F2FS_FEAT_DEVICE_ALIAS;
	add_device(&in, 64 * MIB, 1);
	l = planned(&in);
	assert_int_equal(l.devices[0].segments, 49);
	assert_int_equal(l.devices[1].segments, 32);
	assert_int_equal(l.alias_segments, 32);
	assert_int_equal(l.geometry.segment_count_main, 74);
	assert_int_equal(l.reserved_segments, 12);
	assert_int_equal(l.overprovision_segments, 18);
	assert_int_equal(l.free_segments, 36);
	assert_int_equal(l.logs[F2FS_WARM_DATA], 36);
	assert_int_equal(l.logs[F2FS_COLD_DATA], 17);
	/* an alias in the middle: no log is on it */
	add_device(&in, 64 * MIB, 0);
	l = planned(&in);
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		uint32_t addr = l.geometry.main_blkaddr + l.logs[i] * 512;

		assert_true(addr < l.devices[1].start || addr >= l.devices[1].end);
	}
	assert_int_equal(plan_layout(&in, &l), PLAN_OK);
	in.devices[0].is_alias = 1;
	assert_int_equal(plan_layout(&in, &l), PLAN_ALIAS_FIRST);
	/* a large alias after a small device: halfway is on the alias, and nothing is after it */
	in = on_one_device(85 * MIB);
	add_device(&in, 7000 * MIB, 1);
	in.overprovision = 33;
	l = planned(&in);
	assert_int_equal(l.logs[F2FS_HOT_DATA], 0);
	assert_int_equal(l.logs[F2FS_COLD_NODE], 5);
}

static struct plan_input zoned(uint64_t size, uint64_t zone_bytes, uint32_t conventional)
{
	struct plan_input in = on_one_device(size);

	in.feature = F2FS_FEAT_BLKZONED;
	in.devices[0].zone_bytes = zone_bytes;
	in.devices[0].zone_type = F2FS_ZONE_SEQUENTIAL;
	in.devices[0].conventional_zones = conventional;
	in.devices[0].zone_capacity = zone_bytes;
	return in;
}

static void test_zoned(void **state)
{
	static const uint32_t logs[] = { 6, 8, 10, 0, 2, 4 };
	struct plan_input in = zoned(400 * MIB, 4 * MIB, 8);
	struct f2fs_layout l = planned(&in);

	(void)state;
	assert_int_equal(l.geometry.segment0_blkaddr, 1024);
	assert_int_equal(l.geometry.segs_per_sec, 2);
	assert_int_equal(l.geometry.segment_count_ssa, 2);
	assert_int_equal(l.geometry.segment_count_main, 190);
	assert_int_equal(l.geometry.main_blkaddr, 5120);
	assert_int_equal(l.reserved_segments, 28);
	assert_int_equal(l.overprovision_segments, 40);
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		assert_int_equal(l.logs[i], logs[i]);
	in.reserved_sections = 10;
	in.overprovision = 10;
	l = planned(&in);
	assert_int_equal(l.reserved_segments, 20);
	assert_int_equal(l.overprovision_segments, 17 + 20);
}

static enum plan_result result_of(const struct plan_input *in)
{
	struct f2fs_layout out;

	return plan_layout(in, &out);
}

static void test_zoned_refusals(void **state)
{
	struct plan_input in = zoned(400 * MIB, 4 * MIB, 4);

	(void)state;
	assert_int_equal(result_of(&in), PLAN_ZONE_METADATA);
	in = zoned(400 * MIB, 3 * MIB, 8);
	assert_int_equal(result_of(&in), PLAN_ZONE_SIZE);
	in = zoned(400 * MIB, 4 * MIB, 8);
	in.start_sector = 63;
	assert_int_equal(result_of(&in), PLAN_ZONE_START);
	in = zoned(400 * MIB, 4 * MIB, 8);
	in.feature = 0;
	assert_int_equal(result_of(&in), PLAN_ZONED);
	in = on_one_device(400 * MIB);
	in.feature = F2FS_FEAT_BLKZONED;
	assert_int_equal(result_of(&in), PLAN_NOT_ZONED);
	in = on_one_device(400 * MIB);
	in.reserved_sections = 8;
	assert_int_equal(result_of(&in), PLAN_RESERVED_ZONED);
	in = zoned(400 * MIB, 4 * MIB, 8);
	in.reserved_sections = 7;
	assert_int_equal(result_of(&in), PLAN_RESERVED);
	in.reserved_sections = 8;
	in.overprovision = 1;
	assert_int_equal(result_of(&in), PLAN_RESERVED_RATIO);
}

/* The smallest sizes in whole MiB (FORMAT volume 3.5); the search finds them to the segment. */
static void test_minimum(void **state)
{
	static const struct {
		uint32_t block_size, segs_per_sec, secs_per_zone, feature;
		uint8_t large_nat;
		double percent;
		uint32_t mib;
	} smallest[] = {
		{ 4096, 1, 1, 0, 0, 0, 46 },  { 4096, 2, 1, 0, 0, 0, 80 },   { 4096, 4, 1, 0, 0, 0, 144 },
		{ 4096, 8, 1, 0, 0, 0, 272 }, { 4096, 1, 2, 0, 0, 0, 52 },   { 4096, 1, 1, 0, 1, 0, 46 },
		{ 4096, 1, 1, 0, 0, 5, 84 },  { 16384, 1, 1, 0, 0, 0, 184 }, { 4096, 1, 1, F2FS_FEAT_RO, 0, 0, 19 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(smallest) / sizeof(smallest[0]); i++) {
		struct plan_input in = on_one_device(0);
		uint64_t found;

		in.block_size = smallest[i].block_size;
		in.segs_per_sec = smallest[i].segs_per_sec;
		in.secs_per_zone = smallest[i].secs_per_zone;
		in.feature = smallest[i].feature;
		in.large_nat = smallest[i].large_nat;
		in.overprovision = smallest[i].percent;
		found = plan_minimum(&in);
		assert_int_equal((found + MIB - 1) / MIB, smallest[i].mib);
		in.devices[0].size = found;
		assert_int_equal(result_of(&in), PLAN_OK);
		in.devices[0].size = found - 1;
		assert_int_equal(result_of(&in), PLAN_TOO_SMALL);
	}
}

static void test_limits(void **state)
{
	struct plan_input in = on_one_device(16 * TIB);
	struct f2fs_layout l = planned(&in);

	(void)state;
	/* the last block address is below the two that are no addresses */
	assert_true(l.geometry.end_blkaddr <= 0xFFFFFFFEu);
	assert_int_equal(l.geometry.segment_count, 8388606);
	in.devices[0].size += 512;
	assert_int_equal(result_of(&in), PLAN_TOO_LARGE);
	in.devices[0].size = UINT64_MAX;
	assert_int_equal(result_of(&in), PLAN_TOO_LARGE);
	add_device(&in, UINT64_MAX, 0);
	assert_int_equal(result_of(&in), PLAN_TOO_LARGE);
	in = on_one_device(64 * TIB);
	in.block_size = 16384;
	l = planned(&in);
	assert_true(l.geometry.end_blkaddr <= 0xFFFFFFFEu);
	in = on_one_device(0);
	assert_int_equal(result_of(&in), PLAN_TOO_SMALL);
}

static void test_refusals(void **state)
{
	struct plan_input in = on_one_device(GIB);

	(void)state;
	in.block_size = 8192;
	assert_int_equal(result_of(&in), PLAN_BLOCK_SIZE);
	in = on_one_device(GIB);
	in.segs_per_sec = 0;
	assert_int_equal(result_of(&in), PLAN_SECTION_SIZE);
	in.segs_per_sec = 65536;
	in.secs_per_zone = 65536;
	assert_int_equal(result_of(&in), PLAN_SECTION_SIZE);
	in = on_one_device(GIB);
	in.devices[0].sector_size = 8192;
	assert_int_equal(result_of(&in), PLAN_SECTOR_SIZE);
	in.devices[0].sector_size = 513;
	assert_int_equal(result_of(&in), PLAN_SECTOR_SIZE);
	in = on_one_device(GIB);
	add_device(&in, GIB, 0);
	in.devices[1].sector_size = 4096;
	assert_int_equal(result_of(&in), PLAN_SECTOR_SIZES);
	in.devices[1].sector_size = 512;
	in.devices[1].size = MIB;
	assert_int_equal(result_of(&in), PLAN_DEVICE_SIZE);
	in = on_one_device(GIB);
	in.overprovision = 100;
	assert_int_equal(result_of(&in), PLAN_OVERPROVISION);
	in.overprovision = -1;
	assert_int_equal(result_of(&in), PLAN_OVERPROVISION);
	in.overprovision = 1e-300;
	assert_int_equal(result_of(&in), PLAN_TOO_SMALL);
}

static void test_features(void **state)
{
	uint32_t feature = 0;

	(void)state;
	assert_int_equal(plan_features(F2FS_FEAT_PROJECT_QUOTA | F2FS_FEAT_EXTRA_ATTR, 4096, &feature), PLAN_OK);
	assert_int_equal(feature, F2FS_FEAT_PROJECT_QUOTA | F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_QUOTA);
	assert_int_equal(plan_features(F2FS_FEAT_PACKED_SSA, 4096, &feature), PLAN_OK);
	assert_int_equal(feature, 0);
	assert_int_equal(plan_features(F2FS_FEAT_PACKED_SSA, 16384, &feature), PLAN_OK);
	assert_int_equal(feature, F2FS_FEAT_PACKED_SSA);
	assert_int_equal(plan_features(0x20000, 4096, &feature), PLAN_FEATURE_UNKNOWN);
	assert_int_equal(plan_features(F2FS_FEAT_INODE_CRTIME, 4096, &feature), PLAN_FEATURE_EXTRA_ATTR);
	assert_int_equal(plan_features(F2FS_FEAT_RO | F2FS_FEAT_BLKZONED, 4096, &feature), PLAN_RO_ZONED);
	assert_int_equal(plan_features(F2FS_FEAT_RO | F2FS_FEAT_DEVICE_ALIAS, 4096, &feature), PLAN_RO_ALIAS);
}

/* Whatever the size, a layout that is accepted holds together. */
static void check_sound(const struct f2fs_layout *l)
{
	const struct f2fs_geometry *g = &l->geometry;

	assert_int_equal(g->sit_blkaddr, g->cp_blkaddr + 1024);
	assert_int_equal(g->nat_blkaddr, g->sit_blkaddr + g->segment_count_sit * 512);
	assert_int_equal(g->ssa_blkaddr, g->nat_blkaddr + g->segment_count_nat * 512);
	assert_int_equal(g->main_blkaddr, g->ssa_blkaddr + g->segment_count_ssa * 512);
	assert_int_equal(g->main_blkaddr + (uint64_t)g->segment_count_main * 512, g->end_blkaddr);
	assert_int_equal(g->segment_count_main, g->section_count * g->segs_per_sec);
	assert_true(g->sit_blocks >= g->sit_blocks_used);
	assert_true((g->feature & F2FS_FEAT_RO) ||
		    g->segment_count_ssa * 512ull * g->sums_per_block >= g->segment_count_main);
	assert_true(l->user_blocks > 0);
	assert_true(l->user_blocks < g->segment_count_main * 512ull + !!(g->feature & F2FS_FEAT_RO));
	assert_true(g->end_blkaddr <= g->block_count);
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		assert_true(l->logs[i] < g->segment_count_main);
}

static void test_sweep(void **state)
{
	static const uint32_t sections[] = { 1, 2, 3, 8, 33 };
	uint64_t seed = 1;
	unsigned accepted = 0;

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		struct plan_input in;
		struct f2fs_layout l;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		in = on_one_device((seed >> 20) >> (seed >> 58) % 30);
		in.block_size = seed & 256 ? 4096 : 16384;
		in.segs_per_sec = sections[(seed >> 10) % 5];
		in.secs_per_zone = sections[(seed >> 13) % 3];
		in.large_nat = (seed >> 9) & 1;
		in.feature = seed & 512 ? 0 : (seed & 1024) ? F2FS_FEAT_RO : F2FS_FEAT_PACKED_SSA;
		in.start_sector = seed & 4096 ? 2048 : 63;
		if (plan_layout(&in, &l) != PLAN_OK)
			continue;
		check_sound(&l);
		accepted++;
	}
	assert_in_range(accepted, 500, 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	 cmocka_unit_test(test_nat_limit),
		cmocka_unit_test(test_devices),	 cmocka_unit_test(test_alias),
		cmocka_unit_test(test_zoned),	 cmocka_unit_test(test_zoned_refusals),
		cmocka_unit_test(test_minimum),	 cmocka_unit_test(test_limits),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_features),
		cmocka_unit_test(test_sweep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
