/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read and check the metadata of a super partition. All numbers are little-endian.
 *
 * After 4096 reserved bytes two copies of the geometry follow, of 4096 bytes each: magic u32, size u32, SHA-256 of size
 * bytes (with zeros for itself), most bytes of a slot's metadata u32, slots u32, block size u32. The metadata of all
 * slots follows, and then the second copies of all. Metadata begins with a header: magic u32, version u16 and u16, size
 * u32, SHA-256 of the header (with zeros for itself), size of the tables u32, SHA-256 of the tables, and offset, count
 * and row size of the tables of partitions, extents, groups and block devices. From version 10.2 on 128 bytes more
 * follow.
 *
 * Rows: a partition is name[36], attributes u32, first extent u32, extents u32, group u32. An extent is sectors u64,
 * kind u32, first sector u64, device u32. A device is first usable sector u64, alignment u32 and u32, bytes u64,
 * name[36], flags u32.
 */
#include "disk/super_metadata.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/error.h"
#include "base/sha.h"
#include "base/vec.h"

#define GEOMETRY_AT 4096u
#define GEOMETRY_ROOM 4096u
#define GEOMETRY_SIZE 52u
#define GEOMETRY_MAGIC 0x616C4467u
#define METADATA_AT (GEOMETRY_AT + 2 * GEOMETRY_ROOM)
#define METADATA_MAGIC 0x414C5030u
#define HEADER_SIZE 128u
#define LONG_HEADER_SIZE 256u
#define MAJOR 10u
#define LAST_MINOR 2u
#define SUM_SIZE 32u
#define NAME_SIZE 36u

/* Limits that Android's own images stay far below. */
#define MOST_METADATA (1u << 20)
#define MOST_SLOTS 32u

enum { ATTRIBUTE_SUFFIXED = 2, ATTRIBUTE_DISABLED = 8 };
enum { PARTITION_ROW = 52, EXTENT_ROW = 24, DEVICE_ROW = 64 };

static bool read_within(struct f2fs_device *dev, uint64_t offset, void *buffer, size_t length)
{
	return range_within(offset, length, dev->info.size) && device_read_quiet(dev, offset, buffer, length) == 0;
}

/* Is the sum at offset `at` that of the bytes, with zeros in its own place? They have the zeros afterwards. */
static bool has_own_sum(uint8_t *bytes, size_t size, size_t at)
{
	uint8_t stored[SUM_SIZE], sum[SHA_MAX_SIZE];

	memcpy(stored, bytes + at, SUM_SIZE);
	memset(bytes + at, 0, SUM_SIZE);
	return sha_digest(SHA_256, bytes, size, sum) == 0 && memcmp(stored, sum, SUM_SIZE) == 0;
}

static int refuse(struct f2fs_device *dev, const char *rule, const char *what)
{
	const struct error_where where = { .structure = "android super", .rule = rule };

	return error_at(dev->ctx, F2FS_ERR_CORRUPT, &where, "%s: its dynamic partitions cannot be read: %s", dev->name,
			what);
}

/* ---- geometry ---- */

bool super_has_magic(struct f2fs_device *dev)
{
	uint8_t magic[4];

	for (unsigned i = 0; i < 2; i++)
		if (read_within(dev, GEOMETRY_AT + i * GEOMETRY_ROOM, magic, sizeof(magic)) &&
		    get_le32(magic) == GEOMETRY_MAGIC)
			return true;
	return false;
}

static bool take_geometry(struct f2fs_device *dev, uint64_t at, struct super_geometry *geometry)
{
	uint8_t raw[GEOMETRY_SIZE];

	if (!read_within(dev, at, raw, sizeof(raw)) || get_le32(raw) != GEOMETRY_MAGIC ||
	    get_le32(raw + 4) != GEOMETRY_SIZE || !has_own_sum(raw, GEOMETRY_SIZE, 8))
		return false;
	geometry->most_bytes = get_le32(raw + 40);
	geometry->slots = get_le32(raw + 44);
	return geometry->most_bytes >= HEADER_SIZE && geometry->most_bytes <= MOST_METADATA &&
	       geometry->most_bytes % SUPER_SECTOR == 0 && geometry->slots > 0 && geometry->slots <= MOST_SLOTS;
}

