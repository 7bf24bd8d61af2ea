/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Information about an open volume: its roots, their states, counts of use.
 */
#include <string.h>

#include "base/checked.h"
#include "base/sized.h"
#include "base/utf16.h"
#include "volume/volume.h"

struct f2fs_context *f2fs_volume_context(const struct f2fs_volume *vol)
{
	return vol->ctx;
}

struct f2fs_device *f2fs_volume_device(const struct f2fs_volume *vol)
{
	return vol->dev;
}

const struct f2fs_geometry *f2fs_volume_geometry(const struct f2fs_volume *vol)
{
	return &vol->geo;
}

const uint8_t *f2fs_volume_superblock(const struct f2fs_volume *vol, unsigned *copy)
{
	if (copy)
		*copy = vol->sb_copy;
	return vol->sb;
}

const uint8_t *f2fs_volume_checkpoint(const struct f2fs_volume *vol, size_t *length, unsigned *pack)
{
	if (length)
		*length = (size_t)vol->geo.block_size * (1 + vol->geo.cp_payload);
	if (pack)
		*pack = vol->view->pack;
	return vol->view->cp;
}

const uint8_t *f2fs_sit_bitmap(const struct f2fs_volume *vol, size_t *length)
{
	*length = cp_sit_ver_bitmap_bytesize(vol->view->cp);
	return vol->view->sit_bitmap;
}

const uint8_t *f2fs_nat_bitmap(const struct f2fs_volume *vol, size_t *length)
{
	*length = cp_nat_ver_bitmap_bytesize(vol->view->cp);
	return vol->view->nat_bitmap;
}

int f2fs_volume_superblock_state(const struct f2fs_volume *vol, unsigned copy)
{
	return copy < 2 ? vol->sb_state[copy] : F2FS_ERR_INVALID;
}

int f2fs_volume_pack_state(const struct f2fs_volume *vol, unsigned pack, uint64_t *version)
{
	if (pack < 1 || pack > 2)
		return F2FS_ERR_INVALID;
	if (version)
		*version = vol->pack_version[pack - 1];
	return vol->pack_state[pack - 1];
}

static void count_use(const struct f2fs_volume *vol, struct volume_counts *out)
{
	if (vol->ops.running) {
		vol->ops.running->count(vol, out);
		return;
	}
	out->user_blocks = cp_user_block_count(vol->view->cp);
	out->valid_blocks = cp_valid_block_count(vol->view->cp);
	out->valid_nodes = cp_valid_node_count(vol->view->cp);
	out->valid_inodes = cp_valid_inode_count(vol->view->cp);
	out->free_segments = cp_free_segment_count(vol->view->cp);
}

void f2fs_volume_statfs(const struct f2fs_volume *vol, struct f2fs_volume_stat *out)
{
	uint64_t nids = vol->geo.max_nid - 3, user, valid, left;
	struct f2fs_volume_stat own = { 0 };
	struct volume_counts counts;

	count_use(vol, &counts);
	user = counts.user_blocks;
	valid = counts.valid_blocks;
	left = sub_or_zero(nids, counts.valid_nodes);
	own.block_count = sub_or_zero(vol->geo.block_count, vol->geo.segment0_blkaddr);
	own.free_blocks = sub_or_zero(user, valid);
	own.max_files = nids > user ? user : nids;
	own.free_files = nids > user || left > own.free_blocks ? own.free_blocks : left;
	own.valid_blocks = valid;
	own.user_blocks = user;
	own.valid_nodes = counts.valid_nodes;
	own.valid_inodes = counts.valid_inodes;
	own.free_segments = counts.free_segments;
	memcpy(own.uuid, sb_uuid(vol->sb), 16);
	utf16_decode_lossy(sb_volume_name(vol->sb), sb_SIZE_volume_name / 2, own.label, sizeof(own.label) - 1, NULL);
	sized_give(out, &own, sizeof(own));
}
