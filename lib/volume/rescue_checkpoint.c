/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A checkpoint for a volume whose packs are both not valid: a single checkpoint block that is left of one (each pack
 * has two, and a pack whose last block is older than its first is not valid as a whole), or one that is made up so that
 * the layers above have numbers to work with.
 */
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "device/device.h"
#include "format/overprovision.h"
#include "volume/block_read.h"
#include "volume/heads_read.h"
#include "volume/rescue.h"
#include "volume/rescue_checkpoint.h"
#include "volume/roots.h"
#include "volume/zone_map.h"

/* Find the newest block of both packs that is a checkpoint block by its checksum and its numbers. */
static bool find_block(struct f2fs_volume *vol, uint8_t *block, f2fs_blk_t *found)
{
	const uint32_t bs = vol->geo.block_size;
	uint64_t best = 0;
	bool any = false;

	for (uint32_t i = 0; i < 2 * F2FS_SEGMENT_BLOCKS; i++) {
		f2fs_blk_t addr = vol->geo.cp_blkaddr + i;
		enum rule rule;

		if (device_read_quiet(vol->dev, (uint64_t)addr * bs, block, bs) != 0)
			continue;
		if (checkpoint_check_block(block, bs) != RULE_NONE)
			continue;
		rule = checkpoint_check(block, &vol->geo);
		if (rule && rule != RULE_CP_ERROR_FLAG)
			continue;
		if (!any || (int64_t)(cp_checkpoint_ver(block) - best) > 0) {
			any = true;
			best = cp_checkpoint_ver(block);
			*found = addr;
		}
	}
	return any;
}

static int empty_journal(struct f2fs_volume *vol, const uint8_t **journal)
{
	mem_free(vol->ctx, (void *)*journal);
	*journal = mem_zalloc(vol->ctx, vol->geo.journal_size);
	return *journal ? 0 : F2FS_ERR_NOMEM;
}

/* Empty journals: for when a pack's are out of reach. */
static int make_journals(struct f2fs_volume *vol)
{
	const int err = empty_journal(vol, &vol->loaded.nat_journal);

	return err ? err : empty_journal(vol, &vol->loaded.sit_journal);
}

/* Load what remains of the rest of a pack; journals without a rest are empty. */
static int load_half(struct f2fs_volume *vol)
{
	int err;

	vol->rescue->root = RESCUE_ROOT_HALF;
	err = heads_load(vol);
	return err == F2FS_ERR_CORRUPT || err == F2FS_ERR_IO ? make_journals(vol) : err;
}

static int take_half(struct f2fs_volume *vol, f2fs_blk_t addr)
{
	int err = volume_take_checkpoint(vol, addr);

	if (!err)
		err = load_half(vol);
	if (err)
		return err;
	return volume_note(vol, "the newest checkpoint pack is damaged; its block at %u (version %llu) is used",
			   (unsigned)addr, (unsigned long long)cp_checkpoint_ver(vol->view->cp));
}

/* Compute place and length of the version bitmaps from the layout (FORMAT volume 4.5). */
static void put_bitmaps(struct f2fs_volume *vol, uint8_t *cp)
{
	const struct f2fs_geometry *geo = &vol->geo;
	const uint32_t sit = geo->sit_blocks / 8, nat = geo->nat_blocks / 8, room = geo->block_size - 4 - cp_SIZE;
	const bool large = geo->cp_payload > 0 ? nat > room : sit + nat > room;

	cp_set_sit_ver_bitmap_bytesize(cp, sit);
	cp_set_nat_ver_bitmap_bytesize(cp, nat);
	cp_set_checksum_offset(cp, large ? cp_SIZE : geo->block_size - 4);
	if (large)
		cp_set_ckpt_flags(cp, cp_ckpt_flags(cp) | FLAG_ckpt_flags_large_nat_bitmap);
}

/* Set the space kept for GC as formatting would. */
static void put_reserve(const struct f2fs_volume *vol, uint8_t *cp)
{
	const struct f2fs_geometry *geo = &vol->geo;
	struct overprovision_input in = { .section_blocks = zones_section_blocks(vol),
					  .main = geo->segment_count_main,
					  .sections = geo->section_count,
					  .segs_per_sec = geo->segs_per_sec,
					  .is_ro = geometry_has(geo, F2FS_FEAT_RO) };
	struct overprovision_output over = { .reserved = 1,
					     .overprovision = 1,
					     .user_blocks = (uint64_t)(geo->segment_count_main - 1) *
							    F2FS_SEGMENT_BLOCKS };

	overprovision_compute(&in, &over);
	cp_set_user_block_count(cp, over.user_blocks);
	cp_set_rsvd_segment_count(cp, over.reserved);
	cp_set_overprov_segment_count(cp, over.overprovision);
}

