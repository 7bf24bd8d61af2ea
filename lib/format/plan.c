/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The arithmetic of a new layout (FORMAT volume 3.3, 3.5, 3.6, 9); overprovision.c has the space kept for GC. The
 * formulas are those of f2fs-tools, rounding for rounding, except:
 * - a read-only volume starts at block 2 at every block size (with 16 KiB blocks f2fs-tools lets the superblock and the
 *   checkpoint overlap);
 * - the main area ends below the block addresses 0xFFFFFFFE and 0xFFFFFFFF, which have other meanings in a node (this
 *   takes one zone from a volume of exactly 16 TiB);
 * - with 16 KiB blocks volumes go up to what the format holds, 64 TiB;
 * - a log never starts in an alias device or past the main area: rather the logs follow one another;
 * - space beyond the capacity of zones does not count as usable, on a single device either: a kernel that is to fill
 *   such a volume finds no free section (f2fs-tools count whole zones there, and each segment that is begun on several
 *   devices);
 * - each further device must hold a zone, and the metadata must end before an alias begins.
 */
#include "format/plan.h"

#include <assert.h>
#include <string.h>

#include "base/checked.h"
#include "format/flags.h"
#include "format/geometry.h"
#include "format/overprovision.h"

#define SEG F2FS_SEGMENT_BLOCKS
#define CP_HEAD 192u /* bytes of a checkpoint block before the bitmaps */
#define LARGE_NAT_PERCENT 20u
/* First block address that must not be one: NEW_ADDR and COMPRESS_ADDR. */
#define ADDRESS_LIMIT 0xFFFFFFFEu

/* Shared state of the steps. */
struct planner {
	const struct plan_input *in;
	struct f2fs_layout *out;
	struct f2fs_geometry *geo; /* of out */
	uint64_t segment_bytes;
	uint32_t zone_segments; /* per zone */
	uint32_t meta_segments; /* of all metadata areas, rounded up to zones */
	uint32_t least_sit, least_nat; /* segments of one copy */
	bool is_ro, is_zoned;
};

const char *plan_text(enum plan_result result)
{
	static const char *const texts[] = { "possible",
#define PLAN_ROW(name, text) text,
					     PLAN_TABLE(PLAN_ROW)
#undef PLAN_ROW
	};

	return texts[result];
}

enum plan_result plan_features(uint32_t feature, uint32_t block_size, uint32_t *normalized)
{
	const uint32_t known = F2FS_FEAT_ENCRYPT | F2FS_FEAT_BLKZONED | F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_PROJECT_QUOTA |
			       F2FS_FEAT_INODE_CHECKSUM | F2FS_FEAT_FLEXIBLE_INLINE_XATTR | F2FS_FEAT_QUOTA |
			       F2FS_FEAT_INODE_CRTIME | F2FS_FEAT_LOST_FOUND | F2FS_FEAT_VERITY |
			       F2FS_FEAT_SB_CHECKSUM | F2FS_FEAT_CASEFOLD | F2FS_FEAT_COMPRESSION | F2FS_FEAT_RO |
			       F2FS_FEAT_DEVICE_ALIAS | F2FS_FEAT_PACKED_SSA;
	const uint32_t in_extra_attr = F2FS_FEAT_PROJECT_QUOTA | F2FS_FEAT_INODE_CHECKSUM |
				       F2FS_FEAT_FLEXIBLE_INLINE_XATTR | F2FS_FEAT_INODE_CRTIME | F2FS_FEAT_COMPRESSION;

