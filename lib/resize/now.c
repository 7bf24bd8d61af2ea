/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The volume between the steps of a resize: its contents, reopening, another geometry, numbers that fit.
 */
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "device/device.h"
#include "file/change.h"
#include "file/write.h"
#include "format/plan_home.h"
#include "format/superblock.h"
#include "log/commit.h"
#include "log/free_count.h"
#include "log/superblocks.h"
#include "resize/fits.h"
#include "resize/now.h"
#include "resize/reduce.h"
#include "resize/run.h"
#include "resize/stages.h"
#include "volume/nat_read.h"
#include "volume/zone_map.h"

int resize_report(struct resize *r, const char *phase, uint64_t done, uint64_t total, const char *unit)
{
	const struct f2fs_progress progress = {
		.task = "resize", .phase = phase, .unit = unit, .done = done, .total = total
	};

	return progress_report(r->ctx, &progress);
}

static uint32_t segments_before(const struct resize *r, uint64_t block)
{
	return block > UINT32_MAX ? UINT32_MAX : (uint32_t)(sub_or_zero(block, r->home) / F2FS_SEGMENT_BLOCKS);
}

/*
 * Count the segments that the node ids in use need, of both copies. Where the NAT cannot be read, that is all of it.
 * Steps do not change node ids, so it is done once.
 */
static int look_at_ids(struct resize *r)
{
	const struct f2fs_geometry *geo = &r->vol->geo;
	const uint64_t ids = (uint64_t)geo->nat_per_block * F2FS_SEGMENT_BLOCKS; /* of a segment */
	struct f2fs_nat_info entry;
	uint64_t nid = 0;
	int err = 0;

	if (r->nat_used_segments > 0)
		return 0;
	while (nid < geo->max_nid && !err) {
		err = nat_next(r->vol, (f2fs_nid_t)nid, &entry);
		if (!err)
			nid = (entry.nid / ids + 1) * ids;
	}
	if (err && err != F2FS_ERR_NOT_FOUND && err != F2FS_ERR_IO && err != F2FS_ERR_CORRUPT)
		return err;
	r->nat_used_segments = err && err != F2FS_ERR_NOT_FOUND ? geo->segment_count_nat : 2 * (uint32_t)(nid / ids);
	error_clear(r->ctx);
	return 0;
}

/* Find out where the areas may be, and which segments belong to the volume in any case. */
static void look_at_devices(struct resize *r)
{
	const unsigned devices = superblock_device_count(r->vol->sb);
	struct stage_volume *v = &r->now;

	v->first_segments = UINT32_MAX;
	if (devices <= 1)
		return;
	v->first_segments = sbdev_total_segments(superblock_device(r->vol->sb, 0)) + v->dead_segments;
	r->other_segments = v->dead_segments;
	for (unsigned i = 0; i + 1 < devices; i++)
		r->other_segments += sbdev_total_segments(superblock_device(r->vol->sb, i));
	v->least_segments = r->other_segments + stage_zone(v);
}

static void look_at_areas(struct resize *r)
{
	const struct f2fs_geometry *geo = &r->vol->geo;
	const bool large_nat = (cp_ckpt_flags(r->vol->view->cp) & FLAG_ckpt_flags_large_nat_bitmap) != 0;
	struct stage_volume *v = &r->now;
	const uint64_t by_sit = (uint64_t)geo->sit_blocks * geo->sit_per_block,
		       by_ssa = (uint64_t)geo->segment_count_ssa * F2FS_SEGMENT_BLOCKS * geo->sums_per_block;

	*v = (struct stage_volume){ .overprovision = r->options->overprovision };
	plan_areas_of(geo, large_nat, &v->shape);
	v->meta_segments = (geo->main_blkaddr - geo->segment0_blkaddr) / F2FS_SEGMENT_BLOCKS;
	v->extend_segments = (uint32_t)(by_sit < by_ssa ? by_sit : by_ssa);
	v->dead_segments = plan_dead_segments(geo, large_nat, &r->home);
	v->shape.segment_count += v->dead_segments;
	v->ssa_segments = geo->segment_count_ssa;
	v->sums_per_block = geo->sums_per_block;
	v->keeps_areas = r->keeps_areas;
	v->repacks = r->is_borrowed && (geo->feature & F2FS_FEAT_PACKED_SSA) != r->feature_wanted;
	look_at_devices(r);
	v->section_blocks = zones_section_blocks(r->vol);
	/* an image file does not know which zones of its future device can be written anywhere */
	v->unordered_segments = v->dead_segments + v->meta_segments;
	if (!(f2fs_device_info(r->vol->dev)->caps & F2FS_DEVICE_ZONED))
		return;
	v->unordered_segments = segments_before(r, r->vol->zones.in_order);
}

