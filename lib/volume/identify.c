/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Identify a block: its area and, in the main area, the node that owns it according to the SSA, the NAT and the node's
 * own pointers.
 */
#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "format/inode.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"
#include "volume/node_read.h"
#include "volume/sit_read.h"
#include "volume/ssa_read.h"
#include "volume/volume.h"

const char *f2fs_area_name(int area)
{
	static const char *const names[] = { "none", "superblock", "checkpoint", "SIT", "NAT", "SSA", "main" };

	return area >= 0 && area <= F2FS_AREA_MAIN ? names[area] : "?";
}

struct area_row {
	int area;
	f2fs_blk_t start;
	uint64_t end;
};

static void find_area(const struct f2fs_geometry *geo, f2fs_blk_t addr, struct f2fs_block_identity *out)
{
	const struct area_row rows[] = {
		{ F2FS_AREA_SUPERBLOCK, 0, 2 },
		{ F2FS_AREA_CHECKPOINT, geo->cp_blkaddr, geo->sit_blkaddr },
		{ F2FS_AREA_SIT, geo->sit_blkaddr, geo->nat_blkaddr },
		{ F2FS_AREA_NAT, geo->nat_blkaddr, geo->ssa_blkaddr },
		{ F2FS_AREA_SSA, geo->ssa_blkaddr, geo->main_blkaddr },
		{ F2FS_AREA_MAIN, geo->main_blkaddr,
		  geo->main_blkaddr + (uint64_t)geo->segment_count_main * F2FS_SEGMENT_BLOCKS },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (addr < rows[i].start || addr >= rows[i].end)
			continue;
		out->area = rows[i].area;
		out->index = addr - rows[i].start;
		return;
	}
}

/* A node is where the NAT says it is. */
static int identify_node(struct f2fs_volume *vol, f2fs_blk_t addr, struct f2fs_block_identity *out)
{
	struct f2fs_nat_info entry;
	const uint8_t *block, *footer;
	int err = nat_get(vol, out->nid, &entry);

	if (err)
		return err;
	out->is_owned = entry.block_addr == addr;
	err = volume_peek(vol, addr, &block);
	if (err)
		return err;
	footer = node_footer(&vol->geo, block);
	if (footer_nid(footer) == out->nid) {
		out->ino = footer_ino(footer);
		out->node_offset = node_offset_of(footer);
	}
	return 0;
}

/* A data block is owned when the summary's node exists and its slot points back. */
static int identify_data(struct f2fs_volume *vol, f2fs_blk_t addr, struct f2fs_block_identity *out, uint8_t *node)
{
	struct inode_layout layout;
	const uint8_t *footer = node_footer(&vol->geo, node);
	uint32_t slot_offset = 0, slots;
	int err = node_load(vol, out->nid, 0, node, NULL);

	if (err)
		return err;
	out->ino = footer_ino(footer);
	out->node_offset = node_offset_of(footer);
	if (out->ino == out->nid) {
		inode_layout(&vol->geo, node, &layout);
		slot_offset = layout.slot_offset;
		slots = layout.slots;
	} else {
		slots = vol->geo.addrs_per_block;
	}
	if (out->ino != out->nid && !node_offset_is_direct(&vol->geo, out->node_offset))
		return 0;
	if (out->ofs_in_node >= slots || get_le32(node + slot_offset + (size_t)out->ofs_in_node * 4) != addr)
		return 0;
	out->is_owned = 1;
	if (out->ino != out->nid) {
		err = node_load(vol, out->ino, out->ino, node, NULL);
		if (err)
			return err;
		inode_layout(&vol->geo, node, &layout);
		if (out->ofs_in_node >= layout.node_slots)
			return 0;
	}
	out->file_block =
		node_first_block(&vol->geo, layout.slots, layout.node_slots, out->node_offset) + out->ofs_in_node;
	return 0;
}

static int identify_main(struct f2fs_volume *vol, f2fs_blk_t addr, struct f2fs_block_identity *out)
{
	struct f2fs_segment_info sit;
	struct f2fs_block_owner summary;
	uint8_t *node;
	int err;

	out->segno = out->index / F2FS_SEGMENT_BLOCKS;
	out->offset = out->index % F2FS_SEGMENT_BLOCKS;
	err = sit_lookup(vol, out->segno, &sit);
	if (!err)
		err = ssa_lookup(vol, out->segno, out->offset, &summary);
	if (err)
		return err;
	out->type = sit.type;
	out->is_valid = msb_test(sit.valid_map, out->offset);
	out->is_node = summary.is_node;
	out->nid = summary.nid;
	out->ofs_in_node = summary.ofs_in_node;
	if (!geometry_is_nid(&vol->geo, out->nid))
		return 0;
	if (out->is_node)
		return identify_node(vol, addr, out);
	node = mem_alloc(vol->ctx, vol->geo.block_size);
	if (!node)
		return F2FS_ERR_NOMEM;
	err = identify_data(vol, addr, out, node);
	mem_free(vol->ctx, node);
	if (err == F2FS_ERR_CORRUPT) { /* a stale summary: the block is simply not owned by that node */
		error_clear(vol->ctx);
		err = 0;
	}
	return err;
}

int f2fs_block_identify(struct f2fs_volume *vol, f2fs_blk_t addr, struct f2fs_block_identity *out)
{
	error_clear(vol->ctx);
	if (addr >= vol->geo.end_blkaddr)
		return error_set(vol->ctx, F2FS_ERR_RANGE, "block %u is beyond the end of the volume at %llu",
				 (unsigned)addr, (unsigned long long)vol->geo.end_blkaddr);
	memset(out, 0, sizeof(*out));
	out->file_block = F2FS_NO_BLOCK;
	find_area(&vol->geo, addr, out);
	return out->area == F2FS_AREA_MAIN ? identify_main(vol, addr, out) : 0;
}
