/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A checkpoint block of any bytes under a geometry of any bytes: what passes keeps all its parts inside the pack. */
#include <stdlib.h>
#include <string.h>

#include "format/checkpoint.h"
#include "format/flags.h"
#include "format/structs.h"
#include "format/superblock.h"
#include "fuzz/fuzz.h"

static void expect(int holds)
{
	if (!holds)
		abort();
}

static void check_parts(const uint8_t *cp, const struct f2fs_geometry *geo)
{
	const uint64_t all = (uint64_t)geo->block_size * (1 + geo->cp_payload);
	struct pack_layout pack;
	uint32_t sit, nat;

	checkpoint_bitmaps(cp, geo, &sit, &nat);
	expect(sit + (uint64_t)geo->sit_blocks / 8 <= all && nat + (uint64_t)geo->nat_blocks / 8 <= all);
	expect(sit >= cp_SIZE && nat >= cp_SIZE);
	checkpoint_pack_layout(cp, geo, &pack);
	expect(pack.total <= F2FS_SEGMENT_BLOCKS);
	expect(pack.orphan_start + pack.orphan_blocks <= F2FS_SEGMENT_BLOCKS);
	expect(pack.data_start < F2FS_SEGMENT_BLOCKS);
	expect(!pack.has_nodes || pack.node_start + 3 <= F2FS_SEGMENT_BLOCKS);
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		expect(checkpoint_log_segno(cp, i) < geo->segment_count_main && checkpoint_log_blkoff(cp, i) < 512);
}

/* The input is a superblock (3072 bytes), then a checkpoint block. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t sb[sb_SIZE], cp[16384];
	struct f2fs_geometry geo;

	memset(sb, 0, sizeof(sb));
	memset(cp, 0, sizeof(cp));
	memcpy(sb, data, size < sizeof(sb) ? size : sizeof(sb));
	if (size > sizeof(sb))
		memcpy(cp, data + sizeof(sb), size - sizeof(sb) < sizeof(cp) ? size - sizeof(sb) : sizeof(cp));
	if (superblock_check(sb) != RULE_NONE)
		return 0;
	geometry_decode(&geo, sb);
	checkpoint_check_block(cp, geo.block_size);
	if (cp_checksum_offset(cp) < cp_SIZE || cp_checksum_offset(cp) > geo.block_size - 4)
		return 0;
	put_le32(cp + cp_checksum_offset(cp), checkpoint_crc(cp, geo.block_size));
	if (checkpoint_check_block(cp, geo.block_size) == RULE_NONE && checkpoint_check(cp, &geo) == RULE_NONE)
		check_parts(cp, &geo);
	return 0;
}
