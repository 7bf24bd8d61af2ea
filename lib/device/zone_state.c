/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Zones in memory: where each can be written next.
 */
#include "device/zone_state.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/sorted.h"

#define ZONES_AT_ONCE 64u

int zone_state_make(struct zone_state *state, struct f2fs_context *ctx, uint64_t size,
		    const struct f2fs_zone_options *options)
{
	const uint64_t bytes = options->zone_bytes, capacity = options->capacity ? options->capacity : bytes;
	const uint64_t count = bytes ? div_ceil64(size, bytes) : 0;

	if (bytes < 4096 || bytes % 512 || capacity > bytes || capacity % 512 || count > SIZE_MAX)
		return error_set(ctx, F2FS_ERR_INVALID, "there are no zones of %llu bytes that hold %llu",
				 (unsigned long long)bytes, (unsigned long long)capacity);
	state->zones = mem_calloc(ctx, (size_t)count, sizeof(*state->zones));
	if (!state->zones)
		return F2FS_ERR_NOMEM;
	state->ctx = ctx;
	state->count = count;
	state->open_most = options->open_zones;
	for (uint64_t i = 0; i < count; i++) {
		struct f2fs_zone *zone = &state->zones[i];

		zone->start = zone->write_pointer = i * bytes;
		zone->length = zone->capacity = size - zone->start < bytes ? size - zone->start : bytes;
		zone->type = F2FS_ZONE_CONVENTIONAL;
		if (i < options->conventional)
			continue;
		zone->type = F2FS_ZONE_SEQUENTIAL;
		zone->capacity = zone->length < capacity ? zone->length : capacity;
		zone->empty = !options->is_full;
		zone->full = options->is_full != 0;
		if (options->is_full)
			zone->write_pointer = zone->start + zone->length;
	}
	return 0;
}

int zone_state_copy(struct zone_state *state, struct f2fs_device *dev)
{
	unsigned found = 0;

	state->ctx = dev->ctx;
	for (;; state->count += found) {
		struct f2fs_zone *more =
			mem_realloc_array(dev->ctx, state->zones, (size_t)state->count + ZONES_AT_ONCE, sizeof(*more));
		int rc;

		if (!more)
			return F2FS_ERR_NOMEM;
		state->zones = more;
		rc = device_zones_quiet(dev, state->count, more + state->count, ZONES_AT_ONCE, &found);
		if (rc != 0)
			return device_report(dev, rc, "read the zones of", 0, 0);
		if (found == 0)
			return 0;
	}
}

void zone_state_fini(struct zone_state *state)
{
	if (state->zones)
		mem_free(state->ctx, state->zones);
	state->zones = NULL;
	state->count = 0;
}

static int compare_starts(const void *a, const void *b)
{
	const struct f2fs_zone *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* The zone that holds the byte at offset; the last one for bytes after it. */
static struct f2fs_zone *find_zone(const struct zone_state *state, uint64_t offset)
{
	const struct f2fs_zone key = { .start = offset };

	return &state->zones[sorted_last(state->zones, (size_t)state->count, sizeof(key), compare_starts, &key)];
}

static uint64_t end_of(const struct f2fs_zone *zone)
{
	return zone->start + zone->length;
}

/* May an empty zone be begun? */
static bool may_open(const struct zone_state *state)
{
	uint32_t n = 0;

	for (uint64_t i = 0; state->open_most > 0 && i < state->count; i++)
		n += state->zones[i].type == F2FS_ZONE_SEQUENTIAL && !state->zones[i].empty && !state->zones[i].full;
	return state->open_most == 0 || n < state->open_most;
}

int zone_state_check(const struct zone_state *state, uint64_t offset, uint64_t length)
{
	const uint64_t end = offset + length;

	for (uint64_t at = offset; state->count > 0 && at < end;) {
		const struct f2fs_zone *zone = find_zone(state, at);
		const uint64_t stop = end < end_of(zone) ? end : end_of(zone);

		if (zone->type == F2FS_ZONE_SEQUENTIAL &&
		    (zone->full || at != zone->write_pointer || stop > zone->start + zone->capacity ||
		     (zone->empty && !may_open(state))))
			return F2FS_ERR_IO;
		if (stop <= at)
			break;
		at = stop;
	}
	return 0;
}

void zone_state_advance(struct zone_state *state, uint64_t offset, uint64_t length)
{
	const uint64_t end = offset + length;

	for (uint64_t at = offset; state->count > 0 && at < end;) {
		struct f2fs_zone *zone = find_zone(state, at);
		const uint64_t stop = end < end_of(zone) ? end : end_of(zone);

		if (zone->type == F2FS_ZONE_SEQUENTIAL) {
			zone->write_pointer = stop > zone->write_pointer ? stop : zone->write_pointer;
			zone->empty = 0;
			zone->full = zone->full || stop == zone->start + zone->capacity;
		}
		if (stop <= at)
			break;
		at = stop;
	}
}

int zone_state_report(const struct zone_state *state, uint64_t first, struct f2fs_zone *zones, unsigned count,
		      unsigned *found)
{
	for (*found = 0; *found < count && first + *found < state->count; ++*found)
		zones[*found] = state->zones[first + *found];
	return 0;
}

const struct f2fs_zone *zone_state_reset(struct zone_state *state, uint64_t offset)
{
	struct f2fs_zone *zone = find_zone(state, offset);

	if (zone->type == F2FS_ZONE_CONVENTIONAL)
		return NULL;
	zone->write_pointer = zone->start;
	zone->empty = 1;
	zone->full = 0;
	return zone;
}

const struct f2fs_zone *zone_state_finish(struct zone_state *state, uint64_t offset)
{
	struct f2fs_zone *zone = find_zone(state, offset);

	if (zone->type == F2FS_ZONE_CONVENTIONAL)
		return NULL;
	zone->write_pointer = end_of(zone);
	zone->empty = 0;
	zone->full = 1;
	return zone;
}
