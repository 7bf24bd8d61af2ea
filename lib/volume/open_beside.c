/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open a volume beside another one. All writes of base are on the device, and its checkpoint pack is copied from
 * memory, so this reads only zones.
 */
#include <string.h>

#include "device/cache.h"
#include "device/overlay.h"
#include "volume/beside.h"
#include "volume/clock.h"
#include "volume/keyring.h"
#include "volume/open_beside.h"
#include "volume/rescue.h"
#include "volume/zone_map.h"

/* The checkpoint in force, with journals, orphans and the summaries that were loaded. */
static int copy_pack(struct f2fs_volume *vol, const struct f2fs_volume *base)
{
	int err = checkpoint_view_copy(&vol->loaded, base->view, &base->geo, vol->ctx);

	memcpy(vol->pack_state, base->pack_state, sizeof(vol->pack_state));
	memcpy(vol->pack_version, base->pack_version, sizeof(vol->pack_version));
	memcpy(vol->pack_stamp, base->pack_stamp, sizeof(vol->pack_stamp));
	memcpy(vol->log_sum_source, base->log_sum_source, sizeof(vol->log_sum_source));
	for (unsigned i = 0; i < F2FS_LOG_COUNT && !err; i++) {
		if (!base->log_sums[i])
			continue;
		vol->log_sums[i] = mem_alloc(vol->ctx, SUMMARY_BYTES);
		if (!vol->log_sums[i])
			return F2FS_ERR_NOMEM;
		memcpy(vol->log_sums[i], base->log_sums[i], SUMMARY_BYTES);
	}
	return err;
}

/* The NAT of a rescue opening, as it was put together. */
static int copy_rescue(struct f2fs_volume *vol, const struct f2fs_volume *base)
{
	struct rescue *r;

	if (!base->rescue)
		return 0;
	r = mem_alloc(vol->ctx, sizeof(*r));
	if (!r)
		return F2FS_ERR_NOMEM;
	*r = *base->rescue;
	map32_init(&r->index, vol->ctx);
	vec_init(&r->nodes, vol->ctx, base->rescue->nodes.item_size);
	vol->rescue = r;
	return vec_append(&r->nodes, &base->rescue->nodes);
}

static void copy_roots(struct f2fs_volume *vol, const struct f2fs_volume *base)
{
	vol->geo = base->geo;
	vol->mode = base->mode;
	memcpy(vol->sb, base->sb, sizeof(vol->sb));
	memcpy(vol->sb_other, base->sb_other, sizeof(vol->sb_other));
	memcpy(vol->sb_state, base->sb_state, sizeof(vol->sb_state));
	vol->sb_copy = base->sb_copy;
	vol->checksum_seed = base->checksum_seed;
	vol->unread = base->unread;
	vol->is_overlaid = base->is_overlaid;
	vol->has_chosen_pack = base->has_chosen_pack;
	vol->is_newest = base->is_newest;
	vol->is_doubted = base->is_doubted;
	vol->sit_agrees = base->sit_agrees;
}

static int fill(struct f2fs_volume *vol, struct f2fs_volume *base)
{
	const uint64_t metadata = (uint64_t)base->geo.main_blkaddr << base->geo.block_bits;
	int err = device_new_overlay(base->dev, metadata + (1u << 20), NULL, &vol->dev);

	if (err)
		return err;
	copy_roots(vol, base);
	err = device_new_cache(vol->dev, VOLUME_CACHE_BYTES, vol->geo.block_size, &vol->cache);
	if (!err)
		err = copy_pack(vol, base);
	if (!err)
		err = copy_rescue(vol, base);
	if (!err)
		err = keyring_copy(vol, base);
	return err ? err : zones_load(vol);
}

int beside_open(struct f2fs_volume *base, struct f2fs_volume **out)
{
	struct f2fs_volume *vol;
	int err = volume_new(base->ctx, &vol);

	if (err)
		return err;
	err = fill(vol, base);
	if (!err)
		err = beside_join(vol, base);
	if (err)
		return volume_abandon(base->ctx, vol, err);
	volume_start_clock(vol);
	*out = vol;
	return 0;
}
