/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Places of all blocks, and the device that makes them. */
#include "bench/plain_files.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bitmap.h"
#include "base/checked.h"
#include "bench/plain_shape.h"
#include "format/flags.h"
#include "format/geometry.h"
#include "format/structs.h"
#include "log/pack.h"

/* Inodes of the same place in the tree. Numbers count all inodes. */
struct level {
	struct shape shape;
	uint32_t first, count; /* numbers */
	uint32_t first_block;  /* its first block of entries among all of them */
	uint32_t fanout;       /* children of each */
};

enum { RUN_DIRS, RUN_FILES, RUN_ENTRIES, RUN_LOGS, RUNS = RUN_LOGS + F2FS_LOG_COUNT };

/* Segments that are filled from their start. */
struct run {
	f2fs_seg_t first, segments;
	uint32_t blocks;
	unsigned log;
};

struct volume {
	struct f2fs_geometry geo;
	struct f2fs_device *roots; /* superblocks and checkpoint packs */
	struct level levels[PLAIN_LEVELS];
	struct run runs[RUNS];
	uint32_t inodes;
};

/* ---- numbers */

static const struct level *level_of(const struct volume *v, uint32_t number)
{
	unsigned i = 0;

	while (number - v->levels[i].first >= v->levels[i].count)
		i++;
	return &v->levels[i];
}

static struct family family_of(const struct volume *v, const struct level *level, uint32_t number)
{
	const struct level *above = level == v->levels ? level : level - 1;
	const uint32_t index = number - level->first;

	return (struct family){
		.ino = v->geo.root_ino + number,
		.parent = v->geo.root_ino + above->first + index / above->fanout,
		.first = v->geo.root_ino + level->first + level->count + index * level->fanout,
		.name = index % above->fanout,
	};
}

/* Find the inode that block `index` of entries belongs to, and which of its blocks it is. */
static uint32_t owner_of_entries(const struct volume *v, uint32_t index, uint32_t *which)
{
	const struct level *level = v->levels;

	while (index - level->first_block >= level->count * level->shape.count)
		level++;
	index -= level->first_block;
	*which = index % level->shape.count;
	return level->first + index / level->shape.count;
}

static f2fs_blk_t addr_in(const struct volume *v, unsigned run, uint32_t index)
{
	return geometry_segment_start(&v->geo, v->runs[run].first) + index;
}

static f2fs_blk_t addr_of_inode(const struct volume *v, uint32_t number)
{
	const uint32_t dirs = v->runs[RUN_DIRS].blocks;

	return number < dirs ? addr_in(v, RUN_DIRS, number) : addr_in(v, RUN_FILES, number - dirs);
}

/* Find the run that a segment belongs to; NULL: the segment is free. */
static const struct run *run_of(const struct volume *v, f2fs_seg_t segno)
{
	for (unsigned i = 0; i < RUNS; i++)
		if (segno - v->runs[i].first < v->runs[i].segments)
			return &v->runs[i];
	return NULL;
}

/* Return the blocks in use of a run's segment; *index: the first one's place in the run. */
static uint32_t blocks_in(const struct run *run, f2fs_seg_t segno, uint32_t *index)
{
	*index = (segno - run->first) * F2FS_SEGMENT_BLOCKS;
	return run->blocks - *index < F2FS_SEGMENT_BLOCKS ? run->blocks - *index : F2FS_SEGMENT_BLOCKS;
}

/* ---- blocks; those of tables begin with zeros */

static void make_inode(const struct volume *v, uint32_t number, uint8_t *out)
{
	const struct level *level = level_of(v, number);
	const struct family family = family_of(v, level, number);
	const uint32_t entries = level->first_block + (number - level->first) * level->shape.count;

	shape_inode(&level->shape, &v->geo, &family, addr_of_inode(v, number), addr_in(v, RUN_ENTRIES, entries), out);
}

static void make_entries(const struct volume *v, uint32_t index, uint8_t *out)
{
	uint32_t which;
	const uint32_t number = owner_of_entries(v, index, &which);
	const struct level *level = level_of(v, number);
	const struct family family = family_of(v, level, number);

	shape_entries(&level->shape, &v->geo, &family, which, out);
}

