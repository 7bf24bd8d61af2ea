/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Zoned devices: blocks in use are before the zone's write pointer, and after an unmount a log continues at the pointer
 * (FORMAT volume 9.1). Zones that wait to be reset or finished are left to the next mount. The exception is a zone with
 * unwritten blocks in use: a repair finishes it, as the kernel does, so that it can be read.
 */
#include "device/device.h"
#include "facts/finding.h"
#include "facts/zones.h"
#include "volume/zone_map.h"

#define ZONES_AT_ONCE 64u

static int raise_zone(struct checker *c, enum problem problem, f2fs_blk_t block, uint32_t log, uint64_t found,
		      uint64_t expected)
{
	return problem_raise(c, &(struct finding){ .problem = (uint16_t)problem,
						   .has_block = 1,
						   .block = block,
						   .has_segno = 1,
						   .segno = geometry_segment_of(c->geo, block),
						   .has_slot = problem == P_ZONE_POINTER,
						   .slot = log,
						   .has_values = 1,
						   .found = found,
						   .expected = expected });
}

/* Is a block in use past the written end of the zone? Raises one finding for a zone. */
static int check_beyond(struct checker *c, uint64_t pointer, uint64_t end)
{
	for (uint64_t block = pointer; block < end;) {
		const struct seg_fact *seg = facts_seg(&c->facts, geometry_segment_of(c->geo, (f2fs_blk_t)block));
		const uint32_t offset = geometry_offset_of(c->geo, (f2fs_blk_t)block);

		if (!seg) {
			block += F2FS_SEGMENT_BLOCKS - offset;
			continue;
		}
		if (msb_test(seg->data_map, offset) || msb_test(seg->node_map, offset))
			return raise_zone(c, P_ZONE_BEYOND, (f2fs_blk_t)block, 0, pointer, 0);
		block++;
	}
	return 0;
}

static int check_logs(struct checker *c, uint64_t start, uint64_t pointer, uint64_t end)
{
	int err = 0;

	for (unsigned log = 0; log < F2FS_LOG_COUNT && !err; log++) {
		const f2fs_blk_t next = geometry_segment_start(c->geo, checkpoint_log_segno(c->vol->view->cp, log)) +
					checkpoint_log_blkoff(c->vol->view->cp, log);

		if (next >= start && next < end && next != pointer)
			err = raise_zone(c, P_ZONE_POINTER, next, log, pointer, next);
	}
	return err;
}

static int check_zone(struct checker *c, const struct f2fs_zone *zone)
{
	const uint32_t bits = c->geo->block_bits;
	const uint64_t start = zone->start >> bits, pointer = zone->write_pointer >> bits;
	uint64_t end = (zone->start + zone->length) >> bits;
	int err;

	if (end > c->geo->end_blkaddr)
		end = c->geo->end_blkaddr;
	if (zone->type != F2FS_ZONE_SEQUENTIAL || start < c->geo->main_blkaddr || start >= end)
		return 0;
	err = check_beyond(c, pointer, end);
	if (!err && c->result->is_unmounted)
		err = check_logs(c, start, pointer, end);
	return err;
}

int zones_check(struct checker *c)
{
	struct f2fs_device *dev = c->vol->dev;
	struct f2fs_zone zones[ZONES_AT_ONCE];
	unsigned found = 0;
	int err = 0;

	if (!(f2fs_device_info(dev)->caps & F2FS_DEVICE_ZONED) || !geometry_has(c->geo, F2FS_FEAT_BLKZONED))
		return 0;
	for (uint64_t first = 0; !err; first += found) {
		int rc = device_zones_quiet(dev, first, zones, ZONES_AT_ONCE, &found);

		if (rc != 0)
			return device_report(dev, rc, "read the zones of", 0, 0);
		if (found == 0)
			break;
		for (unsigned i = 0; i < found && !err; i++)
			err = check_zone(c, &zones[i]);
	}
	return err;
}

int zones_repair(struct checker *c)
{
	int err = 0;

	for (size_t i = 0; i < c->findings.count && !err; i++) {
		const struct finding *f = vec_at(&c->findings, i);

		if (f->problem == P_ZONE_BEYOND)
			err = zones_finish(c->vol, f->segno / c->geo->segs_per_sec);
	}
	return err;
}
