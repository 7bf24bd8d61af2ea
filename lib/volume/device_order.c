/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Look at blocks to see which device is which. A further device begins with blocks of files and has nothing that names
 * it. But some blocks say whose they are. A node block has its node id, and the NAT has the block of each id. A
 * directory's block has entries whose inodes name the directory and the entry. Where such blocks of a device are at the
 * same places of another one, devices were exchanged, or one was given twice.
 *
 * A device with contents of files alone has no such witness. Where it has zeros in place of them, and another one has
 * contents at the same places, where the volume has none, that is a hint.
 */
#include "volume/device_order.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "device/device.h"
#include "device/slice.h"
#include "format/dentry.h"
#include "format/node.h"
#include "format/superblock.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"
#include "volume/node_read.h"
#include "volume/sit_read.h"
#include "volume/ssa_read.h"

enum {
	FIRST_SEGMENTS = 2048, /* of a device that are looked at one after the other */
	FURTHER_RUNS = 32,     /* number of runs of RUN_SEGMENTS, all over the rest */
	RUN_SEGMENTS = 64,
	SAMPLES = 8,
	FROM_ONE_SEGMENT = 4,
	ENTRIES = 8, /* of a directory's block */
	FIRST_NODE_LOG = F2FS_HOT_NODE
};

/* Kinds of witnesses, the best first. */
enum witness { NODES, DIRECTORIES, CONTENTS };

/* The blocks of a device within the volume. */
struct part {
	uint64_t start, end;
};

