/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checkpoint rules and arithmetic (FORMAT volume 4).
 */
#include "format/checkpoint.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/crc.h"
#include "format/flags.h"
#include "format/structs.h"

uint32_t checkpoint_crc(const uint8_t *cp, uint32_t block_size)
{
	uint32_t at = cp_checksum_offset(cp);
	uint32_t crc = crc_f2fs(F2FS_MAGIC, cp, at);

	if (at < block_size - 4)
		crc = crc_f2fs(crc, cp + at + 4, block_size - at - 4);
	return crc;
}

uint32_t checkpoint_stored_crc(const uint8_t *cp)
{
	return get_le32(cp + cp_checksum_offset(cp));
}

enum rule checkpoint_check_block(const uint8_t *cp, uint32_t block_size)
{
	uint32_t total = cp_cp_pack_total_block_count(cp);

	if (cp_checksum_offset(cp) < cp_SIZE || cp_checksum_offset(cp) > block_size - 4)
		return RULE_CP_CHECKSUM_OFFSET;
	if (checkpoint_crc(cp, block_size) != checkpoint_stored_crc(cp))
		return RULE_CP_CRC;
	if (total <= 2 || total > F2FS_SEGMENT_BLOCKS)
		return RULE_CP_PACK_SIZE;
	return RULE_NONE;
}

uint32_t checkpoint_log_segno(const uint8_t *cp, unsigned type)
{
	return type < F2FS_HOT_NODE ? cp_cur_data_segno(cp, type) : cp_cur_node_segno(cp, type - F2FS_HOT_NODE);
}

uint16_t checkpoint_log_blkoff(const uint8_t *cp, unsigned type)
{
	return type < F2FS_HOT_NODE ? cp_cur_data_blkoff(cp, type) : cp_cur_node_blkoff(cp, type - F2FS_HOT_NODE);
}

bool checkpoint_has_six_logs(const uint8_t *cp)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		for (unsigned j = 0; j < i; j++)
			if (checkpoint_log_segno(cp, i) == checkpoint_log_segno(cp, j))
				return false;
	return true;
}

static enum rule check_counts(const uint8_t *cp, const struct f2fs_geometry *geo)
{
	bool ro = geometry_has(geo, F2FS_FEAT_RO);
	uint64_t meta = (uint64_t)geo->segment_count_ckpt + geo->segment_count_sit + geo->segment_count_nat +
			geo->segment_count_ssa + cp_rsvd_segment_count(cp);

	if (meta >= geo->segment_count)
		return RULE_CP_META_SEGMENTS;
	if (!ro && (meta < 8 || cp_overprov_segment_count(cp) == 0 || cp_rsvd_segment_count(cp) == 0))
		return RULE_CP_OVERPROVISION;
	if (cp_user_block_count(cp) == 0 ||
	    cp_user_block_count(cp) >= ((uint64_t)geo->segment_count_main + ro) * F2FS_SEGMENT_BLOCKS)
		return RULE_CP_USER_BLOCKS;
	if (cp_valid_block_count(cp) > cp_user_block_count(cp))
		return RULE_CP_VALID_BLOCKS;
	if (cp_valid_node_count(cp) > geo->max_nid - 3)
		return RULE_CP_VALID_NODES;
	return RULE_NONE;
}

static enum rule check_logs(const uint8_t *cp, const struct f2fs_geometry *geo)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		if (checkpoint_log_segno(cp, i) >= geo->segment_count_main ||
		    checkpoint_log_blkoff(cp, i) >= F2FS_SEGMENT_BLOCKS)
			return RULE_CP_CURSEG_RANGE;
	if (!geometry_has(geo, F2FS_FEAT_RO) && !checkpoint_has_six_logs(cp))
		return RULE_CP_CURSEG_DISTINCT;
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		if (cp_alloc_type(cp, i) > ALLOC_HOLES)
			return RULE_CP_ALLOC_TYPE;
	return RULE_NONE;
}

static bool is_large(const uint8_t *cp)
{
	return (cp_ckpt_flags(cp) & FLAG_ckpt_flags_large_nat_bitmap) != 0;
}

static void place_bitmaps(const uint8_t *cp, const struct f2fs_geometry *geo, bool large, uint32_t *sit_offset,
			  uint32_t *nat_offset)
{
	if (large) {
		*nat_offset = cp_SIZE + 4;
		*sit_offset = *nat_offset + cp_nat_ver_bitmap_bytesize(cp);
	} else if (geo->cp_payload > 0) {
		*sit_offset = geo->block_size;
		*nat_offset = cp_SIZE;
	} else {
		*sit_offset = cp_SIZE;
		*nat_offset = cp_SIZE + cp_sit_ver_bitmap_bytesize(cp);
	}
}

void checkpoint_bitmaps(const uint8_t *cp, const struct f2fs_geometry *geo, uint32_t *sit_offset, uint32_t *nat_offset)
{
	place_bitmaps(cp, geo, is_large(cp), sit_offset, nat_offset);
}

bool checkpoint_bitmaps_fit(const uint8_t *cp, const struct f2fs_geometry *geo, bool large)
{
	const uint64_t all = (uint64_t)geo->block_size * (1 + geo->cp_payload);
	/* what does not run on into the payload ends before the checksum */
	const uint64_t nat_room = large ? all : geo->block_size - 4;
	const uint64_t sit_room = large || geo->cp_payload > 0 ? all : nat_room;
	uint32_t sit, nat;

	place_bitmaps(cp, geo, large, &sit, &nat);
	return range_within(sit, cp_sit_ver_bitmap_bytesize(cp), sit_room) &&
	       range_within(nat, cp_nat_ver_bitmap_bytesize(cp), nat_room);
}