static void make_main(const struct volume *v, f2fs_blk_t addr, uint8_t *out)
{
	const f2fs_seg_t segno = geometry_segment_of(&v->geo, addr);
	const struct run *run = run_of(v, segno);
	const uint32_t index = run ? (addr - geometry_segment_start(&v->geo, run->first)) : 0;

	if (!run || index >= run->blocks)
		memset(out, 0, SHAPE_BLOCK);
	else if (run == &v->runs[RUN_ENTRIES])
		make_entries(v, index, out);
	else
		make_inode(v, run == &v->runs[RUN_DIRS] ? index : v->runs[RUN_DIRS].blocks + index, out);
}

static void make_nat(const struct volume *v, uint32_t block, uint8_t *out)
{
	const f2fs_nid_t root = v->geo.root_ino, first = block * v->geo.nat_per_block;

	for (uint32_t i = 0; i < v->geo.nat_per_block; i++) {
		const f2fs_nid_t nid = first + i;
		uint8_t *entry = out + (size_t)i * nat_SIZE;

		if (nid == 0 || (nid >= root && nid - root >= v->inodes))
			continue;
		nat_set_ino(entry, nid);
		nat_set_block_addr(entry, nid < root ? 1 : addr_of_inode(v, nid - root)); /* 1: a fixed number */
	}
}

static void make_sit(const struct volume *v, uint32_t block, uint8_t *out)
{
	for (uint32_t i = 0; i < v->geo.sit_per_block; i++) {
		const f2fs_seg_t segno = block * v->geo.sit_per_block + i;
		const struct run *run = segno < v->geo.segment_count_main ? run_of(v, segno) : NULL;
		uint8_t *entry = out + (size_t)i * sit_SIZE;
		uint32_t index, count;

		if (!run)
			continue;
		count = blocks_in(run, segno, &index);
		sit_set_vblocks(entry, (uint16_t)(run->log << 10 | count));
		for (uint32_t k = 0; k < count; k++)
			msb_set(sit_valid_map_w(entry), k);
	}
}

static void make_summary(const struct volume *v, f2fs_seg_t segno, uint8_t *out)
{
	const struct run *run = segno < v->geo.segment_count_main ? run_of(v, segno) : NULL;
	uint32_t index, which = 0;
	const uint32_t count = run ? blocks_in(run, segno, &index) : 0;

	for (uint32_t i = 0; i < count; i++, index++) {
		uint8_t *sum = out + (size_t)i * sum_SIZE;
		uint32_t number = run == &v->runs[RUN_FILES] ? v->runs[RUN_DIRS].blocks + index : index;

		if (run == &v->runs[RUN_ENTRIES]) {
			number = owner_of_entries(v, index, &which);
			sum_set_ofs_in_node(sum, level_of(v, number)->shape.slots[which]);
		}
		sum_set_nid(sum, v->geo.root_ino + number);
	}
	if (run && run->log >= F2FS_HOT_NODE)
		sumfoot_set_entry_type(summary_footer_w(&v->geo, out), SUMMARY_OF_NODES);
}

/* Tables have two copies of which the first is in force: those of the NAT alternate by segments. */
static int make_block(const struct volume *v, uint64_t number, uint8_t *out)
{
	const struct f2fs_geometry *geo = &v->geo;
	const f2fs_blk_t addr = (f2fs_blk_t)number;

	if (number < geo->sit_blkaddr)
		return f2fs_device_read(v->roots, number * SHAPE_BLOCK, out, SHAPE_BLOCK);
	if (geometry_is_main(geo, addr)) {
		make_main(v, addr, out);
		return 0;
	}
	memset(out, 0, SHAPE_BLOCK);
	if (number < geo->nat_blkaddr) {
		if (addr - geo->sit_blkaddr < geo->sit_blocks)
			make_sit(v, addr - geo->sit_blkaddr, out);
	} else if (number < geo->ssa_blkaddr) {
		const uint32_t at = addr - geo->nat_blkaddr, segment = at / F2FS_SEGMENT_BLOCKS;

		if (segment % 2 == 0)
			make_nat(v, segment / 2 * F2FS_SEGMENT_BLOCKS + at % F2FS_SEGMENT_BLOCKS, out);
	} else if (number < geo->main_blkaddr) {
		make_summary(v, addr - geo->ssa_blkaddr, out);
	}
	return 0;
}

