/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bound the reads of a volume.
 */
#include "volume/read_room.h"

#include "base/error.h"

/* How much larger contents may be than their stored form. */
static uint64_t growth(const struct f2fs_volume *vol)
{
	return geometry_has(&vol->geo, F2FS_FEAT_COMPRESSION) ? 256 : 1;
}

/* Each block of the volume is read once, looked at, and may be between two holes, which are examined. */
uint64_t read_room(const struct f2fs_volume *vol)
{
	return (uint64_t)vol->geo.block_count * vol->geo.block_size * growth(vol) * 8;
}

int read_room_take(struct f2fs_context *ctx, const struct f2fs_volume *vol, uint64_t *room, uint64_t bytes)
{
	bytes += vol->geo.block_size * growth(vol);
	if (bytes > *room)
		return error_set(ctx, F2FS_ERR_CORRUPT, "the files have more blocks than the volume");
	*room -= bytes;
	return 0;
}
