/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Device aliases: files that own a whole device of the volume (FORMAT volume 9.4). Start and length of the extent,
 * i_size and i_blocks each name the device. Two that agree outvote the others.
 */
#include "facts/alias.h"
#include "facts/finding.h"
#include "format/superblock.h"

#define WITNESSES 2u
#define ALL 4u
#define OWN_RANGES 3u
#define MOST_RANGES (8u + OWN_RANGES) /* one for each device, and those of the inode */

static unsigned count_witnesses(const struct checker *c, const uint8_t *block, f2fs_blk_t start, uint64_t blocks)
{
	const uint64_t nodes = 1u + (inode_i_xattr_nid(block) != 0);

	return (inode_i_ext_blk(block) == start ? 1u : 0u) + (inode_i_ext_len(block) == blocks ? 1u : 0u) +
	       (inode_i_size(block) == blocks << c->geo->block_bits ? 1u : 0u) +
	       (inode_i_blocks(block) == blocks + nodes ? 1u : 0u);
}

/* A range that an alias may own. */
struct range {
	f2fs_blk_t start;
	uint64_t blocks;
};

static bool is_range(const struct f2fs_geometry *geo, const struct range *range)
{
	const f2fs_blk_t first = range->start - geo->main_blkaddr;

	return geometry_is_main(geo, range->start) && first % F2FS_SEGMENT_BLOCKS == 0 && range->blocks != 0 &&
	       range->blocks % F2FS_SEGMENT_BLOCKS == 0 &&
	       range->blocks <= (uint64_t)geo->segment_count_main * F2FS_SEGMENT_BLOCKS - first;
}

/*
 * Return the n-th range, with blocks 0 after the last one. The first device holds the metadata. The lengths of the
 * inode come last: a device that was resized is longer than its alias, and a copy that joins the devices has no table
 * of them.
 */
static struct range range_at(const struct checker *c, const uint8_t *block, unsigned n)
{
	const unsigned devices = superblock_device_count(c->vol->sb), further = devices ? devices - 1 : 0;
	struct range range = { inode_i_ext_blk(block), 0 };

	if (n < further) {
		uint64_t start;

		range.blocks = superblock_device_range(c->vol->sb, n + 1, &start);
		range.start = (f2fs_blk_t)start;
	} else if ((n -= further) < OWN_RANGES) {
		const uint64_t own = inode_i_blocks(block) - 1u - (inode_i_xattr_nid(block) != 0);

		range.blocks = n == 0 ? inode_i_size(block) >> c->geo->block_bits
			     : n == 1 ? inode_i_ext_len(block)
				      : own;
	}
	return range;
}

void alias_judge(const struct checker *c, struct inode_fact *inode, const uint8_t *block)
{
	const unsigned devices = superblock_device_count(c->vol->sb);
	unsigned best = 0;

	if (!(inode->iflags & FLAG_i_flags_device_alias) || !geometry_has(c->geo, F2FS_FEAT_DEVICE_ALIAS))
		return;
	for (unsigned i = 0; i < MOST_RANGES; i++) {
		const struct range range = range_at(c, block, i);
		const unsigned count = count_witnesses(c, block, range.start, range.blocks);
		const bool is_own = devices > 0 && i + 1 >= devices;

		if (count < (is_own ? ALL : WITNESSES) || count <= best || !is_range(c->geo, &range))
			continue;
		best = count;
		inode->state |= INODE_ALIAS;
		inode->ext_fofs = 0;
		inode->ext_blk = range.start;
		inode->ext_len = (uint32_t)range.blocks;
	}
}

int alias_check(struct checker *c, const struct inode_fact *inode, const uint8_t *block)
{
	int err = 0;

	if (inode_i_ext_fofs(block) != 0 || inode_i_ext_blk(block) != inode->ext_blk ||
	    inode_i_ext_len(block) != inode->ext_len)
		err = inode_raise(c, P_ALIAS_EXTENT, inode, inode_i_ext_blk(block), inode->ext_blk);
	if (!err && !(inode_i_inline(block) & FLAG_i_inline_pin_file))
		err = inode_raise(c, P_ALIAS_PIN, inode, 0, 0);
	return err;
}
