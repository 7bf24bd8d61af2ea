/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair superblocks. After the commit, both copies become the current one, without the counters of errors. The other
 * copy is written and made durable before the current one, so at any moment one of them is whole. Bytes of the blocks
 * outside of the superblock stay.
 */
#include <string.h>

#include "device/device.h"
#include "format/superblock.h"
#include "repair/repair.h"
#include "repair/repair_left.h"
#include "repair/repair_roots.h"

#define HEAD_SECTOR 512u

static bool differs(struct f2fs_volume *vol, unsigned copy, const uint8_t *sb)
{
	uint8_t now[sb_SIZE];
	const uint64_t offset = ((uint64_t)copy << vol->geo.block_bits) + SB_OFFSET;

	return device_read_quiet(vol->dev, offset, now, sizeof(now)) != 0 || memcmp(now, sb, sizeof(now)) != 0;
}

/* The sector with the magic number comes last: a copy that was lost does not look whole before it is. */
static int write_copy(struct f2fs_volume *vol, unsigned copy, const uint8_t *sb)
{
	const uint64_t offset = ((uint64_t)copy << vol->geo.block_bits) + SB_OFFSET;
	int err = device_write(vol->dev, offset + HEAD_SECTOR, sb + HEAD_SECTOR, sb_SIZE - HEAD_SECTOR);

	if (!err)
		err = device_flush(vol->dev);
	if (!err)
		err = device_write(vol->dev, offset, sb, HEAD_SECTOR);
	return err ? err : device_flush(vol->dev);
}

int repair_superblocks(struct repair *r)
{
	struct f2fs_volume *vol = r->vol;
	const unsigned other = 1 - vol->sb_copy;
	uint8_t *sb = vol->sb;
	int err = 0;

	sb_set_magic(sb, F2FS_MAGIC);
	for (unsigned i = 0; i < sb_COUNT_s_stop_reason && repair_wanted(r, P_SB_STOPPED, 0); i++)
		sb_set_s_stop_reason(sb, i, 0);
	if (repair_wanted(r, P_SB_ERRORS, 0))
		memset(sb_s_errors_w(sb), 0, sb_SIZE_s_errors);
	if (sb_feature(sb) & F2FS_FEAT_SB_CHECKSUM) {
		sb_set_checksum_offset(sb, sb_OFS_crc);
		sb_set_crc(sb, superblock_crc(sb));
	}
	if (differs(vol, other, sb))
		err = write_copy(vol, other, sb);
	if (!err && differs(vol, vol->sb_copy, sb))
		err = write_copy(vol, vol->sb_copy, sb);
	return err;
}