	if (feature & ~known)
		return PLAN_FEATURE_UNKNOWN;
	if ((feature & in_extra_attr) && !(feature & F2FS_FEAT_EXTRA_ATTR))
		return PLAN_FEATURE_EXTRA_ATTR;
	if ((feature & F2FS_FEAT_RO) && (feature & F2FS_FEAT_BLKZONED))
		return PLAN_RO_ZONED;
	if ((feature & F2FS_FEAT_RO) && (feature & F2FS_FEAT_DEVICE_ALIAS))
		return PLAN_RO_ALIAS;
	if (feature & F2FS_FEAT_PROJECT_QUOTA)
		feature |= F2FS_FEAT_QUOTA;
	if (block_size == 4096)
		feature &= ~(uint32_t)F2FS_FEAT_PACKED_SSA;
	*normalized = feature;
	return PLAN_OK;
}

static bool is_sequential(const struct plan_device *dev)
{
	return dev->zone_type == F2FS_ZONE_SEQUENTIAL;
}

/* All zoned devices agree on a zone size that holds whole segments; it becomes the section. */
static enum plan_result take_zone_size(struct planner *p)
{
	const struct plan_input *in = p->in;
	uint64_t zone_bytes = 0;

	for (unsigned i = 0; i < in->device_count; i++) {
		const struct plan_device *dev = &in->devices[i];

		if (dev->zone_bytes == 0)
			continue;
		if (zone_bytes && dev->zone_bytes != zone_bytes)
			return PLAN_ZONE_SIZES;
		zone_bytes = dev->zone_bytes;
		if (i == 0 && is_sequential(dev) && in->device_count > 1 && dev->conventional_zones == 0)
			return PLAN_ZONE_FIRST_ZONED;
	}
	if (zone_bytes == 0)
		return p->is_zoned ? PLAN_NOT_ZONED : PLAN_OK;
	if (!p->is_zoned)
		return PLAN_ZONED;
	if (zone_bytes % p->segment_bytes || zone_bytes / p->segment_bytes > MAX_SEGMENTS)
		return PLAN_ZONE_SIZE;
	p->geo->segs_per_sec = (uint32_t)(zone_bytes / p->segment_bytes);
	p->geo->secs_per_zone = 1;
	return PLAN_OK;
}

static enum plan_result check_sectors(struct planner *p)
{
	const struct plan_input *in = p->in;
	uint32_t sector = in->devices[0].sector_size;

	if (sector < 512 || sector > in->block_size || (sector & (sector - 1)))
		return PLAN_SECTOR_SIZE;
	for (unsigned i = 1; i < in->device_count; i++)
		if (in->devices[i].sector_size != sector)
			return PLAN_SECTOR_SIZES;
	p->geo->sector_size = sector;
	return PLAN_OK;
}

/* Take over what needs no arithmetic, and refuse what makes no sense at any size. */
static enum plan_result start(struct planner *p)
{
	const struct plan_input *in = p->in;
	uint64_t zone_segments;
	enum plan_result bad;

	if (in->block_size != 4096 && in->block_size != 16384)
		return PLAN_BLOCK_SIZE;
	geometry_set_block_size(p->geo, in->block_size == 4096 ? 12 : 14, in->feature);
	p->segment_bytes = (uint64_t)SEG * in->block_size;
	p->geo->segs_per_sec = in->segs_per_sec;
	p->geo->secs_per_zone = in->secs_per_zone;
	p->geo->root_ino = ROOT_INO;
	p->out->device_count = in->device_count;
	p->out->large_nat = in->large_nat;
	bad = check_sectors(p);
	if (!bad)
		bad = take_zone_size(p);
	if (bad)
		return bad;
	zone_segments = (uint64_t)p->geo->segs_per_sec * p->geo->secs_per_zone;
	if (zone_segments < 1 || zone_segments > MAX_SEGMENTS)
		return PLAN_SECTION_SIZE;
	p->zone_segments = (uint32_t)zone_segments;
	if (in->overprovision != 0 && !(in->overprovision > 0 && in->overprovision < 100))
		return PLAN_OVERPROVISION;
	if (in->reserved_sections && !p->is_zoned)
		return PLAN_RESERVED_ZONED;
	if (in->reserved_sections && in->reserved_sections < 8)
		return PLAN_RESERVED;
	return PLAN_OK;
}