int super_load_geometry(struct f2fs_device *dev, struct super_geometry *geometry)
{
	if (take_geometry(dev, GEOMETRY_AT, geometry) || take_geometry(dev, GEOMETRY_AT + GEOMETRY_ROOM, geometry))
		return 0;
	return refuse(dev, SUPER_RULE_GEOMETRY, "both copies of their geometry are damaged");
}

/* ---- metadata ---- */

/* Find a table by its descriptor; false when it is not within the tables. */
static bool take_rows(const uint8_t *descriptor, const uint8_t *tables, uint32_t size, uint32_t row,
		      struct super_rows *rows)
{
	const uint32_t offset = get_le32(descriptor);

	rows->count = get_le32(descriptor + 4);
	rows->size = get_le32(descriptor + 8);
	rows->at = tables + (offset <= size ? offset : 0);
	return rows->size >= row && range_within(offset, (uint64_t)rows->count * rows->size, size);
}

/* Does each partition have extents of the table, and a name that ends? */
static bool has_sound_partitions(const struct super_metadata *metadata)
{
	for (uint32_t i = 0; i < metadata->partitions.count; i++) {
		const uint8_t *raw = metadata->partitions.at + (size_t)i * metadata->partitions.size;

		if (raw[0] == 0 || !range_within(get_le32(raw + 40), get_le32(raw + 44), metadata->extents.count))
			return false;
	}
	return true;
}

/* Is each extent of the super partition where that has data? */
static bool has_sound_extents(const struct super_metadata *metadata)
{
	const uint64_t first = get_le64(metadata->devices.at), bytes = get_le64(metadata->devices.at + 16);

	for (uint32_t i = 0; i < metadata->extents.count; i++) {
		const uint8_t *raw = metadata->extents.at + (size_t)i * metadata->extents.size;
		const uint64_t count = get_le64(raw), start = get_le64(raw + 12);

		if (count == 0 || count > INT64_MAX / SUPER_SECTOR || get_le32(raw + 8) > SUPER_ZERO)
			return false;
		if (get_le32(raw + 8) == SUPER_ZERO)
			continue;
		if (get_le32(raw + 20) >= metadata->devices.count)
			return false;
		if (get_le32(raw + 20) == 0 && (start < first || !range_within(start, count, bytes / SUPER_SECTOR)))
			return false;
	}
	return true;
}