/* ---- the device */

static int read_part(const struct volume *v, uint64_t offset, uint8_t *to, size_t length)
{
	int err = 0;

	while (!err && length > 0) {
		const size_t at = (size_t)(offset % SHAPE_BLOCK);
		const size_t n = length < SHAPE_BLOCK - at ? length : SHAPE_BLOCK - at;
		uint8_t block[SHAPE_BLOCK];

		err = make_block(v, offset / SHAPE_BLOCK, n == SHAPE_BLOCK ? to : block);
		if (!err && n < SHAPE_BLOCK)
			memcpy(to, block + at, n);
		offset += n;
		to += n;
		length -= n;
	}
	return err;
}

static int read_volume(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	int err = 0;

	for (unsigned i = 0; !err && i < count; i++) {
		err = read_part(self, offset, iov[i].base, iov[i].length);
		offset += iov[i].length;
	}
	return err;
}

static void close_volume(void *self)
{
	struct volume *v = self;

	f2fs_device_close(v->roots);
	free(v);
}

/* ---- planning */

static void plan_levels(struct volume *v)
{
	uint32_t inodes = 0, blocks = 0, count = 1;

	for (unsigned i = 0; i < PLAIN_LEVELS; i++) {
		struct level *level = &v->levels[i];

		level->first = inodes;
		level->count = count;
		level->first_block = blocks;
		inodes += count;
		blocks += count * level->shape.count;
		count *= level->fanout;
	}
	v->inodes = inodes;
	v->runs[RUN_FILES] = (struct run){ .blocks = v->levels[PLAIN_LEVELS - 1].count, .log = F2FS_WARM_NODE };
	v->runs[RUN_DIRS] = (struct run){ .blocks = inodes - v->runs[RUN_FILES].blocks, .log = F2FS_HOT_NODE };
	v->runs[RUN_ENTRIES] = (struct run){ .blocks = blocks, .log = F2FS_HOT_DATA };
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		v->runs[RUN_LOGS + i] = (struct run){ .segments = 1, .log = i };
	for (unsigned i = 0; i < RUNS; i++) {
		struct run *run = &v->runs[i];

		if (run->blocks)
			run->segments = div_ceil32(run->blocks, F2FS_SEGMENT_BLOCKS);
		run->first = i ? run[-1].first + run[-1].segments : 0;
	}
}

/* Large bitmaps give node ids to a fifth of the blocks, in pairs of segments; the rest is for the areas. */
static uint64_t size_for(uint64_t inodes)
{
	const uint64_t blocks = (inodes + (uint64_t)F2FS_SEGMENT_BLOCKS * 455) * 5;

	return (blocks + blocks / 1000) * SHAPE_BLOCK;
}

static int write_pack(struct f2fs_context *ctx, struct volume *v, uint8_t *cp, unsigned number, uint64_t version)
{
	static const uint8_t nothing[SHAPE_BLOCK]; /* a journal, and summaries */
	const f2fs_blk_t start = v->geo.cp_blkaddr + (number - 1) * F2FS_SEGMENT_BLOCKS;
	struct pack pack = {
		.ctx = ctx,
		.geo = &v->geo,
		.cp = cp,
		.version = version,
		.flags = FLAG_ckpt_flags_unmount | FLAG_ckpt_flags_large_nat_bitmap,
		.nat_journal = nothing,
		.sit_journal = nothing,
	};
	int err;

	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		pack.logs[i] = (struct pack_log){ .segno = v->runs[RUN_LOGS + i].first, .sums = nothing };
	err = pack_build(&pack);
	if (!err)
		err = pack_write(&pack, v->roots, start);
	if (!err)
		err = pack_seal(&pack, v->roots, start);
	pack_free(&pack);
	return err;
}

