/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare the feature blkzoned with the device. Linux mounts a volume with this feature on a zoned device only, and
 * mounts no other volume there. A copy of a zoned volume in a file is sound, so on a device without zones the layout
 * shows whether the volume was ever on a zoned one. With several devices any number of them may be zoned.
 */
#include "check/root_zones.h"
#include "facts/finding.h"
#include "facts/run.h"
#include "format/checkpoint.h"
#include "format/superblock.h"

/* Can the sections be zones, and did the logs only append? */
static bool was_on_zones(const struct checker *c)
{
	const struct f2fs_geometry *geo = c->geo;
	const uint32_t segments = geo->segs_per_sec;

	if (segments < 2 || (segments & (segments - 1)) != 0 || geo->secs_per_zone != 1 ||
	    geo->main_blkaddr % (segments * F2FS_SEGMENT_BLOCKS) != 0)
		return false;
	for (unsigned log = 0; log < F2FS_LOG_COUNT; log++)
		if (cp_alloc_type(c->vol->view->cp, log) != 0)
			return false;
	return true;
}

/* Are the device's zones sections of the volume? */
static bool fits_zones(const struct checker *c, uint64_t zone_bytes)
{
	return zone_bytes == ((uint64_t)c->geo->segs_per_sec * F2FS_SEGMENT_BLOCKS) << c->geo->block_bits;
}

int root_zones_check(struct checker *c)
{
	const struct f2fs_device_info *info = f2fs_device_info(c->vol->dev);
	const bool has_feature = geometry_has(c->geo, F2FS_FEAT_BLKZONED);
	const bool has_zones = (info->caps & F2FS_DEVICE_ZONED) != 0;

	if (has_feature == has_zones || superblock_device_count(c->vol->sb) > 0)
		return 0;
	if (has_zones && !fits_zones(c, info->zone_bytes))
		return 0; /* its sections are not zones: the feature would not help */
	return problem_raise(c, &(struct finding){ .problem = has_zones		? P_SB_ZONES_UNSAID
							      : was_on_zones(c) ? P_SB_ZONES_ELSEWHERE
										: P_SB_ZONED });
}
