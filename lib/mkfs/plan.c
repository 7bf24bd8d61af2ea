/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Build the input of the planner from devices and options, and a helpful error from its verdict.
 */
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/sized.h"
#include "device/device.h"
#include "format/plan.h"
#include "mkfs/names.h"
#include "mkfs/plan.h"

static int error_code_of(enum plan_result result)
{
	switch (result) {
	case PLAN_TOO_SMALL:
	case PLAN_DEVICE_SIZE:
		return F2FS_ERR_NOSPC;
	case PLAN_TOO_LARGE:
		return F2FS_ERR_TOO_BIG;
	case PLAN_FEATURE_EXTRA_ATTR:
	case PLAN_FEATURE_UNKNOWN:
	case PLAN_RO_ZONED:
	case PLAN_RO_ALIAS:
		return F2FS_ERR_UNSUPPORTED;
	default:
		return F2FS_ERR_INVALID;
	}
}

static uint64_t size_of(const struct f2fs_mkfs_device *dev)
{
	return dev->size ? dev->size : f2fs_device_info(dev->device)->size;
}

/* first: as it was given, with a part of a sector at the end, perhaps. */
static int refuse(struct f2fs_context *ctx, const struct plan_input *in, const struct f2fs_mkfs_device *first,
		  enum plan_result result)
{
	uint64_t size = size_of(first), smallest;
	int code = error_code_of(result);

	if (result == PLAN_TOO_LARGE)
		return error_set(ctx, code, "too large: the largest size with blocks of %u bytes is %llu TiB",
				 in->block_size, (unsigned long long)in->block_size >> 8);
	if (result != PLAN_TOO_SMALL)
		return error_set(ctx, code, "%s", plan_text(result));
	if (in->feature & F2FS_FEAT_BLKZONED)
		return error_set(ctx, code, "%llu bytes are too small for zones of %llu bytes",
				 (unsigned long long)size,
				 (unsigned long long)in->devices[in->devices[0].zone_bytes == 0].zone_bytes);
	smallest = plan_minimum(in);
	if (smallest == 0)
		return error_set(ctx, code, "%llu bytes are too small, and no larger size is enough with these options",
				 (unsigned long long)size);
	return error_set(ctx, code, "%llu bytes are too small: the smallest size with these options is %llu (%llu MiB)",
			 (unsigned long long)size, (unsigned long long)smallest,
			 (unsigned long long)(smallest + (1u << 20) - 1) >> 20);
}

static int take_options(struct f2fs_context *ctx, const struct f2fs_mkfs_options *o, struct plan_input *in)
{
	enum plan_result result;
	uint32_t feature = o->feature & ~(uint32_t)(F2FS_FEAT_BLKZONED | F2FS_FEAT_DEVICE_ALIAS);

	memset(in, 0, sizeof(*in));
	in->block_size = o->block_size ? o->block_size : 4096;
	in->segs_per_sec = o->segs_per_sec ? o->segs_per_sec : 1;
	in->secs_per_zone = o->secs_per_zone ? o->secs_per_zone : 1;
	in->overprovision = o->overprovision;
	in->reserved_sections = o->reserved_sections;
	in->large_nat = o->large_nat;
	in->no_nat_bits = o->no_nat_bits;
	if (o->zoned)
		feature |= F2FS_FEAT_BLKZONED;
	result = plan_features(feature, in->block_size, &in->feature);
	if (!result && o->zoned && o->no_discard)
		result = PLAN_ZONED_DISCARD;
	return result ? error_set(ctx, error_code_of(result), "%s", plan_text(result)) : 0;
}

/* Add one zone to the data for the plan. */
static int take_zone(struct f2fs_context *ctx, const struct f2fs_zone *zone, uint64_t *capacity,
		     struct plan_device *out)
{
	bool was_conventional = out->conventional_zones * out->zone_bytes == zone->start;

	if (zone->length < out->zone_bytes)
		return 0; /* a remainder at the end: not used */
	if (zone->type == F2FS_ZONE_CONVENTIONAL) {
		out->conventional_zones += was_conventional;
		return 0;
	}
	if (out->zone_type != F2FS_ZONE_SEQUENTIAL)
		out->zone_type = zone->type;
	if (*capacity && *capacity != zone->capacity)
		return error_set(ctx, F2FS_ERR_UNSUPPORTED, "the capacities of the zones differ");
	*capacity = out->zone_capacity = zone->capacity;
	return 0;
}

