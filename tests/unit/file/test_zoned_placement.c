/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Placements on zoned volumes: streams fill sections of their own in order, continue after commits, leave no zone open
 * when they end, and lose nothing in rollbacks, power cuts and GC. The device refuses writes elsewhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <f2fskit/hotness.h>

#include "common/fresh.h"

#define MIB ((uint64_t)1 << 20)
#define BLOCK 4096u
#define STREAMS 3u
#define BLOCKS 36000u /* of the file */
#define ZONE (4 * MIB)
#define ZONES 70u
#define CUTS 6u

static const struct f2fs_zone_options whole = { F2FS_SIZED(f2fs_zone_options), .zone_bytes = ZONE, .conventional = 5 };
static const struct f2fs_zone_options less = { F2FS_SIZED(f2fs_zone_options), .zone_bytes = ZONE,
					       .capacity = 3 * MIB - 8192, .conventional = 8 };
/* a device that keeps just the zones of the logs and the streams open */
static const struct f2fs_zone_options few = { F2FS_SIZED(f2fs_zone_options), .zone_bytes = ZONE, .conventional = 5,
					      .open_zones = F2FS_LOG_COUNT + STREAMS };
static struct fresh v;
static uint32_t seed, values[BLOCKS], committed[BLOCKS];
static struct f2fs_inode *file;
static struct {
	struct f2fs_inode *file;
	struct f2fs_volume *vol;
} dead[CUTS];
static uint8_t streams_in[ZONES]; /* bits of the streams that wrote to a section, by classify's answers */

static unsigned stream_of(uint64_t file_block)
{
	return file_block % 4 < STREAMS ? (unsigned)(file_block % 4) : F2FS_STREAM_NONE;
}

static unsigned classify(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	(void)user;
	(void)ino;
	(void)old;
	return stream_of(file_block);
}

static void written(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(v.vol);

	(void)user;
	(void)ino;
	(void)old;
	streams_in[(addr - geo->main_blkaddr) / (ZONE / BLOCK)] |= (uint8_t)(1u << (file_block % 4));
}

static unsigned moving(void *user, f2fs_nid_t ino, f2fs_blk_t old)
{
	(void)user;
	(void)ino;
	return old % STREAMS;
}

static const struct f2fs_placement placement = { F2FS_SIZED(f2fs_placement), .streams = STREAMS, .classify = classify,
						 .written = written, .moving = moving };

static void configure(void)
{
	const struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options),
						    .commit_when_full = 1, .at_once = 1, .discard = 1 };
	const struct f2fs_gc_options cleaning = { F2FS_SIZED(f2fs_gc_options) };

	fresh_need(&v, f2fs_volume_configure(v.vol, &options), "configure");
	fresh_need(&v, f2fs_volume_set_gc(v.vol, &cleaning), "cleaning");
}

static void begin(const struct f2fs_zone_options *zones)
{
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options) };

	memset(values, 0, sizeof(values));
	memset(streams_in, 0, sizeof(streams_in));
	seed = 7;
	fresh_open_zoned(&v, ZONES * ZONE, &options, zones);
	configure();
	file = fresh_make(&v, "data", 0100644);
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
}

static void write_block(uint32_t block)
{
	static uint32_t contents[BLOCK / 4];

	contents[0] = values[block] = fresh_random(&seed) + 1;
	fresh_need(&v, f2fs_inode_write(file, (uint64_t)block * BLOCK, contents, BLOCK), "write");
}

static void write_some(unsigned count, uint32_t blocks)
{
	for (unsigned i = 0; i < count; i++)
		write_block(fresh_random(&seed) % blocks);
}

static void must_hold(const uint32_t *expected)
{
	for (uint32_t i = 0; i < BLOCKS; i++) {
		uint32_t value = 0;
		size_t got = 0;

		fresh_need(&v, f2fs_inode_read(file, (uint64_t)i * BLOCK, &value, 4, &got), "read");
		assert_int_equal(got == 4 ? value : 0, expected[i]);
	}
}

static void commit(void)
{
	fresh_need(&v, f2fs_volume_commit(v.vol), "commit");
	memcpy(committed, values, sizeof(values));
}

static bool has_log(const struct f2fs_zone *zone)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(v.vol);
	bool found = false;

	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		struct f2fs_log_head head;
		uint64_t at;

		fresh_need(&v, f2fs_volume_log(v.vol, i, &head), "log");
		at = (geo->main_blkaddr + (uint64_t)head.segno * F2FS_SEGMENT_BLOCKS) * BLOCK;
		found = found || (at >= zone->start && at < zone->start + zone->length);
	}
	return found;
}