/* Find the byte of the first segment: aligned to the zones of the disk, after the superblocks. */
static uint64_t find_segment0(const struct planner *p)
{
	const struct plan_input *in = p->in;
	uint64_t zone_bytes = p->segment_bytes * p->zone_segments;
	uint64_t align = p->is_zoned && in->device_count > 1 ? p->segment_bytes : zone_bytes;
	uint64_t before = in->start_sector * 512, at;

	if (p->is_ro)
		return 2 * (uint64_t)in->block_size;
	at = div_ceil64(before + 2 * (uint64_t)in->block_size, align) * align - before;
	/* several devices, zoned: what follows the first device starts a zone, counted from segment0 */
	if (p->is_zoned && in->device_count > 1 && in->devices[0].size > at)
		at += (in->devices[0].size - at) % zone_bytes;
	return at;
}

/* Cut each device into zones and place them one after the other. */
static enum plan_result place_devices(struct planner *p)
{
	const struct plan_input *in = p->in;
	const uint64_t limit = (uint64_t)in->block_size << 32;
	uint64_t segment0 = find_segment0(p), total = 0, bytes = 0, next;

	if (in->devices[0].size < segment0)
		return PLAN_TOO_SMALL;
	next = segment0 / in->block_size;
	for (unsigned i = 0; i < in->device_count; i++)
		if (!checked_add64(bytes, in->devices[i].size, &bytes) || bytes > limit)
			return PLAN_TOO_LARGE;
	p->geo->segment0_blkaddr = (uint32_t)next;
	p->geo->cp_blkaddr = (uint32_t)next;
	for (unsigned i = 0; i < in->device_count; i++) {
		const struct plan_device *dev = &in->devices[i];
		struct f2fs_layout_device *place = &p->out->devices[i];
		uint64_t segments = (dev->size - (i == 0 ? segment0 : 0)) / p->segment_bytes, room;

		room = (ADDRESS_LIMIT - next) / SEG;
		if (segments > room)
			segments = room;
		segments -= segments % p->zone_segments;
		if (i > 0 && segments == 0)
			return PLAN_DEVICE_SIZE;
		place->size = dev->size;
		place->segments = (uint32_t)segments;
		place->start = i == 0 ? 0 : (f2fs_blk_t)next;
		next += segments * SEG;
		place->end = (f2fs_blk_t)next;
		place->is_alias = dev->is_alias;
		place->zone_type = dev->zone_type;
		total += segments;
		if (dev->is_alias)
			p->out->alias_segments += (uint32_t)segments;
	}
	p->geo->segment_count = (uint32_t)total;
	p->geo->block_count = bytes >> p->geo->block_bits;
	return PLAN_OK;
}

/* A zoned device's zones must be on zone boundaries of the volume. */
static enum plan_result check_zone_starts(const struct planner *p)
{
	const struct plan_input *in = p->in;
	uint64_t zone_blocks = (uint64_t)p->zone_segments * SEG;

	if (!p->is_zoned)
		return PLAN_OK;
	if (in->start_sector % 8)
		return PLAN_ZONE_START;
	if (in->device_count == 1 && (p->geo->segment0_blkaddr + in->start_sector * 512 / in->block_size) % zone_blocks)
		return PLAN_ZONE_START;
	if (in->device_count > 1 && (p->out->devices[1].start - p->geo->segment0_blkaddr) % zone_blocks)
		return PLAN_ZONE_START;
	return PLAN_OK;
}

static uint32_t larger32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* SIT: an entry per segment, two copies; the bits of its version bitmap. */
static enum plan_result size_sit(struct planner *p)
{
	struct f2fs_geometry *geo = p->geo;
	uint32_t copy = larger32(div_ceil32(div_ceil32(geo->segment_count, geo->sit_per_block), SEG), p->least_sit);

