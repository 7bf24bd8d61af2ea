/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The zones of a device as sections of the main area. Loaded once; only write pointers are asked for again.
 */
#include "volume/zone_map.h"

#include "base/bitmap.h"
#include "base/error.h"
#include "device/device.h"
#include "volume/beside.h"

#define ZONES_AT_ONCE 64u

static uint64_t section_start(const struct f2fs_volume *vol, uint32_t section)
{
	return (uint64_t)geometry_segment_start(&vol->geo, section * vol->geo.segs_per_sec) << vol->geo.block_bits;
}

static bool is_section_sized(const struct f2fs_volume *vol, const struct f2fs_zone *zone)
{
	return zone->length == ((uint64_t)vol->geo.segs_per_sec * F2FS_SEGMENT_BLOCKS) << vol->geo.block_bits;
}

/* Note a zone that must be written in order; false when it is no section. */
static bool note_zone(struct f2fs_volume *vol, const struct f2fs_zone *zone)
{
	const uint64_t main = (uint64_t)vol->geo.main_blkaddr << vol->geo.block_bits,
		       section_bytes = ((uint64_t)vol->geo.segs_per_sec * F2FS_SEGMENT_BLOCKS) << vol->geo.block_bits;
	const uint64_t section = zone->start < main ? 0 : (zone->start - main) / section_bytes;
	const uint64_t capacity = zone->capacity >> vol->geo.block_bits;

	if (zone->start < main)
		return zone->start + zone->length <= main;
	if (section >= vol->geo.section_count)
		return true;
	if (section_start(vol, (uint32_t)section) != zone->start || !is_section_sized(vol, zone))
		return false;
	msb_set(vol->zones.sequential, (size_t)section);
	if (vol->zones.capacity && vol->zones.capacity != capacity)
		return false;
	vol->zones.capacity = (uint32_t)capacity;
	return true;
}

int zones_load(struct f2fs_volume *vol)
{
	struct f2fs_zone zones[ZONES_AT_ONCE];
	unsigned found = 0;

	vol->zones.fit = true;
	vol->zones.in_order = UINT64_MAX;
	if (!(f2fs_device_info(vol->dev)->caps & F2FS_DEVICE_ZONED))
		return 0;
	vol->zones.fit = geometry_has(&vol->geo, F2FS_FEAT_BLKZONED);
	if (!vol->zones.fit)
		return 0;
	vol->zones.sequential = mem_zalloc(vol->ctx, (size_t)vol->geo.section_count / 8 + 1);
	if (!vol->zones.sequential)
		return F2FS_ERR_NOMEM;
	for (;; vol->zones.count += found) {
		int rc = device_zones_quiet(vol->dev, vol->zones.count, zones, ZONES_AT_ONCE, &found);

		if (rc != 0)
			return device_report(vol->dev, rc, "read the zones of", 0, 0);
		if (found == 0)
			return 0;
		for (unsigned i = 0; i < found; i++) {
			if (zones[i].type != F2FS_ZONE_SEQUENTIAL)
				continue;
			if (vol->zones.in_order == UINT64_MAX)
				vol->zones.in_order = zones[i].start >> vol->geo.block_bits;
			if (!note_zone(vol, &zones[i]))
				vol->zones.fit = false;
		}
	}
}

int zones_check_fit(struct f2fs_volume *vol)
{
	if (vol->zones.fit)
		return 0;
	if (!geometry_has(&vol->geo, F2FS_FEAT_BLKZONED))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "%s has zones that must be written in order, and the volume was not made for that",
				 vol->dev->name);
	return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED, "the zones of %s are not the sections of the volume",
			 vol->dev->name);
}

bool zones_is_sequential(const struct f2fs_volume *vol, uint32_t section)
{
	return vol->zones.sequential && msb_test(vol->zones.sequential, section);
}