void checkpoint_move_bitmaps(uint8_t *cp, const uint8_t *from, const struct f2fs_geometry *geo, bool large)
{
	const uint32_t flag = FLAG_ckpt_flags_large_nat_bitmap;
	uint32_t sit_from, nat_from, sit, nat;

	place_bitmaps(from, geo, is_large(from), &sit_from, &nat_from);
	place_bitmaps(from, geo, large, &sit, &nat);
	memset(cp + cp_SIZE, 0, (size_t)geo->block_size * (1 + geo->cp_payload) - cp_SIZE);
	cp_set_ckpt_flags(cp, large ? cp_ckpt_flags(cp) | flag : cp_ckpt_flags(cp) & ~flag);
	cp_set_checksum_offset(cp, large ? cp_SIZE : geo->block_size - 4);
	memcpy(cp + sit, from + sit_from, cp_sit_ver_bitmap_bytesize(from));
	memcpy(cp + nat, from + nat_from, cp_nat_ver_bitmap_bytesize(from));
}

static enum rule check_bitmaps(const uint8_t *cp, const struct f2fs_geometry *geo)
{
	if (cp_sit_ver_bitmap_bytesize(cp) != geo->sit_blocks / 8 ||
	    cp_nat_ver_bitmap_bytesize(cp) != geo->nat_blocks / 8)
		return RULE_CP_BITMAP_SIZE;
	return checkpoint_bitmaps_fit(cp, geo, is_large(cp)) ? RULE_NONE : RULE_CP_BITMAP_ROOM;
}

/* Is there room for nat_bits after the pack? Counted as the kernel does, with both copies (FORMAT volume 12). */
static bool nat_bits_fit(const struct f2fs_geometry *geo)
{
	uint64_t bytes = 2 * (uint64_t)geo->segment_count_nat * (F2FS_SEGMENT_BLOCKS / 8) + 8;

	return geo->cp_payload + 8 + div_ceil64(bytes, geo->block_size) < F2FS_SEGMENT_BLOCKS;
}

enum rule checkpoint_check(const uint8_t *cp, const struct f2fs_geometry *geo)
{
	uint32_t flags = cp_ckpt_flags(cp);
	enum rule rule = check_counts(cp, geo);

	if (!rule)
		rule = check_logs(cp, geo);
	if (!rule)
		rule = check_bitmaps(cp, geo);
	if (rule)
		return rule;
	if (cp_cp_pack_start_sum(cp) < 1 + geo->cp_payload || cp_cp_pack_start_sum(cp) > 505)
		return RULE_CP_START_SUM;
	if ((flags & FLAG_ckpt_flags_large_nat_bitmap) && cp_checksum_offset(cp) != cp_SIZE)
		return RULE_CP_LARGE_NAT;
	if ((flags & FLAG_ckpt_flags_nat_bits) && !nat_bits_fit(geo))
		return RULE_CP_NAT_BITS;
	if (flags & FLAG_ckpt_flags_error)
		return RULE_CP_ERROR_FLAG;
	return RULE_NONE;
}

void checkpoint_pack_layout(const uint8_t *cp, const struct f2fs_geometry *geo, struct pack_layout *out)
{
	uint32_t flags = cp_ckpt_flags(cp);
	uint32_t nodes;

	out->total = cp_cp_pack_total_block_count(cp);
	out->has_nodes = (flags & (FLAG_ckpt_flags_unmount | FLAG_ckpt_flags_fastboot)) != 0;
	out->compact = (flags & FLAG_ckpt_flags_compacted_summary) != 0;
	nodes = out->has_nodes ? 3 : 0;
	out->orphan_start = 1 + geo->cp_payload;
	out->orphan_blocks = (flags & FLAG_ckpt_flags_orphan_inodes) ? cp_cp_pack_start_sum(cp) - out->orphan_start : 0;
	/* normal summaries are found from the end, compact ones from start_sum: tools disagree about start_sum */
	if (out->compact) {
		out->data_start = cp_cp_pack_start_sum(cp);
		out->data_blocks =
			out->total > out->data_start + 1 + nodes ? out->total - out->data_start - 1 - nodes : 0;
	} else {
		out->data_start = out->total > 4 + nodes ? out->total - 4 - nodes : 0;
		out->data_blocks = 3;
	}
	out->node_start = out->total > 4 ? out->total - 4 : 0;
}

uint32_t checkpoint_denied(const uint8_t *cp)
{
	return cp_overprov_segment_count(cp) && cp_rsvd_segment_count(cp) ? (uint32_t)F2FS_FEAT_RO : 0;
}

uint64_t checkpoint_node_version(const uint8_t *cp)
{
	uint64_t version = cp_checkpoint_ver(cp);

	if (cp_ckpt_flags(cp) & FLAG_ckpt_flags_crc)
		version |= (uint64_t)checkpoint_stored_crc(cp) << 32;
	return version;
}

bool checkpoint_is_recoverable(const uint8_t *cp, uint64_t node_cp_ver)
{
	if (cp_ckpt_flags(cp) & FLAG_ckpt_flags_allow_nocrc)
		return (uint32_t)node_cp_ver == (uint32_t)cp_checkpoint_ver(cp);
	return node_cp_ver == checkpoint_node_version(cp);
}