	geo->segment_count_ckpt = 2;
	geo->segment_count_sit = 2 * copy;
	p->out->sit_bitmap_bytes = copy * (SEG / 8);
	geo->sit_blkaddr = geo->cp_blkaddr + 2 * SEG;
	geo->nat_blkaddr = geo->sit_blkaddr + geo->segment_count_sit * SEG;
	return geo->segment_count > 2 + geo->segment_count_sit ? PLAN_OK : PLAN_TOO_SMALL;
}

/*
 * NAT: an entry per block after the SIT would be enough for all; the room for its version bitmap in the checkpoint
 * block sets a limit, or with large_nat payload blocks are added and a fifth of that number is made.
 */
static enum plan_result size_nat(struct planner *p)
{
	struct f2fs_geometry *geo = p->geo;
	const uint32_t room = geo->block_size - 4 - CP_HEAD;
	uint32_t sit_bytes = p->out->sit_bitmap_bytes;
	uint64_t blocks = (uint64_t)(geo->segment_count - 2 - geo->segment_count_sit) * SEG;
	uint32_t copy = (uint32_t)div_ceil64(div_ceil64(blocks, geo->nat_per_block), SEG);
	uint32_t limit;

	if (p->in->large_nat) {
		copy = larger32(larger32(copy * LARGE_NAT_PERCENT / 100, 1), p->least_nat);
		limit = sit_bytes + copy * (SEG / 8);
		geo->cp_payload = limit > room ? div_ceil32(limit - room, geo->block_size) : 0;
	} else {
		/* the smallest NAT that there can be must fit in */
		bool outside = sit_bytes > room - larger32(p->least_nat, 1) * (SEG / 8);

		limit = (outside ? room : room - sit_bytes) / (SEG / 8);
		geo->cp_payload = outside ? div_ceil32(sit_bytes, geo->block_size) : 0;
		if (copy > limit)
			copy = limit;
		copy = larger32(copy, p->least_nat);
	}
	geo->segment_count_nat = 2 * copy;
	p->out->nat_bitmap_bytes = copy * (SEG / 8);
	p->out->checksum_offset = p->in->large_nat ? CP_HEAD : geo->block_size - 4;
	geo->ssa_blkaddr = geo->nat_blkaddr + geo->segment_count_nat * SEG;
	return geo->segment_count > 2 + geo->segment_count_sit + geo->segment_count_nat ? PLAN_OK : PLAN_TOO_SMALL;
}

/* SSA: a summary for each segment left, filled up to whole zones; then the main area. */
static enum plan_result size_ssa_and_main(struct planner *p)
{
	struct f2fs_geometry *geo = p->geo;
	uint32_t before = 2 + geo->segment_count_sit + geo->segment_count_nat;
	uint32_t blocks = p->is_ro ? 0 : div_ceil32(geo->segment_count - before, geo->sums_per_block);
	uint32_t ssa = div_ceil32(blocks, SEG), meta = before + ssa, zones;

	if (meta % p->zone_segments)
		ssa += p->zone_segments - meta % p->zone_segments;
	geo->segment_count_ssa = ssa;
	meta = before + ssa;
	p->meta_segments = meta;
	if (geo->segment_count <= meta)
		return PLAN_TOO_SMALL;
	geo->main_blkaddr = geo->ssa_blkaddr + ssa * SEG;
	zones = (geo->segment_count - meta) / p->zone_segments;
	geo->section_count = zones * geo->secs_per_zone;
	geo->segment_count_main = geo->section_count * geo->segs_per_sec;
	return PLAN_OK;
}

/* The metadata must be writable in place: it stays out of sequential zones and alias devices. */
static enum plan_result check_metadata_place(const struct planner *p)
{
	const struct plan_device *first = &p->in->devices[0];
	uint64_t main_start = p->geo->main_blkaddr;