static int make(struct f2fs_volume *vol)
{
	const struct f2fs_geometry *geo = &vol->geo;
	uint8_t *cp = mem_zalloc(vol->ctx, (size_t)(1 + geo->cp_payload) << geo->block_bits);
	int err;

	if (!cp)
		return F2FS_ERR_NOMEM;
	cp_set_checkpoint_ver(cp, 1);
	put_reserve(vol, cp);
	for (unsigned i = 0; i < 8; i++) {
		cp_set_cur_node_segno(cp, i, i < 3 ? i : NULL_SEGNO);
		cp_set_cur_data_segno(cp, i, i < 3 ? 3 + i : NULL_SEGNO);
	}
	cp_set_ckpt_flags(cp, FLAG_ckpt_flags_unmount);
	cp_set_cp_pack_start_sum(cp, 1 + geo->cp_payload);
	cp_set_cp_pack_total_block_count(cp, 8 + geo->cp_payload);
	put_bitmaps(vol, cp);
	put_le32(cp + cp_checksum_offset(cp), checkpoint_crc(cp, geo->block_size));
	checkpoint_view_adopt(&vol->loaded, cp, 1, geo, vol->ctx);
	vol->rescue->root = RESCUE_ROOT_MADE;
	err = make_journals(vol);
	if (err)
		return err;
	return volume_note(vol, "there is no checkpoint; counts and SIT are not known");
}

/* Correct the field of a checkpoint that breaks a rule; false: it cannot be. */
static bool mend(const struct f2fs_volume *vol, uint8_t *cp, enum rule rule)
{
	const uint32_t main_segments = vol->geo.segment_count_main;

	switch (rule) {
	case RULE_CP_META_SEGMENTS:
	case RULE_CP_OVERPROVISION:
	case RULE_CP_USER_BLOCKS:
		put_reserve(vol, cp);
		return true;
	case RULE_CP_VALID_BLOCKS: /* a writer counts it again */
		cp_set_valid_block_count(cp, 0);
		return true;
	case RULE_CP_VALID_NODES:
		cp_set_valid_node_count(cp, 0);
		return true;
	case RULE_CP_CURSEG_RANGE:
	case RULE_CP_CURSEG_DISTINCT:
	case RULE_CP_ALLOC_TYPE:
		for (unsigned i = 0; i < 3; i++) {
			cp_set_cur_node_segno(cp, i, i % main_segments);
			cp_set_cur_data_segno(cp, i, (3 + i) % main_segments);
			cp_set_cur_node_blkoff(cp, i, 0);
			cp_set_cur_data_blkoff(cp, i, 0);
			cp_set_alloc_type(cp, i, ALLOC_APPEND);
			cp_set_alloc_type(cp, 3 + i, ALLOC_APPEND);
		}
		return true;
	case RULE_CP_NAT_BITS:
		cp_set_ckpt_flags(cp, cp_ckpt_flags(cp) & ~(uint32_t)FLAG_ckpt_flags_nat_bits);
		return true;
	default:
		return false;
	}
}

static bool mend_all(const struct f2fs_volume *vol, uint8_t *cp)
{
	for (unsigned i = 0; i < 8; i++) {
		enum rule rule = checkpoint_check(cp, &vol->geo);

		if (!rule || rule == RULE_CP_ERROR_FLAG)
			return true;
		if (!mend(vol, cp, rule))
			return false;
	}
	return false;
}

int rescue_newer_pack(struct f2fs_volume *vol)
{
	const unsigned other = 3 - vol->view->pack;
	const size_t size = (size_t)(1 + vol->geo.cp_payload) << vol->geo.block_bits;
	uint8_t *cp;
	int err;

	if (vol->pack_state[other - 1] != 0 ||
	    (int64_t)(vol->pack_version[other - 1] - vol->pack_version[vol->view->pack - 1]) <= 0)
		return 0;
	cp = mem_alloc(vol->ctx, size);
	if (!cp)
		return F2FS_ERR_NOMEM;
	err = volume_device_read(vol, vol->dev, (uint64_t)volume_pack_start(vol, other) << vol->geo.block_bits, cp,
				 size);
	if (err || !mend_all(vol, cp)) {
		mem_free(vol->ctx, cp);
		error_clear(vol->ctx);
		return 0; /* the older one it is */
	}
	volume_unload_pack(vol);
	checkpoint_view_adopt(&vol->loaded, cp, other, &vol->geo, vol->ctx);
	err = load_half(vol);
	if (err)
		return err;
	return volume_note(vol, "checkpoint pack %u is newer and is used with corrected numbers", other);
}

int rescue_checkpoint(struct f2fs_volume *vol)
{
	uint8_t *block = mem_alloc(vol->ctx, vol->geo.block_size);
	f2fs_blk_t addr = 0;
	bool found;

	if (!block)
		return F2FS_ERR_NOMEM;
	found = find_block(vol, block, &addr);
	mem_free(vol->ctx, block);
	return found ? take_half(vol, addr) : make(vol);
}
