/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A superblock of any bytes: the rules judge it, and a valid one gives a geometry with its parts in their places. */
#include <stdlib.h>
#include <string.h>

#include "format/flags.h"
#include "format/geometry.h"
#include "format/structs.h"
#include "format/superblock.h"
#include "fuzz/fuzz.h"

static void expect(int holds)
{
	if (!holds)
		abort();
}

static void check_geometry(const uint8_t *sb)
{
	struct f2fs_geometry geo;
	uint32_t offset;

	geometry_decode(&geo, sb);
	expect(geo.end_blkaddr <= UINT32_MAX);
	expect(geo.segment0_blkaddr >= 2 && geo.main_blkaddr < geo.end_blkaddr);
	expect(geo.max_nid > ROOT_INO);
	expect(geometry_nat_block(&geo, 0, 0) == geo.nat_blkaddr);
	expect(geometry_nat_block(&geo, geo.nat_blocks - 1, 1) < geo.ssa_blkaddr);
	expect(geometry_sit_block(&geo, geo.sit_blocks_used - 1, 1) < geo.nat_blkaddr);
	if (!geometry_has(&geo, F2FS_FEAT_RO))
		expect(geometry_ssa_block(&geo, geo.segment_count_main - 1, &offset) < geo.main_blkaddr);
	expect(superblock_device_count(sb) <= 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t sb[sb_SIZE];

	memset(sb, 0, sizeof(sb));
	memcpy(sb, data, size < sizeof(sb) ? size : sizeof(sb));
	if (superblock_check(sb) == RULE_NONE)
		check_geometry(sb);
	/* after the magic number and the checksum */
	sb_set_magic(sb, F2FS_MAGIC);
	if (sb_feature(sb) & F2FS_FEAT_SB_CHECKSUM) {
		sb_set_checksum_offset(sb, sb_OFS_crc);
		sb_set_crc(sb, superblock_crc(sb));
	}
	if (superblock_check(sb) == RULE_NONE)
		check_geometry(sb);
	return 0;
}