	if (is_sequential(first) && first->conventional_zones < main_start / ((uint64_t)p->zone_segments * SEG))
		return PLAN_ZONE_METADATA;
	for (unsigned i = 1; i < p->in->device_count; i++) {
		if (p->out->devices[i].start >= main_start)
			continue;
		if (p->in->devices[i].zone_bytes)
			return PLAN_ZONE_FIRST_DEVICE;
		if (p->in->devices[i].is_alias)
			return PLAN_ALIAS_METADATA;
	}
	return PLAN_OK;
}

/* Blocks that each section can hold: where zones hold less than their size, all sections do (FORMAT volume 9.1). */
static uint32_t section_blocks(const struct planner *p)
{
	const uint32_t all = p->geo->segs_per_sec * SEG;

	for (unsigned i = 0; i < p->in->device_count; i++) {
		const uint64_t held = p->in->devices[i].zone_capacity / p->in->block_size;

		if (is_sequential(&p->in->devices[i]) && held > 0 && held < all)
			return (uint32_t)held;
	}
	return all;
}

static enum plan_result reserve(struct planner *p)
{
	struct f2fs_layout *out = p->out;
	struct overprovision_input in = {
		.section_blocks = section_blocks(p),
		.main = p->geo->segment_count_main,
		.sections = p->geo->section_count,
		.segs_per_sec = p->geo->segs_per_sec,
		.reserved_sections = p->in->reserved_sections,
		.percent = p->in->overprovision,
		.is_ro = p->is_ro,
	};
	struct overprovision_output space;

	if (!overprovision_compute(&in, &space))
		return in.reserved_sections ? PLAN_RESERVED_RATIO : PLAN_TOO_SMALL;
	out->usable_segments = in.sections * div_ceil32(in.section_blocks, SEG);
	out->overprovision = space.percent;
	out->reserved_segments = space.reserved;
	out->overprovision_segments = space.overprovision;
	out->user_blocks = space.user_blocks;
	return PLAN_OK;
}

/* Return the alias device that contains a main segment, -1 if none. */
static int alias_at(const struct planner *p, uint64_t segno)
{
	uint64_t addr = p->geo->main_blkaddr + segno * SEG;

	for (unsigned i = 0; i < p->in->device_count; i++)
		if (p->out->devices[i].is_alias && addr >= p->out->devices[i].start && addr < p->out->devices[i].end)
			return (int)i;
	return -1;
}

/* Move a log's first segment up, or down, to the nearest zone outside alias devices. */
static uint64_t outside_alias(const struct planner *p, uint64_t segno, bool up)
{
	int i;

	while ((i = alias_at(p, segno)) >= 0) {
		const struct f2fs_layout_device *dev = &p->out->devices[i];

		if (up)
			segno = (dev->end - p->geo->main_blkaddr) / SEG;
		else
			segno = (dev->start - p->geo->main_blkaddr) / SEG - p->zone_segments;
	}
	return segno;
}

static uint64_t zone_behind(const struct planner *p, uint64_t segno)
{
	return outside_alias(p, segno + p->zone_segments, true);
}

