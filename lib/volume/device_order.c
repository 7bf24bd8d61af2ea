/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Look at nodes to see which device is which. A further device begins with blocks of files and has nothing that names
 * it. But a node block has its node id, and the NAT has the block of each id: a block whose id leads back to it is
 * where it belongs. Where the nodes of a device are at the same places of another one, devices were exchanged, or one
 * was given twice.
 */
#include "volume/device_order.h"

#include <string.h>

#include "base/error.h"
#include "device/device.h"
#include "device/slice.h"
#include "format/node.h"
#include "format/superblock.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"
#include "volume/sit_read.h"

enum { MOST_SEGMENTS = 4096, SAMPLES = 8, FROM_ONE_SEGMENT = 4, MOST_DEVICES = 8, FIRST_NODE_LOG = F2FS_HOT_NODE };

/* The blocks of a device within the volume. */
struct part {
	uint64_t start, end;
};

struct sampling {
	struct f2fs_volume *vol;
	struct part parts[MOST_DEVICES];
	unsigned parts_count;
	uint8_t *block;
	f2fs_blk_t samples[SAMPLES]; /* where nodes of the device should be */
	unsigned count;
};

static unsigned find_parts(const struct f2fs_volume *vol, struct part parts[MOST_DEVICES])
{
	const unsigned count = superblock_device_count(vol->sb);
	uint64_t at = 0;

	for (unsigned i = 0; i < count && i < MOST_DEVICES; i++) {
		parts[i].start = at;
		at += (uint64_t)sbdev_total_segments(superblock_device(vol->sb, i)) * F2FS_SEGMENT_BLOCKS;
		if (i == 0)
			at += vol->geo.segment0_blkaddr;
		parts[i].end = at;
	}
	return count < MOST_DEVICES ? count : MOST_DEVICES;
}

/* Is the block at `there` the node that the NAT has at `home`? */
static bool is_node_of(struct sampling *s, uint64_t there, f2fs_blk_t home)
{
	const struct f2fs_geometry *geo = &s->vol->geo;
	struct f2fs_nat_info nat;
	f2fs_nid_t nid;

	if (there >= geo->end_blkaddr ||
	    device_read_quiet(s->vol->cache, there << geo->block_bits, s->block, geo->block_size) != 0)
		return false;
	nid = footer_nid(node_footer(geo, s->block));
	return geometry_is_nid(geo, nid) && nat_get(s->vol, nid, &nat) == 0 && nat.block_addr == home &&
	       nat.ino == footer_ino(node_footer(geo, s->block));
}

static void sample_segment(struct sampling *s, const struct f2fs_segment_info *segment)
{
	const f2fs_blk_t first = geometry_segment_start(&s->vol->geo, segment->segno);
	unsigned taken = 0;

	for (unsigned i = 0; i < F2FS_SEGMENT_BLOCKS && taken < FROM_ONE_SEGMENT && s->count < SAMPLES; i++)
		if (segment->valid_map[i / 8] & 0x80u >> i % 8) {
			s->samples[s->count++] = first + i;
			taken++;
		}
}

/* Choose blocks of a device that the SIT has as nodes. */
static void choose(struct sampling *s, const struct part *part)
{
	const struct f2fs_geometry *geo = &s->vol->geo;
	const f2fs_seg_t first = geometry_segment_of(geo, (f2fs_blk_t)part->start);

	s->count = 0;
	for (f2fs_seg_t segno = first; segno < geo->segment_count_main && segno - first < MOST_SEGMENTS &&
				       geometry_segment_start(geo, segno) < part->end && s->count < SAMPLES;
	     segno++) {
		struct f2fs_segment_info segment;

		if (sit_lookup(s->vol, segno, &segment) == 0 && segment.valid_blocks > 0 &&
		    segment.type >= FIRST_NODE_LOG && segment.type < F2FS_LOG_COUNT)
			sample_segment(s, &segment);
	}
}

/* How many of the samples are at the same places of another device? */
static unsigned count_on(struct sampling *s, const struct part *home, const struct part *other)
{
	unsigned found = 0;

	for (unsigned i = 0; i < s->count; i++) {
		const uint64_t there = s->samples[i] - home->start + other->start;

		found += there < other->end && is_node_of(s, there, s->samples[i]);
	}
	return found;
}

static int refuse(struct f2fs_volume *vol, unsigned wanted, unsigned other)
{
	char path[65] = "";

	memcpy(path, sbdev_path(superblock_device(vol->sb, wanted)), 64);
	return error_set(vol->ctx, F2FS_ERR_INVALID,
			 "wrong devices, or in the wrong order: what belongs on number %u (%s) is on the one that was "
			 "given as number %u",
			 wanted + 1, path, other + 1);
}

static int check_device(struct sampling *s, unsigned number)
{
	const struct part *home = &s->parts[number];

	choose(s, home);
	if (s->count == 0)
		return 0;
	for (unsigned other = 1; other < s->parts_count; other++)
		if (other != number && count_on(s, home, &s->parts[other]) == s->count)
			return refuse(s->vol, number, other);
	if (count_on(s, home, home) == 0)
		s->vol->strange_devices |= 1u << number;
	return 0;
}

int device_order_check(struct f2fs_volume *vol)
{
	struct sampling s = { .vol = vol };
	int err = 0;

	if (superblock_device_count(vol->sb) < 2)
		return 0;
	s.parts_count = find_parts(vol, s.parts);
	s.block = mem_alloc(vol->ctx, vol->geo.block_size);
	if (!s.block)
		return F2FS_ERR_NOMEM;
	for (unsigned i = 1; i < s.parts_count && !err; i++)
		err = check_device(&s, i);
	mem_free(vol->ctx, s.block);
	if (err)
		return err;
	error_clear(vol->ctx); /* of blocks that could not be read */
	return 0;
}

int device_order_open(struct f2fs_volume *vol, unsigned number, struct f2fs_device **out)
{
	struct part parts[MOST_DEVICES];
	const unsigned bits = vol->geo.block_bits;

	if (number >= find_parts(vol, parts))
		return F2FS_ERR_NOT_FOUND;
	return device_new_slice(vol->dev, parts[number].start << bits,
				(parts[number].end - parts[number].start) << bits, out);
}