/* Replace the checkpoint of the new volume, which has the root alone. */
static int write_packs(struct f2fs_context *ctx, struct volume *v, uint64_t version)
{
	const size_t bytes = (size_t)(1 + v->geo.cp_payload) * SHAPE_BLOCK;
	uint32_t blocks = 0, segments = 0;
	uint8_t *cp = malloc(bytes);
	int err = cp ? 0 : F2FS_ERR_NOMEM;

	for (unsigned i = 0; i < RUNS; i++) {
		blocks += v->runs[i].blocks;
		segments += v->runs[i].segments;
	}
	if (!err)
		err = f2fs_device_read(v->roots, (uint64_t)v->geo.cp_blkaddr * SHAPE_BLOCK, cp, bytes);
	if (!err) {
		cp_set_valid_block_count(cp, blocks);
		cp_set_valid_node_count(cp, v->inodes);
		cp_set_valid_inode_count(cp, v->inodes);
		cp_set_free_segment_count(cp, v->geo.segment_count_main - segments);
		cp_set_next_free_nid(cp, v->geo.root_ino + v->inodes);
		err = write_pack(ctx, v, cp, 2, version - 1);
	}
	if (!err)
		err = write_pack(ctx, v, cp, 1, version);
	free(cp);
	return err;
}

static int plan(struct f2fs_context *ctx, struct volume *v, uint64_t *size)
{
	static const uint8_t uuid[16] = { 7 };
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options),
						   .large_nat = 1,
						   .no_nat_bits = 1,
						   .has_time = 1,
						   .time = 1600000000,
						   .checkpoint_version = 5,
						   .uuid = uuid };
	struct f2fs_mkfs_result result = { F2FS_SIZED(f2fs_mkfs_result) };
	struct f2fs_mkfs_device device = { 0 };
	struct shape *shapes = calloc(PLAIN_LEVELS, sizeof(*shapes));
	uint32_t fanout[PLAIN_LEVELS];
	int err = shapes ? 0 : F2FS_ERR_NOMEM;

	for (unsigned i = 0; i < PLAIN_LEVELS; i++)
		fanout[i] = v->levels[i].fanout;
	if (!err)
		err = shapes_make(ctx, fanout, shapes);
	for (unsigned i = 0; !err && i < PLAIN_LEVELS; i++)
		v->levels[i].shape = shapes[i];
	free(shapes);
	plan_levels(v);
	*size = size_for(v->inodes);
	if (!err)
		err = f2fs_device_open_memory(ctx, *size, &v->roots);
	device.device = v->roots;
	if (!err)
		err = f2fs_mkfs_write(ctx, &device, 1, &options, &result);
	v->geo = result.layout.geometry;
	return err ? err : write_packs(ctx, v, result.checkpoint_version);
}

static void count_all(const struct volume *v, struct plain_counts *counts)
{
	*counts = (struct plain_counts){ .files = v->runs[RUN_FILES].blocks,
					 .directories = v->runs[RUN_DIRS].blocks,
					 .first_file = addr_in(v, RUN_FILES, 0) };
	for (unsigned i = 0; i < RUNS; i++)
		counts->segments += v->runs[i].segments;
	for (unsigned i = 0; i < PLAIN_LEVELS; i++)
		if (v->levels[i].shape.count > 1)
			counts->large_names += (uint64_t)v->levels[i].count * v->levels[i].fanout;
}

int plain_files_open(struct f2fs_context *ctx, uint64_t files, struct plain_counts *counts, struct f2fs_device **out)
{
	static const struct f2fs_device_ops ops = {
		F2FS_SIZED(f2fs_device_ops), .read = read_volume, .close = close_volume
	};
	struct f2fs_device_info info = { .sector_size = 512, .caps = F2FS_DEVICE_PARALLEL };
	const uint64_t dirs = files / PLAIN_FILES, groups = div_ceil64(dirs, 1000);
	struct volume *v;
	int err;

	if (dirs == 0 || groups > 1000 || groups * (dirs / groups) * PLAIN_FILES != files)
		return f2fs_context_fail(ctx, F2FS_ERR_INVALID, "not a number of files that fills all directories");
	v = calloc(1, sizeof(*v));
	if (!v)
		return f2fs_context_fail(ctx, F2FS_ERR_NOMEM, "no memory for the shapes of directories");
	v->levels[0].fanout = (uint32_t)groups;
	v->levels[1].fanout = (uint32_t)(dirs / groups);
	v->levels[2].fanout = PLAIN_FILES;
	v->levels[3].fanout = 1;
	err = plan(ctx, v, &info.size);
	if (!err)
		err = f2fs_device_open_custom(ctx, &ops, v, &info, out);
	if (err)
		close_volume(v);
	else
		count_all(v, counts);
	return err;
}