/* Zones that are written in part and have no log: streams, and zones that they left open. */
static unsigned open_zones(void)
{
	struct f2fs_zone all[ZONES];
	unsigned found, n = 0;

	assert_int_equal(f2fs_device_zones(v.dev, 0, all, ZONES, &found), 0);
	for (unsigned i = 0; i < found; i++)
		n += all[i].type == F2FS_ZONE_SEQUENTIAL && !all[i].empty && !all[i].full && !has_log(&all[i]);
	return n;
}

static unsigned bits_of(unsigned map)
{
	return map ? (map & 1) + bits_of(map >> 1) : 0;
}

static void open_again(int recover)
{
	const struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options), .recover = recover };

	f2fs_inode_close(file);
	f2fs_volume_close(v.vol);
	fresh_need(&v, f2fs_volume_open(v.ctx, v.dev, &options, &v.vol), "open");
	fresh_need(&v, f2fs_lookup(v.vol, "/data", 0, &file), "lookup");
}

static void must_be_sound(void)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options) };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };

	fresh_need(&v, f2fs_check(v.ctx, v.dev, &options, &result), "check");
	assert_int_equal(result.found, 0);
}

static void end(void)
{
	open_again(F2FS_RECOVER_NONE);
	must_hold(values);
	f2fs_inode_close(file);
	f2fs_volume_close(v.vol);
	v.vol = NULL;
	must_be_sound();
	fresh_close(&v);
}

static void streams_have_sections_of_their_own(const struct f2fs_zone_options *zones)
{
	struct f2fs_stream_stat stat = { F2FS_SIZED(f2fs_stream_stat) };
	unsigned used = 0;

	begin(zones);
	fresh_need(&v, f2fs_volume_set_placement(v.vol, &placement), "placement");
	for (unsigned i = 0; i < 12; i++) {
		write_some(700, 4000);
		commit();
	}
	f2fs_volume_streams(v.vol, &stat);
	assert_int_equal(stat.refused, 0);
	for (unsigned i = 0; i < STREAMS; i++)
		assert_true(stat.blocks[i] > 1024); /* more than a section has */
	for (unsigned i = 0; i < ZONES; i++) {
		assert_true(bits_of(streams_in[i]) < 2);
		used += streams_in[i] != 0;
	}
	assert_true(used > 8 && stat.segments >= 2 * STREAMS);
	/* a stream keeps its zone over commits, and finishes it at the end */
	assert_true(open_zones() > 0);
	fresh_need(&v, f2fs_volume_set_placement(v.vol, NULL), "no placement");
	assert_int_equal(open_zones(), 0);
	must_hold(values);
	end();
}

static void in_whole_zones(void **state)
{
	(void)state;
	streams_have_sections_of_their_own(&whole);
}

static void in_zones_that_hold_less(void **state)
{
	(void)state;
	streams_have_sections_of_their_own(&less);
}

static void closing_the_volume_finishes_zones(void **state)
{
	(void)state;
	begin(&whole);
	fresh_need(&v, f2fs_volume_set_placement(v.vol, &placement), "placement");
	write_some(300, 4000);
	commit();
	write_some(300, 4000); /* dropped */
	assert_true(open_zones() > 0);
	memcpy(values, committed, sizeof(values));
	open_again(F2FS_RECOVER_NONE);
	assert_int_equal(open_zones(), 0);
	end();
}

static void rollbacks_move_streams(void **state)
{
	struct f2fs_stream_stat before = { F2FS_SIZED(f2fs_stream_stat) }, after = before;

	(void)state;
	begin(&few);
	fresh_need(&v, f2fs_volume_set_placement(v.vol, &placement), "placement");
	write_some(900, 4000);
	commit();
	f2fs_volume_streams(v.vol, &before);
	for (unsigned i = 0; i < 6; i++) {
		write_some(400, 4000);
		fresh_need(&v, f2fs_inode_write(file, 0, values, 1), "write"); /* waits in memory */
		f2fs_volume_rollback(v.vol);
		memcpy(values, committed, sizeof(values));
		write_some(100, 4000);
		commit();
	}
	f2fs_volume_streams(v.vol, &after);
	assert_true(after.segments >= before.segments + 6 * STREAMS);
	must_hold(values);
	fresh_need(&v, f2fs_volume_set_placement(v.vol, NULL), "no placement");
	end();
}

/* Open the volume beside the handle in use, which is closed when all is over: to the device, its machine lost power. */
static void lose_power(unsigned number)
{
	dead[number].file = file;
	dead[number].vol = v.vol;
	fresh_need(&v, f2fs_volume_open(v.ctx, v.dev, NULL, &v.vol), "open");
	fresh_need(&v, f2fs_lookup(v.vol, "/data", 0, &file), "lookup");
	memcpy(values, committed, sizeof(values));
	configure();
}

