/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replacing the superblock of an open volume: one copy after the other, first the one that is not in use, each durable
 * before the next. A cut at any write leaves one valid copy, with the old contents or the new ones; a superblock is six
 * sectors, and a write that is torn between them must not leave one of both kinds that looks valid.
 */
#include "task/superblocks.h"

#include <string.h>

#include "device/device.h"
#include "format/superblock.h"
#include "volume/counters.h"

int superblock_writable(struct f2fs_volume *vol)
{
	if (!(f2fs_device_info(vol->dev)->caps & F2FS_DEVICE_WRITE))
		return error_set(vol->ctx, F2FS_ERR_READ_ONLY, "the volume is opened for reading");
	if (vol->mode == F2FS_MODE_RESCUE)
		return error_set(vol->ctx, F2FS_ERR_STATE, "a volume opened for rescue is not changed");
	return volume_check_roots(vol);
}

/* What a cut at any time may leave half written. */
static uint32_t torn_unit(const struct f2fs_volume *vol)
{
	const uint32_t sector = f2fs_device_info(vol->dev)->sector_size;

	return sector > 512 ? sector : 512;
}

/* Write bytes of a superblock's block, and make them durable. */
static int write_part(struct f2fs_volume *vol, unsigned copy, const uint8_t *block, uint32_t from, uint32_t end)
{
	const uint64_t at = copy ? vol->geo.block_size : 0;
	int err = volume_write(vol, F2FS_WRITE_SUPERBLOCK, at + from, block + from, end - from);

	return err ? err : volume_flush(vol);
}

/*
 * Put sb into one copy; what else is in its block stays. The copy does not count from the first write, which takes its
 * magic number away, to the last one, which brings the sector with it: in between it cannot be a mix of two.
 */
static int write_copy(struct f2fs_volume *vol, unsigned copy, const uint8_t *sb)
{
	const uint32_t bs = vol->geo.block_size, unit = torn_unit(vol);
	const uint32_t first = SB_OFFSET / unit * unit, next = first + unit;
	const uint64_t at = copy ? bs : 0;
	uint8_t *block = mem_alloc(vol->ctx, bs);
	int err = block ? device_read(vol->dev, at, block, bs) : F2FS_ERR_NOMEM;

	if (!err && sb_magic(block + SB_OFFSET) == F2FS_MAGIC && next < SB_OFFSET + sb_SIZE) {
		sb_set_magic(block + SB_OFFSET, 0);
		err = write_part(vol, copy, block, first, next);
	}
	if (!err)
		memcpy(block + SB_OFFSET, sb, sb_SIZE);
	if (!err && next < SB_OFFSET + sb_SIZE)
		err = write_part(vol, copy, block, next, bs < SB_OFFSET + sb_SIZE ? bs : SB_OFFSET + sb_SIZE);
	if (!err)
		err = write_part(vol, copy, block, first, next);
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
