/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parts of devices one after the other as one device: a volume on several disks. A request that crosses the end of a
 * part is split. Zones are those of the zoned parts; a part without zones counts as one conventional zone.
 */
#include "base/checked.h"
#include "base/error.h"
#include "base/sorted.h"
#include "device/device.h"
#include "device/iov.h"
#include "device/multi.h"

struct part {
	struct f2fs_device *device;
	uint64_t offset; /* on the part's device */
	uint64_t start;	 /* on the whole */
	uint64_t length; /* > 0 */
	uint64_t zone_first;
	uint64_t zone_count; /* 1 when the part has no zones */
};

struct multi {
	struct f2fs_context *ctx;
	struct part *parts;
	unsigned count;
};

static int compare_starts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Return the part that holds the byte at offset. */
static const struct part *find_part(const struct multi *multi, uint64_t offset)
{
	const struct part key = { .start = offset };

	return &multi->parts[sorted_last(multi->parts, multi->count, sizeof(key), compare_starts, &key)];
}

/* Return the longest piece of a range in one part, which is stored with the place on its device. */
static uint64_t locate(const struct multi *multi, uint64_t offset, uint64_t length, const struct part **part,
		       uint64_t *place)
{
	const struct part *p = find_part(multi, offset);
	const uint64_t left = p->start + p->length - offset;

	*part = p;
	*place = p->offset + (offset - p->start);
	return length < left ? length : left;
}

typedef int (*transfer_fn)(struct f2fs_device *dev, uint64_t offset, const struct f2fs_iovec *iov, unsigned count);
typedef int (*range_fn)(struct f2fs_device *dev, uint64_t offset, uint64_t length);

static int transfer(const struct multi *multi, uint64_t offset, const struct f2fs_iovec *iov, unsigned count,
		    transfer_fn call)
{
	uint64_t left = iov_length_capped(iov, count);
	struct iov_cursor cursor;
	const struct part *part;
	uint64_t place;
	int rc = 0;

	if (locate(multi, offset, left, &part, &place) == left)
		return call(part->device, place, iov, count);
	iov_cursor_init(&cursor, iov, count);
	while (rc == 0 && left > 0) {
		struct f2fs_iovec piece[IOV_PART];
		unsigned filled;
		uint64_t n = locate(multi, offset, left, &part, &place);

		n = iov_take(&cursor, n, piece, &filled);
		rc = call(part->device, place, piece, filled);
		offset += n;
		left -= n;
	}
	return rc;
}

static int change_range(const struct multi *multi, uint64_t offset, uint64_t length, range_fn call)
{
	int rc = 0;

	while (rc == 0 && length > 0) {
		const struct part *part;
		uint64_t place;
		const uint64_t n = locate(multi, offset, length, &part, &place);

		rc = call(part->device, place, n);
		offset += n;
		length -= n;
	}
	return rc;
}

static int read_multi(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	return transfer(self, offset, iov, count, device_readv_quiet);
}

static int write_multi(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	return transfer(self, offset, iov, count, device_writev_quiet);
}

static int zero_multi(void *self, uint64_t offset, uint64_t length)
{
	return change_range(self, offset, length, device_zero_quiet);
}

static int discard_multi(void *self, uint64_t offset, uint64_t length)
{
	return change_range(self, offset, length, device_discard_quiet);
}

/* Flush all, even after a failure. */
static int flush_multi(void *self)
{
	const struct multi *multi = self;
	int rc = 0;

	for (unsigned i = 0; i < multi->count; i++) {
		int part_rc = device_flush_quiet(multi->parts[i].device);

		if (rc == 0)
			rc = part_rc;
	}
	return rc;
}

static int find_multi_extent(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	const struct part *part;
	uint64_t place;
	const uint64_t left = locate(self, offset, UINT64_MAX, &part, &place);
	int rc = device_extent_quiet(part->device, place, length, is_hole);

	if (rc == 0 && *length > left)
		*length = left;
	return rc;
}

/* Fill in the zone members of a part without zones. */
static void describe_conventional(const struct part *part, struct f2fs_zone *zone)
{
	zone->start = part->start;
	zone->length = part->length;
	zone->capacity = part->length;
	zone->write_pointer = part->start;
	zone->type = F2FS_ZONE_CONVENTIONAL;
	zone->empty = 0;
	zone->full = 0;
	zone->reserved = 0;
}