struct sampling {
	struct f2fs_volume *vol;
	uint8_t *block, *inode;
	enum witness witness;
	struct {
		f2fs_blk_t addr; /* where such a block of the device should be */
		f2fs_nid_t dir;	 /* whose it is */
	} samples[SAMPLES];
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

static bool is_dir_inode(const uint8_t *inode)
{
	return (inode_i_mode(inode) & MODE_TYPE) == MODE_DIR;
}

/* Which directory has this block, by the volume's own tables? 0: none. */
static f2fs_nid_t dir_of(struct sampling *s, f2fs_blk_t addr)
{
	const struct f2fs_geometry *geo = &s->vol->geo;
	const f2fs_seg_t segno = geometry_segment_of(geo, addr);
	struct f2fs_block_owner owner;
	f2fs_nid_t ino;

	if (ssa_lookup(s->vol, segno, addr - geometry_segment_start(geo, segno), &owner) != 0 || owner.is_node ||
	    node_load(s->vol, owner.nid, 0, s->inode, NULL) != 0)
		return 0;
	ino = footer_ino(node_footer(geo, s->inode));
	return node_load(s->vol, ino, ino, s->inode, NULL) == 0 && is_dir_inode(s->inode) ? ino : 0;
}

/* Does the inode of an entry say that it is in this directory, under this name? */
static bool is_entry_of(struct sampling *s, const struct dentry_ref *entry, f2fs_nid_t dir)
{
	return geometry_is_nid(&s->vol->geo, entry->ino) &&
	       node_load(s->vol, entry->ino, entry->ino, s->inode, NULL) == 0 && inode_i_pino(s->inode) == dir &&
	       inode_i_namelen(s->inode) == entry->name_len &&
	       memcmp(inode_i_name(s->inode), entry->name, entry->name_len) == 0;
}

static bool is_block_of_dir(struct sampling *s, uint64_t there, f2fs_nid_t dir)
{
	const struct f2fs_geometry *geo = &s->vol->geo;
	struct dentry_area area;
	struct dentry_ref entry;
	enum dentry_scan found;
	uint32_t slot = 0;

	if (device_read_quiet(s->vol->cache, there << geo->block_bits, s->block, geo->block_size) != 0)
		return false;
	dentry_area_of_block(geo, s->block, &area);
	for (unsigned i = 0; i < ENTRIES && (found = dentry_next(&area, &slot, &entry)) != DENTRY_END; i++)
		if (found == DENTRY_FOUND && (dentry_has_own_dot(&area, dir) || is_entry_of(s, &entry, dir)))
			return true;
	return false;
}

static bool is_of_witness(enum witness witness, unsigned type)
{
	return witness == NODES	      ? type >= FIRST_NODE_LOG && type < F2FS_LOG_COUNT :
	       witness == DIRECTORIES ? type == F2FS_HOT_DATA :
					type < FIRST_NODE_LOG;
}

/* Take some of the blocks in use, all over the segment. */
static void sample_segment(struct sampling *s, const struct f2fs_segment_info *segment)
{
	const f2fs_blk_t first = geometry_segment_start(&s->vol->geo, segment->segno);
	unsigned seen = 0, taken = 0;

	for (unsigned i = 0; i < F2FS_SEGMENT_BLOCKS && taken < FROM_ONE_SEGMENT && s->count < SAMPLES; i++) {
		if (!(segment->valid_map[i / 8] & 0x80u >> i % 8))
			continue;
		if (seen++ < taken * segment->valid_blocks / FROM_ONE_SEGMENT)
			continue;
		s->samples[s->count].addr = first + i;
		s->samples[s->count].dir = s->witness == DIRECTORIES ? dir_of(s, first + i) : 0;
		s->count += s->witness != DIRECTORIES || s->samples[s->count].dir;
		taken++;
	}
}

/* The segment of a device to look at as number i; at count or after it: there is none. */
static uint32_t segment_at(uint32_t i, uint32_t count)
{
	const uint32_t rest = count > FIRST_SEGMENTS ? count - FIRST_SEGMENTS : 0, further = i - FIRST_SEGMENTS;

	if (i < FIRST_SEGMENTS || rest <= FURTHER_RUNS * RUN_SEGMENTS)
		return i;
	if (further >= FURTHER_RUNS * RUN_SEGMENTS)
		return count;
	return FIRST_SEGMENTS + rest / FURTHER_RUNS * (further / RUN_SEGMENTS) + further % RUN_SEGMENTS;
}

/* Choose blocks of a device that the SIT has as witnesses of a kind. */
static void choose(struct sampling *s, unsigned number, enum witness witness)
{
	const struct part part = part_of(s->vol, number);
	const struct f2fs_geometry *geo = &s->vol->geo;
	const uint64_t start = part.start > geo->main_blkaddr ? part.start : geo->main_blkaddr;
	const uint64_t end = part.end < geo->end_blkaddr ? part.end : geo->end_blkaddr;
	const f2fs_seg_t first = geometry_segment_of(geo, (f2fs_blk_t)start);
	const uint32_t count = (uint32_t)(sub_or_zero(end, start) / F2FS_SEGMENT_BLOCKS);
	uint32_t n;

	s->count = 0;
	s->witness = witness;
	for (uint32_t i = 0; (n = segment_at(i, count)) < count && s->count < SAMPLES; i++) {
		struct f2fs_segment_info segment;

		if (sit_lookup(s->vol, first + n, &segment) == 0 && segment.valid_blocks > 0 &&
		    is_of_witness(witness, segment.type))
			sample_segment(s, &segment);
	}
}

/* The place of another device that is a sample's in its own. */
static uint64_t place_on(const struct sampling *s, unsigned i, unsigned number, unsigned other)
{
	const struct part home = part_of(s->vol, number), part = part_of(s->vol, other);
	const uint64_t there = s->samples[i].addr - home.start + part.start;

	return there < part.end && there < s->vol->geo.end_blkaddr ? there : 0;
}

/* How many of the samples of a device are at the same places of another one? */
static unsigned count_on(struct sampling *s, unsigned number, unsigned other)
{
	unsigned found = 0;

	for (unsigned i = 0; i < s->count; i++) {
		const uint64_t there = place_on(s, i, number, other);

		if (there)
			found += s->witness == NODES ? is_node_of(s, there, s->samples[i].addr) :
						       is_block_of_dir(s, there, s->samples[i].dir);
	}
	return found;
}

static bool has_zeros(struct sampling *s, uint64_t addr)
{
	const struct f2fs_geometry *geo = &s->vol->geo;

	return device_read_quiet(s->vol->cache, addr << geo->block_bits, s->block, geo->block_size) == 0 &&
	       is_zero(s->block, geo->block_size);
}

static bool is_in_use(struct sampling *s, uint64_t addr)
{
	const struct f2fs_geometry *geo = &s->vol->geo;
	const f2fs_seg_t segno = geometry_segment_of(geo, (f2fs_blk_t)addr);
	const uint32_t at = (uint32_t)addr - geometry_segment_start(geo, segno);
	struct f2fs_segment_info segment;

	return sit_lookup(s->vol, segno, &segment) != 0 || (segment.valid_map[at / 8] & 0x80u >> at % 8);
}

/* Has another device contents at the places of all samples, which the volume does not use? */
static bool has_contents_in_vain(struct sampling *s, unsigned number, unsigned other)
{
	for (unsigned i = 0; i < s->count; i++) {
		const uint64_t there = place_on(s, i, number, other);

		if (!there || is_in_use(s, there) || has_zeros(s, there))
			return false;
	}
	return s->count > 0;
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

/* The device at the places of whose blocks there are zeros; the first block that is none ends it. */
static int check_contents(struct sampling *s, unsigned number)
{
	choose(s, number, CONTENTS);
	for (unsigned i = 0; i < s->count; i++)
		if (!has_zeros(s, s->samples[i].addr))
			return 0;
	for (unsigned other = 1; other < superblock_device_count(s->vol->sb); other++)
		if (other != number && has_contents_in_vain(s, number, other))
			return volume_note(s->vol,
					   "device number %u has only zeros where files should be, and number %u has "
					   "contents at these places: is the order right?",
					   number + 1, other + 1);
	return 0;
}

/* Blocks of directories with hard links alone say nothing, so some of those samples may be nowhere. */
static bool are_elsewhere(const struct sampling *s, unsigned at_home, unsigned elsewhere)
{
	return s->witness == DIRECTORIES ? elsewhere > 0 && elsewhere >= at_home :
					   elsewhere == s->count || (at_home == 0 && 2 * elsewhere > s->count);
}

static int check_device(struct sampling *s, unsigned number)
{
	for (enum witness witness = NODES; witness <= DIRECTORIES; witness++) {
		unsigned at_home;

		choose(s, number, witness);
		if (s->count == 0)
			continue;
		at_home = count_on(s, number, number);
		for (unsigned other = 1; other < superblock_device_count(s->vol->sb); other++)
			if (other != number && are_elsewhere(s, at_home, count_on(s, number, other)))
				return refuse(s->vol, number, other);
		if (witness == NODES && at_home == 0)
			s->vol->strange_devices |= 1u << number;
		if (witness == NODES || at_home > 0)
			return 0;
	}
	return check_contents(s, number);
}

int device_order_check(struct f2fs_volume *vol)
{
	struct sampling s = { .vol = vol };
	int err = 0;

	if (superblock_device_count(vol->sb) < 2)
		return 0;
	s.block = mem_alloc(vol->ctx, 2 * (size_t)vol->geo.block_size);
	if (!s.block)
		return F2FS_ERR_NOMEM;
	s.inode = s.block + vol->geo.block_size;
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
