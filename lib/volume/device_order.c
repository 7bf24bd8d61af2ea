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

enum { MOST_SEGMENTS = 4096, SAMPLES = 8, FROM_ONE_SEGMENT = 4, FIRST_NODE_LOG = F2FS_HOT_NODE };

/* The blocks of a device within the volume. */
struct part {
	uint64_t start, end;
};

struct sampling {
	struct f2fs_volume *vol;
	uint8_t *block;
	f2fs_blk_t samples[SAMPLES]; /* where nodes of the device should be */
	unsigned count;
};

static struct part part_of(const struct f2fs_volume *vol, unsigned number)
{
	struct part part;

	part.end = superblock_device_range(vol->sb, number, &part.start);
	part.end += part.start;
	return part;
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
static void choose(struct sampling *s, unsigned number)
{
	const struct part part = part_of(s->vol, number);
	const struct f2fs_geometry *geo = &s->vol->geo;
	const f2fs_seg_t first = geometry_segment_of(geo, (f2fs_blk_t)part.start);

	s->count = 0;
	for (f2fs_seg_t segno = first; segno < geo->segment_count_main && segno - first < MOST_SEGMENTS &&
				       geometry_segment_start(geo, segno) < part.end && s->count < SAMPLES;
	     segno++) {
		struct f2fs_segment_info segment;

		if (sit_lookup(s->vol, segno, &segment) == 0 && segment.valid_blocks > 0 &&
		    segment.type >= FIRST_NODE_LOG && segment.type < F2FS_LOG_COUNT)
			sample_segment(s, &segment);
	}
}

/* How many of the samples of a device are at the same places of another one? */
static unsigned count_on(struct sampling *s, unsigned number, unsigned other)
{
	const struct part home = part_of(s->vol, number), part = part_of(s->vol, other);
	unsigned found = 0;

	for (unsigned i = 0; i < s->count; i++) {
		const uint64_t there = s->samples[i] - home.start + part.start;

		found += there < part.end && is_node_of(s, there, s->samples[i]);
	}
	return found;
}

static int refuse(struct f2fs_volume *vol, unsigned wanted, unsigned other)
{
	char path[65] = "";

	memcpy(path, sbdev_path(superblock_device(vol->sb, wanted)), 64);
	return error_set(vol->ctx, F2FS_ERR_INVALID,
			 "wrong devices, or in the wrong order: the contents of number %u (%s) are on the device "
			 "given as number %u",
			 wanted + 1, path, other + 1);
}

static int check_device(struct sampling *s, unsigned number)
{
	choose(s, number);
	if (s->count == 0)
		return 0;
	for (unsigned other = 1; other < superblock_device_count(s->vol->sb); other++)
		if (other != number && count_on(s, number, other) == s->count)
			return refuse(s->vol, number, other);
	if (count_on(s, number, number) == 0)
		s->vol->strange_devices |= 1u << number;
	return 0;
}

int device_order_check(struct f2fs_volume *vol)
{
	struct sampling s = { .vol = vol };
	int err = 0;

	if (superblock_device_count(vol->sb) < 2)
		return 0;
	s.block = mem_alloc(vol->ctx, vol->geo.block_size);
	if (!s.block)
		return F2FS_ERR_NOMEM;
	for (unsigned i = 1; i < superblock_device_count(vol->sb) && !err; i++)
		err = check_device(&s, i);
	mem_free(vol->ctx, s.block);
	if (err)
		return err;
	error_clear(vol->ctx); /* of blocks that could not be read */
	return 0;
}

int device_order_open(struct f2fs_volume *vol, unsigned number, struct f2fs_device **out)
{
	uint64_t start;
	const uint64_t blocks = superblock_device_range(vol->sb, number, &start);

	return device_new_slice(vol->dev, start << vol->geo.block_bits, blocks << vol->geo.block_bits, out);
}