static int compare_extents(const void *a, const void *b)
{
	const struct super_extent *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* No two extents may share a sector: what is written to one partition must not change another one. */
static int check_overlaps(struct f2fs_device *dev, const struct super_metadata *metadata)
{
	struct vec sorted;
	int err = 0;

	vec_init(&sorted, dev->ctx, sizeof(struct super_extent));
	for (uint32_t i = 0; i < metadata->extents.count && !err; i++) {
		struct super_extent extent, *row;

		super_get_extent(metadata, i, &extent);
		if (extent.kind != SUPER_LINEAR || extent.device != 0)
			continue;
		row = vec_push(&sorted, 1);
		if (row)
			*row = extent;
		else
			err = F2FS_ERR_NOMEM;
	}
	vec_sort(&sorted, compare_extents);
	for (size_t i = 1; i < sorted.count && !err; i++) {
		const struct super_extent *last = vec_at(&sorted, i - 1), *next = vec_at(&sorted, i);

		if (next->offset < last->offset + last->length)
			err = refuse(dev, SUPER_RULE_METADATA, "two of their extents overlap");
	}
	vec_fini(&sorted);
	return err;
}

/* Check the bytes of one copy. Returns what is wrong, or NULL. */
static const char *check_bytes(const struct super_geometry *geometry, struct super_metadata *metadata)
{
	uint8_t *raw = metadata->bytes, sum[SHA_MAX_SIZE];
	const uint32_t size = get_le32(raw + 8), tables = get_le32(raw + 44);

	if (get_le32(raw) != METADATA_MAGIC)
		return "their metadata has no magic number";
	if (get_le16(raw + 4) != MAJOR || get_le16(raw + 6) > LAST_MINOR)
		return "their metadata has a later version";
	if (size != (get_le16(raw + 6) < 2 ? HEADER_SIZE : LONG_HEADER_SIZE) || size > geometry->most_bytes ||
	    tables > geometry->most_bytes - size)
		return "the sizes in the header of their metadata do not fit";
	if (!has_own_sum(raw, size, 12))
		return "the header of their metadata has a wrong checksum";
	if (sha_digest(SHA_256, raw + size, tables, sum) != 0 || memcmp(sum, raw + 48, SUM_SIZE) != 0)
		return "the tables of their metadata have a wrong checksum";
	if (!take_rows(raw + 80, raw + size, tables, PARTITION_ROW, &metadata->partitions) ||
	    !take_rows(raw + 92, raw + size, tables, EXTENT_ROW, &metadata->extents) ||
	    !take_rows(raw + 116, raw + size, tables, DEVICE_ROW, &metadata->devices) || metadata->devices.count == 0)
		return "the tables of their metadata are not within it";
	return has_sound_partitions(metadata) && has_sound_extents(metadata) ?
		       NULL :
		       "an extent is outside of its table or device";
}

int super_load_metadata(struct f2fs_device *dev, const struct super_geometry *geometry, uint32_t slot,
			struct super_metadata *metadata)
{
	const char *why = "their metadata cannot be read";

	memset(metadata, 0, sizeof(*metadata));
	metadata->bytes = mem_alloc(dev->ctx, geometry->most_bytes > LONG_HEADER_SIZE ? geometry->most_bytes
										      : LONG_HEADER_SIZE);
	if (!metadata->bytes)
		return F2FS_ERR_NOMEM;
	for (unsigned copy = 0; copy < 2; copy++) {
		const uint64_t number = (uint64_t)copy * geometry->slots + slot;

		if (!read_within(dev, METADATA_AT + number * geometry->most_bytes, metadata->bytes,
				 geometry->most_bytes))
			continue;
		why = check_bytes(geometry, metadata);
		if (!why)
			return check_overlaps(dev, metadata);
	}
	return refuse(dev, SUPER_RULE_METADATA, why);
}

void super_free_metadata(struct f2fs_device *dev, struct super_metadata *metadata)
{
	mem_free(dev->ctx, metadata->bytes);
	metadata->bytes = NULL;
}

void super_get_partition(const struct super_metadata *metadata, uint32_t i, struct super_partition *out)
{
	const uint8_t *raw = metadata->partitions.at + (size_t)i * metadata->partitions.size;
	const uint32_t attributes = get_le32(raw + 36);

	memset(out->name, 0, sizeof(out->name));
	memcpy(out->name, raw, NAME_SIZE);
	out->is_suffixed = (attributes & ATTRIBUTE_SUFFIXED) != 0;
	out->is_disabled = (attributes & ATTRIBUTE_DISABLED) != 0;
	out->first_extent = get_le32(raw + 40);
	out->extent_count = get_le32(raw + 44);
}

void super_get_extent(const struct super_metadata *metadata, uint32_t i, struct super_extent *out)
{
	const uint8_t *raw = metadata->extents.at + (size_t)i * metadata->extents.size;

	out->length = get_le64(raw) * SUPER_SECTOR;
	out->kind = get_le32(raw + 8);
	out->offset = out->kind == SUPER_LINEAR ? get_le64(raw + 12) * SUPER_SECTOR : 0;
	out->device = out->kind == SUPER_LINEAR ? get_le32(raw + 20) : 0;
}