uint32_t zones_usable(const struct f2fs_volume *vol, f2fs_seg_t segno)
{
	const uint64_t before = (uint64_t)(segno % vol->geo.segs_per_sec) * F2FS_SEGMENT_BLOCKS;

	if (vol->zones.capacity == 0 || vol->zones.capacity >= before + F2FS_SEGMENT_BLOCKS)
		return F2FS_SEGMENT_BLOCKS;
	return vol->zones.capacity > before ? (uint32_t)(vol->zones.capacity - before) : 0;
}

uint32_t zones_section_blocks(const struct f2fs_volume *vol)
{
	const uint32_t all = vol->geo.segs_per_sec * F2FS_SEGMENT_BLOCKS;

	return vol->zones.capacity > 0 && vol->zones.capacity < all ? vol->zones.capacity : all;
}

int zones_look(struct f2fs_volume *vol, uint32_t section, struct f2fs_zone *out)
{
	const uint64_t at = section_start(vol, section);
	uint64_t low = 0, high = vol->zones.count;

	/* zones follow each other; a set of devices may begin with longer ones */
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;
		unsigned found = 0;
		int rc = device_zones_quiet(vol->dev, middle, out, 1, &found);

		if (rc != 0 || found == 0)
			return device_report(vol->dev, rc ? rc : F2FS_ERR_IO, "read the zones of", at, 0);
		if (out->start == at)
			return 0;
		if (out->start < at)
			low = middle + 1;
		else
			high = middle;
	}
	return device_report(vol->dev, F2FS_ERR_IO, "find the zone in", at, 0);
}

int zones_written_end(struct f2fs_volume *vol, uint32_t section, uint64_t *end)
{
	struct f2fs_zone zone;
	int err;

	if (!zones_is_sequential(vol, section)) {
		*end = (section_start(vol, section) >> vol->geo.block_bits) +
		       (uint64_t)vol->geo.segs_per_sec * F2FS_SEGMENT_BLOCKS;
		return 0;
	}
	err = zones_look(vol, section, &zone);
	if (!err)
		*end = zone.write_pointer >> vol->geo.block_bits;
	return err;
}

int zones_reset(struct f2fs_volume *vol, uint32_t section)
{
	const uint64_t at = section_start(vol, section);
	int rc;

	beside_note(vol, at, (uint64_t)vol->geo.segs_per_sec * F2FS_SEGMENT_BLOCKS << vol->geo.block_bits);
	rc = device_zone_reset_quiet(vol->cache, at);
	vol->counters.zone_resets++;
	return rc ? device_report(vol->dev, rc, "reset the zone of", at, 0) : 0;
}

int zones_finish(struct f2fs_volume *vol, uint32_t section)
{
	const uint64_t at = section_start(vol, section);
	int rc = device_zone_finish_quiet(vol->dev, at);

	return rc ? device_report(vol->dev, rc, "finish the zone of", at, 0) : 0;
}

int zones_reset_blocks(struct f2fs_volume *vol, uint64_t first, uint64_t end)
{
	struct f2fs_zone zones[ZONES_AT_ONCE];
	const uint32_t bits = vol->geo.block_bits;
	unsigned found = 0;

	for (uint64_t next = 0; next < vol->zones.count; next += found) {
		int rc = device_zones_quiet(vol->dev, next, zones, ZONES_AT_ONCE, &found);

		if (rc != 0 || found == 0)
			return device_report(vol->dev, rc ? rc : F2FS_ERR_IO, "read the zones of", 0, 0);
		for (unsigned i = 0; i < found; i++) {
			const struct f2fs_zone *z = &zones[i];

			if (z->type != F2FS_ZONE_SEQUENTIAL || z->start >> bits < first || z->start >> bits >= end ||
			    z->write_pointer == z->start)
				continue;
			rc = device_zone_reset_quiet(vol->cache, z->start);
			if (rc != 0)
				return device_report(vol->dev, rc, "reset the zone of", z->start, 0);
			vol->counters.zone_resets++;
		}
	}
	return 0;
}