/* Report zones of one part; first counts from the part's first zone. */
static int report_part_zones(const struct part *part, uint64_t first, struct f2fs_zone *zones, unsigned count,
			     unsigned *found)
{
	const uint64_t zone_bytes = part->device->info.zone_bytes;
	int rc;

	if (!(part->device->info.caps & F2FS_DEVICE_ZONED)) {
		describe_conventional(part, zones);
		*found = 1;
		return 0;
	}
	if (count > part->zone_count - first)
		count = (unsigned)(part->zone_count - first);
	rc = device_zones_quiet(part->device, part->offset / zone_bytes + first, zones, count, found);
	for (unsigned i = 0; rc == 0 && i < *found; i++) {
		zones[i].start = zones[i].start - part->offset + part->start;
		zones[i].write_pointer = zones[i].write_pointer - part->offset + part->start;
	}
	return rc;
}

static int report_multi_zones(void *self, uint64_t first, struct f2fs_zone *zones, unsigned count, unsigned *found)
{
	const struct multi *multi = self;
	unsigned filled = 0;

	for (unsigned i = 0; i < multi->count && filled < count; i++) {
		const struct part *part = &multi->parts[i];
		const uint64_t next = first + filled;
		unsigned n = 0;
		int rc;

		if (next < part->zone_first || next >= part->zone_first + part->zone_count)
			continue;
		rc = report_part_zones(part, next - part->zone_first, zones + filled, count - filled, &n);
		if (rc != 0)
			return rc;
		filled += n;
	}
	*found = filled;
	return 0;
}

static int reset_multi_zone(void *self, uint64_t offset)
{
	const struct part *part;
	uint64_t place;

	locate(self, offset, 1, &part, &place);
	return device_zone_reset_quiet(part->device, place);
}

static int finish_multi_zone(void *self, uint64_t offset)
{
	const struct part *part;
	uint64_t place;

	locate(self, offset, 1, &part, &place);
	return device_zone_finish_quiet(part->device, place);
}

static const uint8_t *peek_multi(void *self, uint64_t offset, size_t length)
{
	const struct multi *multi = self;
	const struct part *last = &multi->parts[multi->count - 1];
	const struct part *part;
	uint64_t place;

	if (!range_within(offset, length, last->start + last->length) || length == 0 ||
	    locate(multi, offset, length, &part, &place) < length)
		return NULL;
	return device_peek(part->device, place, length);
}

static struct f2fs_device *find_below_multi(void *self, uint64_t *offset)
{
	const struct part *part = find_part(self, *offset);

	*offset = part->offset + (*offset - part->start);
	return part->device;
}

static void close_multi(void *self)
{
	struct multi *multi = self;

	for (unsigned i = 0; i < multi->count; i++)
		f2fs_device_close(multi->parts[i].device);
	mem_free(multi->ctx, multi->parts);
	mem_free(multi->ctx, multi);
}

static const struct f2fs_device_ops multi_ops = {
	.read = read_multi,
	.write = write_multi,
	.zero = zero_multi,
	.discard = discard_multi,
	.flush = flush_multi,
	.extent = find_multi_extent,
	.zones = report_multi_zones,
	.zone_reset = reset_multi_zone,
	.zone_finish = finish_multi_zone,
	.close = close_multi,
};

static int check_part(struct f2fs_context *ctx, const struct f2fs_device_part *part, unsigned index)
{
	const struct f2fs_device_info *info = &part->device->info;

	if (part->device->ctx != ctx)
		return error_set(ctx, F2FS_ERR_INVALID, "part %u (%s) belongs to another context", index,
				 part->device->name);
	if (!range_within(part->offset, part->length, info->size))
		return error_set(ctx, F2FS_ERR_RANGE, "part %u needs %llu bytes at %llu, %s has %llu", index,
				 (unsigned long long)part->length, (unsigned long long)part->offset, part->device->name,
				 (unsigned long long)info->size);
	if ((info->caps & F2FS_DEVICE_ZONED) && part->offset % info->zone_bytes != 0)
		return error_set(ctx, F2FS_ERR_INVALID, "part %u (%s) does not begin with a zone", index,
				 part->device->name);
	return 0;
}