int resize_look(struct resize *r)
{
	int err = sit_usage_count(r->vol, &r->usage);

	look_at_areas(r);
	if (!err)
		err = look_at_ids(r);
	r->now.nat_used_segments = r->nat_used_segments;
	r->now.data_blocks = r->usage.data_blocks;
	r->now.node_blocks = r->usage.node_blocks;
	r->now.valid_blocks = cp_valid_block_count(r->vol->view->cp);
	return err;
}

/* Open the volume again, as it is now. */
static int reopen(struct resize *r)
{
	struct f2fs_open_options open = r->open;
	int err;

	if (r->is_borrowed) {
		err = volume_follow(r->vol);
		return err ? err : resize_look(r);
	}
	f2fs_volume_close(r->vol);
	r->vol = NULL;
	open.recover = F2FS_RECOVER_NONE;
	err = volume_open(r->ctx, r->dev, &open, &r->vol);
	return err ? err : resize_look(r);
}

int resize_switch(struct resize *r, const struct f2fs_geometry *to)
{
	const struct f2fs_geometry *from = &r->vol->geo;
	const unsigned devices = superblock_device_count(r->vol->sb);
	struct f2fs_geometry geo = *to;
	uint8_t sb[sb_SIZE];
	int err;

	memcpy(sb, r->vol->sb, sizeof(sb));
	geometry_derive(&geo);
	if (devices > 1)
		geo.block_count = geo.block_count + geo.end_blkaddr - from->end_blkaddr;
	else if (geo.end_blkaddr != from->end_blkaddr)
		geo.block_count = r->target_bytes >> geo.block_bits;
	if (geo.block_count < geo.end_blkaddr)
		geo.block_count = geo.end_blkaddr;
	superblock_set_layout(sb, &geo);
	sb_set_feature(sb, geo.feature);
	for (unsigned i = 0; i < devices; i++) {
		uint8_t *dev = sb_devs_w(sb) + (size_t)i * sbdev_SIZE;
		int64_t segments = sbdev_total_segments(dev);

		if (i == 0)
			segments -= ((int64_t)geo.segment0_blkaddr - (int64_t)from->segment0_blkaddr) /
				    F2FS_SEGMENT_BLOCKS;
		if (i == devices - 1)
			segments += ((int64_t)geo.end_blkaddr - (int64_t)from->end_blkaddr) / F2FS_SEGMENT_BLOCKS;
		sbdev_set_total_segments(dev, (uint32_t)segments);
	}
	if (geometry_has(&geo, F2FS_FEAT_SB_CHECKSUM))
		sb_set_crc(sb, superblock_crc(sb));
	if (superblock_check(sb) != RULE_NONE)
		return error_set(r->ctx, F2FS_ERR_STATE, "the superblock of the new size breaks a rule: %s",
				 rule_row(superblock_check(sb))->text);
	err = superblock_replace(r->vol, sb);
	return err ? err : reopen(r);
}

int resize_commit(struct resize *r)
{
	struct commit_form form = { .has_room = true };
	struct stage_room room;
	int err;

	/* the plan ensures that the last step keeps the ratio */
	if (!stage_room(&r->now, r->vol->geo.segment_count_main, true, &room))
		return error_set(r->ctx, F2FS_ERR_NOSPC,
				 "with this overprovision ratio the volume cannot hold the blocks in use");
	err = change_start(r->vol);
	if (err)
		return err;
	form.user_blocks = room.user_blocks;
	form.reserved_segments = room.reserved;
	form.overprovision_segments = room.overprovision;
	form.free_change = (int64_t)r->usage.free_segments - (int64_t)txn_of(r->vol)->free_before;
	err = txn_commit_as(r->vol, &form);
	r->result->commits += !err;
	return err ? err : resize_look(r);
}
