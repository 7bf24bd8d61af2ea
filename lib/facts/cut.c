/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check a volume that is larger than its device. The check uses a main area that ends with the device, so anything past
 * that end is lost: pointers to it are cleared, nodes there are dropped. Losses are reported once per file, not per
 * block. A repair does not write past the end either. The segments there stay part of the volume, as empty ones.
 */
#include <string.h>

#include "device/device.h"
#include "facts/cut.h"
#include "facts/finding.h"
#include "facts/run.h"

/* Of an inode in c->cut: nodes in the upper half, blocks of data in the lower one. */
#define ONE_NODE ((uint64_t)1 << 32)

/* Bytes that are there of a volume, as far as they count. */
static uint64_t bytes_there(const struct f2fs_volume *vol, uint64_t cut_at)
{
	const uint64_t size = f2fs_device_info(vol->dev)->size;

	return cut_at && cut_at < size ? cut_at : size;
}

bool cut_shorten(struct f2fs_volume *vol, uint64_t cut_at)
{
	const uint64_t end = bytes_there(vol, cut_at) >> vol->geo.block_bits;

	if (cut_at == 0 || end >= vol->geo.end_blkaddr || end <= vol->geo.main_blkaddr)
		return false;
	vol->geo.end_blkaddr = end;
	return true;
}

int cut_begin(struct checker *c)
{
	struct f2fs_volume *vol = c->vol;
	struct f2fs_geometry *geo = &vol->geo;
	const uint64_t need = geo->end_blkaddr * geo->block_size, size = f2fs_device_info(vol->dev)->size;
	const uint64_t cut_at = c->options.cut_at, have = bytes_there(vol, cut_at);
	const f2fs_blk_t end = (f2fs_blk_t)(have >> geo->block_bits);
	const uint32_t sps = geo->segs_per_sec;
	int err;

	c->cut_end = 0;
	if (have >= need)
		return 0;
	/* a missing node may be lost or may never have existed: only the inode's block count can show which */
	c->is_frozen |= cut_at == 0 || end <= geo->main_blkaddr;
	err = problem_raise(c, &(struct finding){ .problem = P_DEVICE_SHORT,
						  .has_values = 1,
						  .found = have,
						  .expected = need });
	if (err || end <= geo->main_blkaddr)
		return err;
	c->cut_end = (f2fs_blk_t)geo->end_blkaddr;
	geo->end_blkaddr = end;
	if (size < need)
		vol->barred = (struct volume_barred){ .first = geometry_segment_of(geo, end) / sps * sps,
						      .end = geo->segment_count_main };
	return 0;
}

static int add(struct checker *c, f2fs_nid_t ino, uint64_t lost)
{
	uint64_t *known = map32_find(&c->cut, ino);

	if (c->is_recount)
		return 0;
	if (!known)
		return map32_set(&c->cut, ino, lost);
	*known += lost;
	return 0;
}

int cut_take_node(struct checker *c, f2fs_nid_t ino)
{
	return add(c, ino, ONE_NODE);
}

int cut_take_blocks(struct checker *c, f2fs_nid_t ino, uint32_t blocks)
{
	return add(c, ino, blocks);
}

bool cut_is_cluster(const struct checker *c, const uint8_t *slots, uint32_t count)
{
	bool is_cut = false;

	for (uint32_t i = 0; i < count; i++)
		is_cut |= cut_is_lost(c, get_le32(slots + (size_t)i * 4));
	return is_cut && get_le32(slots) == F2FS_COMPRESS_ADDR;
}

bool cut_has(const struct checker *c, f2fs_nid_t ino)
{
	return map32_find(&c->cut, ino) != NULL;
}

/*
 * Return the bytes that an inode counts but that were not found. If its count is wrong: the pointers past the end, at
 * least.
 */
static uint64_t lost_bytes(const struct checker *c, const struct inode_fact *inode, uint64_t cut)
{
	const uint64_t blocks = cut & (ONE_NODE - 1), nodes = cut / ONE_NODE;
	const uint64_t found = inode->blocks_found + nodes;
	const uint64_t missing = inode->blocks > found ? inode->blocks - found : 0;
	const uint64_t bytes = (missing > blocks ? missing : blocks) << c->geo->block_bits;

	return inode->type == F2FS_TYPE_REGULAR && inode->size && bytes > inode->size ? inode->size : bytes;
}

int cut_tell(struct checker *c)
{
	int err = 0;

	for (uint32_t i = 0; i < facts_inode_count(&c->facts) && !err && c->cut.count; i++) {
		const struct inode_fact *inode = facts_inode_nth(&c->facts, i);
		const uint64_t *cut = map32_find(&c->cut, inode->ino);

		if (cut)
			err = problem_raise(c, &(struct finding){ .problem = P_FILE_CUT,
								  .nid = inode->ino,
								  .ino = inode->ino,
								  .has_values = 1,
								  .found = lost_bytes(c, inode, *cut),
								  .expected = *cut / ONE_NODE });
	}
	return err;
}