/* Add up the abilities of the parts. References to the parts are taken here, when nothing can fail any more. */
static void fill_parts(struct multi *multi, const struct f2fs_device_part *parts, unsigned count,
		       struct f2fs_device_info *info)
{
	const uint32_t all = F2FS_DEVICE_WRITE | F2FS_DEVICE_PARALLEL | F2FS_DEVICE_PARALLEL_WRITE | F2FS_DEVICE_ZEROED;
	uint64_t zones = 0;

	info->caps = all;
	for (unsigned i = 0; i < count; i++) {
		const struct f2fs_device_info *have = &parts[i].device->info;
		struct part *part = &multi->parts[multi->count];

		info->caps &= have->caps | ~all;
		info->caps |= have->caps & (F2FS_DEVICE_BLOCK | F2FS_DEVICE_DISCARD | F2FS_DEVICE_ZONED);
		if (have->sector_size > info->sector_size)
			info->sector_size = have->sector_size;
		if (have->caps & F2FS_DEVICE_ZONED)
			info->zone_bytes = have->zone_bytes;
		if (i == 0)
			info->start_sector = have->start_sector;
		if (parts[i].length == 0)
			continue;
		part->device = f2fs_device_ref(parts[i].device);
		part->offset = parts[i].offset;
		part->length = parts[i].length;
		part->start = info->size;
		part->zone_first = zones;
		part->zone_count = (have->caps & F2FS_DEVICE_ZONED) ? div_ceil64(part->length, have->zone_bytes) : 1;
		zones += part->zone_count;
		info->size += part->length;
		multi->count++;
	}
}

static int check_parts(struct f2fs_context *ctx, const struct f2fs_device_part *parts, unsigned count)
{
	uint64_t size = 0;

	for (unsigned i = 0; i < count; i++) {
		int rc = check_part(ctx, &parts[i], i);

		if (rc != 0)
			return rc;
		/* Each is below 2^63, and so is the sum before. */
		size += parts[i].length;
		if (size > INT64_MAX)
			return error_set(ctx, F2FS_ERR_TOO_BIG, "the devices together are too big");
	}
	if (size == 0)
		return error_set(ctx, F2FS_ERR_INVALID, "a set of devices needs at least one that is not empty");
	return 0;
}

int device_new_multi(struct f2fs_context *ctx, const struct f2fs_device_part *parts, unsigned count,
		     struct f2fs_device **out)
{
	struct f2fs_device_info info = { 0 };
	struct f2fs_device *dev;
	struct multi *multi;
	int rc;

	rc = check_parts(ctx, parts, count);
	if (rc != 0)
		return rc;
	multi = mem_zalloc(ctx, sizeof(*multi));
	if (!multi)
		return F2FS_ERR_NOMEM;
	multi->ctx = ctx;
	multi->parts = mem_calloc(ctx, count, sizeof(*multi->parts));
	if (!multi->parts) {
		mem_free(ctx, multi);
		return F2FS_ERR_NOMEM;
	}
	fill_parts(multi, parts, count, &info);
	rc = device_make(ctx, "the set of devices", &multi_ops, multi, &info, &dev);
	if (rc != 0) {
		close_multi(multi);
		return rc;
	}
	if (!(info.caps & F2FS_DEVICE_ZONED)) {
		dev->ops.zones = NULL;
		dev->ops.zone_reset = NULL;
		dev->ops.zone_finish = NULL;
	}
	for (unsigned i = 0; i < multi->count && dev->owner == 0; i++)
		dev->owner = multi->parts[i].device->owner;
	for (unsigned i = 0; i < multi->count; i++) {
		const uint32_t open = multi->parts[i].device->open_zones;

		if (open > 0 && (dev->open_zones == 0 || open < dev->open_zones))
			dev->open_zones = open;
	}
	dev->peek = peek_multi;
	dev->below = find_below_multi;
	*out = dev;
	return 0;
}

int f2fs_device_open_multi(struct f2fs_context *ctx, const struct f2fs_device_part *parts, unsigned count,
			   struct f2fs_device **out)
{
	error_clear(ctx);
	return device_new_multi(ctx, parts, count, out);
}