/* First segment of zone number count - 1. */
static uint64_t last_zone(const struct planner *p, uint32_t count)
{
	return outside_alias(p, (uint64_t)(count - 1) * p->zone_segments, false);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Zoned: where the node logs begin: on the second device when that is large enough, so that the first stays free. */
static uint64_t first_zoned_log(const struct planner *p, uint32_t zones)
{
	uint32_t conventional = p->out->devices[0].segments / p->zone_segments - p->meta_segments / p->zone_segments;
	bool sequential = false;

	for (unsigned i = 0; i < p->in->device_count; i++)
		sequential = sequential || is_sequential(&p->in->devices[i]);
	if (!sequential || p->in->device_count < 2 ||
	    zones - conventional < F2FS_LOG_COUNT + p->out->alias_segments / p->zone_segments)
		return 0;
	return (p->out->devices[1].start - p->geo->main_blkaddr) / SEG;
}

/* FORMAT volume 3.6 */
static void choose_logs(const struct planner *p, uint32_t zones, uint64_t *log)
{
	if (p->is_ro) {
		memset(log, 0, sizeof(*log) * F2FS_LOG_COUNT);
		log[F2FS_HOT_NODE] = last_zone(p, zones) + (uint64_t)(p->geo->secs_per_zone - 1) * p->geo->segs_per_sec;
		return;
	}
	log[F2FS_HOT_NODE] = p->is_zoned ? first_zoned_log(p, zones) : 0;
	log[F2FS_WARM_NODE] = zone_behind(p, log[F2FS_HOT_NODE]);
	log[F2FS_COLD_NODE] = zone_behind(p, log[F2FS_WARM_NODE]);
	log[F2FS_HOT_DATA] = zone_behind(p, log[F2FS_COLD_NODE]);
	if (p->is_zoned) {
		log[F2FS_WARM_DATA] = zone_behind(p, log[F2FS_HOT_DATA]);
		log[F2FS_COLD_DATA] = zone_behind(p, log[F2FS_WARM_DATA]);
		return;
	}
	log[F2FS_COLD_DATA] = larger(last_zone(p, zones / 4), zone_behind(p, log[F2FS_HOT_DATA]));
	log[F2FS_WARM_DATA] = larger(last_zone(p, zones / 2), zone_behind(p, log[F2FS_COLD_DATA]));
}

/* Six different segments of the main area, none on an alias? A read-only volume has two logs. */
static bool logs_are_good(const struct planner *p, const uint64_t *log)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		if (log[i] >= p->geo->segment_count_main || alias_at(p, log[i]) >= 0)
			return false;
		for (unsigned j = i + 1; j < F2FS_LOG_COUNT && !p->is_ro; j++)
			if (log[i] == log[j])
				return false;
	}
	return true;
}

static enum plan_result place_logs(struct planner *p)
{
	uint32_t zones = p->geo->section_count / p->geo->secs_per_zone;
	uint32_t needed = (p->is_ro ? 2 : F2FS_LOG_COUNT) + p->out->alias_segments / p->zone_segments;
	uint64_t log[F2FS_LOG_COUNT];

	if (zones <= needed)
		return PLAN_TOO_SMALL;
	choose_logs(p, zones, log);
	if (!logs_are_good(p, log)) {
		log[0] = outside_alias(p, 0, true);
		for (unsigned i = 1; i < F2FS_LOG_COUNT; i++)
			log[i] = zone_behind(p, log[i - 1]);
	}
	if (!logs_are_good(p, log))
		return PLAN_TOO_SMALL;
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		p->out->logs[i] = (f2fs_seg_t)log[i];
	return PLAN_OK;
}

/*
 * Are maps of full and empty NAT blocks made? They need room after the pack; the kernel refuses a volume when twice
 * their true size does not fit (FORMAT volume 10.1, B 11).
 */
static bool wants_nat_bits(const struct planner *p)
{
	uint32_t by_kernel = div_ceil32(2 * (p->geo->segment_count_nat * (SEG / 8)) + 8, p->geo->block_size);

	return !p->in->no_nat_bits && 6 + p->geo->cp_payload <= SEG - p->geo->nat_bits_blocks &&
	       p->geo->cp_payload + 8 + by_kernel < SEG;
}

static enum plan_result finish(struct planner *p)
{
	struct f2fs_layout *out = p->out;
	uint32_t used = (p->is_ro ? 2 : F2FS_LOG_COUNT) + out->alias_segments;

	geometry_derive(p->geo);
	if (p->geo->segment_count < 9 || out->usable_segments <= used || p->geo->cp_payload >= SEG - 8)
		return PLAN_TOO_SMALL;
	out->free_segments = out->usable_segments - used;
	out->nat_bits = wants_nat_bits(p);
	return PLAN_OK;
}

