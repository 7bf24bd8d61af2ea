/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replacing the superblock of an open volume: one copy after the other, first the one that is not in use, each durable
 * before the next. A cut at any write leaves one valid copy, with the old contents or the new ones.
 */
#include "task/superblocks.h"

#include <string.h>

#include "device/device.h"
#include "format/superblock.h"

int superblock_writable(struct f2fs_volume *vol)
{
	if (!(f2fs_device_info(vol->dev)->caps & F2FS_DEVICE_WRITE))
		return error_set(vol->ctx, F2FS_ERR_READ_ONLY, "the volume is opened for reading");
	if (vol->mode == F2FS_MODE_RESCUE)
		return error_set(vol->ctx, F2FS_ERR_STATE, "a volume opened for rescue is not changed");
	return volume_check_roots(vol);
}

/* Put sb into one copy; what else is in its block stays. */
static int write_copy(struct f2fs_volume *vol, unsigned copy, const uint8_t *sb)
{
	const uint32_t bs = vol->geo.block_size;
	const uint64_t at = copy ? bs : 0;
	uint8_t *block = mem_alloc(vol->ctx, bs);
	int err = block ? device_read(vol->dev, at, block, bs) : F2FS_ERR_NOMEM;

	if (!err) {
		memcpy(block + SB_OFFSET, sb, sb_SIZE);
		err = device_write(vol->cache, at, block, bs);
	}
	if (!err)
		err = device_flush(vol->dev);
	mem_free(vol->ctx, block);
	if (!err)
		vol->sb_state[copy] = 0;
	return err;
}

int superblock_replace(struct f2fs_volume *vol, uint8_t *sb)
{
	int err;

	if (sb_feature(sb) & F2FS_FEATURE_SB_CHECKSUM)
		sb_set_crc(sb, superblock_crc(sb));
	err = write_copy(vol, 1 - vol->sb_copy, sb);
	if (!err)
		err = write_copy(vol, vol->sb_copy, sb);
	if (!err)
		memcpy(vol->sb, sb, sb_SIZE);
	return err;
}
