/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Clear and write the superblock of a new volume: cleared before anything else changes, written when all the rest is
 * durable (FORMAT volume 2).
 */
#include <string.h>

#include "device/device.h"
#include "format/superblock.h"
#include "mkfs/names.h"
#include "mkfs/run.h"
#include "mkfs/superblock.h"

#define ENCODING_UTF8 1

int mkfs_fill_superblock(struct mkfs *m)
{
	uint8_t *sb = m->sb;
	int err;

	memset(sb, 0, sizeof(m->sb));
	superblock_fill(sb, m->geo);
	memcpy(sb_uuid_w(sb), m->result.uuid, sizeof(m->result.uuid));
	for (unsigned i = 0; i < 3; i++)
		sb_set_qf_ino(sb, i, m->result.quota_ino[i]);
	err = mkfs_fill_names(m);
	if (err)
		return err;
	if (geometry_has(m->geo, F2FS_FEAT_CASEFOLD)) {
		sb_set_s_encoding(sb, ENCODING_UTF8);
		sb_set_s_encoding_flags(sb, m->options->encoding_flags);
	}
	if (geometry_has(m->geo, F2FS_FEAT_SB_CHECKSUM)) {
		sb_set_checksum_offset(sb, sb_OFS_crc);
		sb_set_crc(sb, superblock_crc(sb));
	}
	return 0;
}

/* Where copies can be: 1024 bytes into block 0 and into block 1 of 4 or 16 KiB. */
int mkfs_clear_superblocks(struct mkfs *m)
{
	const uint64_t reach = 2 * 16384;

	for (unsigned i = 0; i < m->device_count; i++) {
		uint64_t size = m->layout->devices[i].size;
		int err;

		if (m->devices[i].alias || (i > 0 && m->layout->devices[i].zone_type))
			continue;
		err = device_zero(m->devices[i].device, 0, size < reach ? size : reach);
		if (!err)
			err = device_flush(m->devices[i].device);
		if (err)
			return err;
	}
	return 0;
}

int mkfs_write_superblocks(struct mkfs *m)
{
	uint8_t *block = mem_zalloc(m->ctx, m->geo->block_size);
	int err = 0;

	if (!block)
		return F2FS_ERR_NOMEM;
	memcpy(block + SB_OFFSET, m->sb, sizeof(m->sb));
	for (unsigned copy = 2; !err && copy-- > 0;) {
		err = device_write(m->whole, mkfs_byte(m, copy), block, m->geo->block_size);
		if (!err)
			err = device_flush(m->whole);
	}
	mem_free(m->ctx, block);
	return err;
}