enum plan_result plan_layout(const struct plan_input *in, struct f2fs_layout *out)
{
	static enum plan_result (*const steps[])(struct planner * p) = {
		start, place_devices, size_sit, size_nat, size_ssa_and_main, reserve, place_logs, finish,
	};
	struct f2fs_layout layout;
	struct planner p = {
		.in = in,
		.out = &layout,
		.geo = &layout.geometry,
		.is_ro = (in->feature & F2FS_FEAT_RO) != 0,
		.is_zoned = (in->feature & F2FS_FEAT_BLKZONED) != 0,
	};

	assert(in->device_count >= 1 && in->device_count <= F2FS_MAX_DEVICES);
	memset(&layout, 0, sizeof(layout));
	for (unsigned i = 0; i < in->device_count; i++) {
		if (i == 0 && in->devices[i].is_alias)
			return PLAN_ALIAS_FIRST;
		if (in->devices[i].is_alias && is_sequential(&in->devices[i]))
			return PLAN_ALIAS_ZONED;
	}
	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		enum plan_result bad = steps[i](&p);

		if (!bad && steps[i] == place_devices)
			bad = check_zone_starts(&p);
		if (!bad && steps[i] == size_ssa_and_main)
			bad = check_metadata_place(&p);
		if (bad)
			return bad;
	}
	*out = layout;
	return PLAN_OK;
}

enum plan_result plan_areas(const struct plan_areas *in, uint32_t segment0, struct f2fs_layout *out)
{
	struct plan_input shape = { .large_nat = in->large_nat };
	struct planner p = {
		.in = &shape,
		.out = out,
		.geo = &out->geometry,
		.zone_segments = in->segs_per_sec * in->secs_per_zone,
		.least_sit = in->least_sit_segments / 2,
		.least_nat = in->least_nat_segments / 2,
		.is_ro = (in->feature & F2FS_FEAT_RO) != 0,
	};
	enum plan_result bad;

	memset(out, 0, sizeof(*out));
	geometry_set_block_size(p.geo, in->block_size == 4096 ? 12 : 14, in->feature);
	p.geo->segs_per_sec = in->segs_per_sec;
	p.geo->secs_per_zone = in->secs_per_zone;
	p.geo->root_ino = ROOT_INO;
	p.geo->segment0_blkaddr = p.geo->cp_blkaddr = segment0;
	p.geo->segment_count = in->segment_count;
	bad = size_sit(&p);
	if (!bad)
		bad = size_nat(&p);
	if (!bad)
		bad = size_ssa_and_main(&p);
	if (!bad && p.geo->cp_payload >= SEG - 8)
		bad = PLAN_TOO_LARGE;
	geometry_derive(p.geo);
	return bad;
}

/* Only whole zones count, so the sizes to try are few: a hundred or so, more when the ratio given is very small. */
uint64_t plan_minimum(const struct plan_input *in)
{
	enum { MOST_ZONES = 1 << 17 };
	struct plan_input try = *in;
	struct f2fs_layout layout;
	struct planner p = { .in = in, .out = &layout, .geo = &layout.geometry };
	uint64_t zone_bytes, segment0;

	p.is_ro = (in->feature & F2FS_FEAT_RO) != 0;
	memset(&layout, 0, sizeof(layout));
	if (start(&p) || (in->feature & F2FS_FEAT_BLKZONED))
		return 0;
	zone_bytes = p.segment_bytes * p.zone_segments;
	segment0 = find_segment0(&p);
	for (uint64_t n = 1; n <= MOST_ZONES; n++) {
		enum plan_result result;

		try.devices[0].size = segment0 + n * zone_bytes;
		if (try.devices[0].size <= in->devices[0].size)
			continue;
		result = plan_layout(&try, &layout);
		if (result == PLAN_OK)
			return try.devices[0].size;
		if (result != PLAN_TOO_SMALL && result != PLAN_ALIAS_METADATA)
			break;
	}
	return 0;
}
