/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replace the superblock of an open volume: one copy after the other, first the one that is not in use, each durable
 * before the next. Both blocks are read before the first write, so that an unreadable block does not leave two copies
 * that differ. An interruption of any write leaves one valid copy, with the old contents or the new ones. A superblock
 * is six sectors, and a write that is torn between them must not leave a mixture that looks valid.
 */
#include "log/superblocks.h"

#include <string.h>

#include "base/error.h"
#include "device/device.h"
#include "format/superblock.h"
#include "volume/counters.h"
#include "volume/roots.h"

int superblock_writable(struct f2fs_volume *vol)
{
	if (!(f2fs_device_info(vol->dev)->caps & F2FS_DEVICE_WRITE))
		return error_set(vol->ctx, F2FS_ERR_READ_ONLY, "the volume is opened for reading");
	if (vol->mode == F2FS_MODE_RESCUE)
		return error_set(vol->ctx, F2FS_ERR_STATE, "a volume opened for rescue is not changed");
	return volume_check_roots(vol);
}

/* Return the size of the unit that an interruption may leave half written. */
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
 * Put sb into one copy, whose block is given. Other bytes of the block stay. The first write removes the magic number,
 * the last one brings its sector back. Between these the copy does not count, so it cannot be a mix of two.
 */
static int write_copy(struct f2fs_volume *vol, unsigned copy, uint8_t *block, const uint8_t *sb)
{
	const uint32_t bs = vol->geo.block_size, unit = torn_unit(vol);
	const uint32_t first = SB_OFFSET / unit * unit, next = first + unit;
	int err = 0;

	if (sb_magic(block + SB_OFFSET) == F2FS_MAGIC && next < SB_OFFSET + sb_SIZE) {
		sb_set_magic(block + SB_OFFSET, 0);
		err = write_part(vol, copy, block, first, next);
	}
	if (!err)
		memcpy(block + SB_OFFSET, sb, sb_SIZE);
	if (!err && next < SB_OFFSET + sb_SIZE)
		err = write_part(vol, copy, block, next, bs < SB_OFFSET + sb_SIZE ? bs : SB_OFFSET + sb_SIZE);
	if (!err)
		err = write_part(vol, copy, block, first, next);
	if (!err)
		vol->sb_state[copy] = 0;
	return err;
}

int superblock_replace(struct f2fs_volume *vol, uint8_t *sb)
{
	const uint32_t bs = vol->geo.block_size;
	uint8_t *blocks = mem_alloc(vol->ctx, (size_t)bs * 2);
	int err = blocks ? device_read(vol->dev, 0, blocks, (size_t)bs * 2) : F2FS_ERR_NOMEM;

	if (!err)
		err = volume_flush_once(vol);

	if (sb_feature(sb) & F2FS_FEAT_SB_CHECKSUM)
		sb_set_crc(sb, superblock_crc(sb));
	for (unsigned i = 0; i < 2 && !err; i++) {
		const unsigned copy = i ? vol->sb_copy : 1 - vol->sb_copy;

		err = write_copy(vol, copy, blocks + (size_t)copy * bs, sb);
	}
	if (!err) {
		memcpy(vol->sb, sb, sb_SIZE);
		memcpy(vol->sb_other, sb, sb_SIZE);
		vol->is_doubted = false;
	}
	mem_free(vol->ctx, blocks);
	return err;
}