/* Collect the data about a device's zones for the plan. */
static int take_zones(struct f2fs_context *ctx, struct f2fs_device *dev, uint64_t *capacity, struct plan_device *out)
{
	enum { BATCH = 64 };
	struct f2fs_zone zones[BATCH];
	unsigned found;

	out->zone_bytes = f2fs_device_info(dev)->zone_bytes;
	for (uint64_t first = 0; first * out->zone_bytes < out->size; first += found) {
		int err = device_zones_quiet(dev, first, zones, BATCH, &found);

		if (err)
			return device_report(dev, err, "report the zones in", first * out->zone_bytes, out->zone_bytes);
		if (found == 0)
			return error_set(ctx, F2FS_ERR_IO, "the device does not report all its zones");
		for (unsigned i = 0; i < found; i++) {
			err = take_zone(ctx, &zones[i], capacity, out);
			if (err)
				return err;
		}
	}
	return 0;
}

/* *capacity: of the zones of the devices before, 0: none. */
static int take_device(struct f2fs_context *ctx, const struct f2fs_mkfs_device *dev, uint64_t *capacity,
		       struct plan_input *in)
{
	struct plan_device *out = &in->devices[in->device_count];
	const struct f2fs_device_info *info = f2fs_device_info(dev->device);

	if (dev->size > info->size)
		return error_set(ctx, F2FS_ERR_INVALID, "%llu bytes are more than the device has (%llu)",
				 (unsigned long long)dev->size, (unsigned long long)info->size);
	out->size = size_of(dev);
	if (info->sector_size)
		out->size -= out->size % info->sector_size;
	out->sector_size = info->sector_size;
	out->is_alias = dev->alias != NULL;
	if (dev->alias)
		in->feature |= F2FS_FEAT_DEVICE_ALIAS;
	if (in->device_count == 0)
		in->start_sector = info->start_sector;
	in->device_count++;
	if (info->zone_bytes && (info->caps & F2FS_DEVICE_ZONED))
		return take_zones(ctx, dev->device, capacity, out);
	return 0;
}

int mkfs_plan(struct f2fs_context *ctx, const struct f2fs_mkfs_device *devices, unsigned count,
	      const struct f2fs_mkfs_options *options, struct f2fs_layout *out)
{
	struct plan_input in;
	enum plan_result result;
	uint64_t capacity = 0;
	int err = take_options(ctx, options, &in);

	if (err)
		return err;
	if (count < 1 || count > F2FS_MAX_DEVICES)
		return error_set(ctx, F2FS_ERR_INVALID, "a volume is on 1 to %u devices", F2FS_MAX_DEVICES);
	for (unsigned i = 0; i < count; i++) {
		for (unsigned j = 0; j < i; j++)
			if (devices[j].device == devices[i].device)
				return error_set(ctx, F2FS_ERR_INVALID, "a device is given twice");
		err = take_device(ctx, &devices[i], &capacity, &in);
		if (err)
			return err;
	}
	result = plan_features(in.feature, in.block_size, &in.feature);
	if (!result)
		result = plan_layout(&in, out);
	return result ? refuse(ctx, &in, devices, result) : 0;
}

int f2fs_mkfs_plan(struct f2fs_context *ctx, const struct f2fs_mkfs_device *devices, unsigned count,
		   const struct f2fs_mkfs_options *options, struct f2fs_layout *out)
{
	struct f2fs_mkfs_options own;
	int err;

	error_clear(ctx);
	err = sized_take(ctx, &own, sizeof(own), options);
	if (!err)
		err = mkfs_check_names(ctx, devices, count, &own);
	return err ? err : mkfs_plan(ctx, devices, count, &own, out);
}

int f2fs_mkfs_minimum_size(struct f2fs_context *ctx, const struct f2fs_mkfs_options *options, uint64_t *bytes)
{
	struct f2fs_mkfs_options own;
	struct f2fs_layout layout;
	struct plan_input in;
	enum plan_result result;
	uint64_t smallest;
	int err;

	error_clear(ctx);
	err = sized_take(ctx, &own, sizeof(own), options);
	if (!err)
		err = take_options(ctx, &own, &in);
	if (err)
		return err;
	in.device_count = 1;
	in.devices[0].sector_size = 512;
	result = plan_layout(&in, &layout);
	if (result != PLAN_TOO_SMALL)
		return error_set(ctx, error_code_of(result), "%s", plan_text(result));
	smallest = plan_minimum(&in);
	if (smallest == 0)
		return error_set(ctx, F2FS_ERR_NOSPC, "no size is enough with these options");
	*bytes = smallest;
	return 0;
}