static void power_cuts_leave_no_zone_open(void **state)
{
	(void)state;
	begin(&few);
	for (unsigned i = 0; i < CUTS; i++) {
		fresh_need(&v, f2fs_volume_set_placement(v.vol, &placement), "placement");
		write_some(300, 4000);
		commit();
		write_some(900, 4000);
		lose_power(i);
		assert_true(open_zones() >= STREAMS);
		write_some(1, 4000);
		assert_int_equal(open_zones(), 0);
		commit();
	}
	fresh_need(&v, f2fs_volume_set_placement(v.vol, &placement), "placement");
	write_some(3000, 4000);
	commit();
	must_hold(values);
	f2fs_inode_close(file);
	f2fs_volume_close(v.vol);
	v.vol = NULL;
	must_be_sound();
	for (unsigned i = 0; i < CUTS; i++) {
		f2fs_inode_close(dead[i].file);
		f2fs_volume_close(dead[i].vol);
	}
	fresh_close(&v);
}

static void streams_need_open_zones(void **state)
{
	const struct f2fs_hotness_options options = { F2FS_SIZED(f2fs_hotness_options),
						      .method = F2FS_HOTNESS_ADAPTIVE };
	struct f2fs_zone_options fewer = few;
	struct f2fs_stream_stat stat = { F2FS_SIZED(f2fs_stream_stat) };
	struct f2fs_hotness *hotness;

	(void)state;
	fewer.open_zones--;
	begin(&fewer);
	assert_int_equal(f2fs_volume_set_placement(v.vol, &placement), F2FS_ERR_UNSUPPORTED);
	fresh_need(&v, f2fs_hotness_open(v.vol, &options, &hotness), "hotness");
	write_some(9000, 500);
	commit();
	f2fs_volume_streams(v.vol, &stat);
	assert_true(stat.blocks[STREAMS - 2] > 0 && stat.blocks[STREAMS - 1] == 0);
	fresh_need(&v, f2fs_hotness_close(hotness), "close");
	end();
}

/* Cleaning is needed all the time, and the streams take part in it. */
static void full_volumes_are_cleaned(const struct f2fs_zone_options *zones, bool learns)
{
	const struct f2fs_hotness_options options = { F2FS_SIZED(f2fs_hotness_options),
						      .method = F2FS_HOTNESS_ADAPTIVE };
	struct f2fs_stream_stat stat = { F2FS_SIZED(f2fs_stream_stat) };
	struct f2fs_hotness *hotness = NULL;
	struct f2fs_counters counters = { F2FS_SIZED(f2fs_counters) };
	const uint32_t size = learns ? 29000 : BLOCKS;
	uint64_t blocks = 0;

	begin(zones);
	if (learns)
		fresh_need(&v, f2fs_hotness_open(v.vol, &options, &hotness), "hotness");
	else
		fresh_need(&v, f2fs_volume_set_placement(v.vol, &placement), "placement");
	for (uint32_t i = 0; i < size; i++)
		write_block(i);
	for (unsigned i = 0; i < 40; i++) {
		write_some(800, size / 20);
		write_some(200, size);
		if (i % 3 == 0)
			fresh_need(&v, f2fs_fsync(file, 0), "fsync");
		if (i % 8 == 7)
			commit();
	}
	commit();
	must_hold(values);
	f2fs_volume_streams(v.vol, &stat);
	f2fs_volume_counters(v.vol, &counters);
	for (unsigned i = 0; i < F2FS_STREAMS; i++)
		blocks += stat.blocks[i];
	assert_true(blocks > 5000 && counters.gc_sections > 20);
	print_message("%u blocks in streams, %u sections emptied, %u blocks moved\n", (unsigned)blocks,
		      (unsigned)counters.gc_sections, (unsigned)counters.gc_blocks);
	write_some(2000, size);
	fresh_need(&v, f2fs_fsync(file, 0), "fsync");
	/* the power fails, and fsynced blocks are recovered */
	if (learns) {
		f2fs_volume_rollback(v.vol);
		fresh_need(&v, f2fs_hotness_close(hotness), "close");
	}
	open_again(F2FS_RECOVER_APPLY);
	end();
}

static void cleaning_with_streams(void **state)
{
	(void)state;
	full_volumes_are_cleaned(&few, false);
}

static void cleaning_with_a_placement_that_learns(void **state)
{
	(void)state;
	full_volumes_are_cleaned(&less, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_whole_zones),
		cmocka_unit_test(in_zones_that_hold_less),
		cmocka_unit_test(closing_the_volume_finishes_zones),
		cmocka_unit_test(rollbacks_move_streams),
		cmocka_unit_test(power_cuts_leave_no_zone_open),
		cmocka_unit_test(streams_need_open_zones),
		cmocka_unit_test(cleaning_with_streams),
		cmocka_unit_test(cleaning_with_a_placement_that_learns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
