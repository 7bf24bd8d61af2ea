/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Planning a layout: from sizes and options to every number of a new volume (FORMAT volume 3). Pure; the other
 * direction, from a superblock to its numbers, is geometry.h. The numbers are those that f2fs-tools' mkfs.f2fs (1.16)
 * comes to, but for its defects: see plan.c.
 */
#ifndef F2FSKIT_FORMAT_PLAN_H
#define F2FSKIT_FORMAT_PLAN_H

#include <f2fskit/mkfs.h>
#include <stdbool.h>

/* Why a layout is not possible: PLAN(name, text). The text ends a sentence about the volume or option at fault. */
#define PLAN_TABLE(X)                                                                                                  \
	X(TOO_SMALL, "too small")                                                                                      \
	X(TOO_LARGE, "too large")                                                                                      \
	X(DEVICE_SIZE, "one of the further devices is smaller than a zone")                                            \
	X(BLOCK_SIZE, "the block size must be 4096 or 16384")                                                          \
	X(SECTOR_SIZE, "the sector size must be a power of two from 512 to the block size")                            \
	X(SECTOR_SIZES, "the devices' sector sizes differ")                                                            \
	X(SECTION_SIZE, "segments per section times sections per zone must be from 1 to 8388608")                      \
	X(OVERPROVISION, "the overprovision ratio must be above 0 and below 100 percent")                              \
	X(RESERVED, "at least 8 sections must be reserved")                                                            \
	X(RESERVED_ZONED, "reserved sections are for zoned volumes only")                                              \
	X(RESERVED_RATIO,                                                                                              \
	  "with reserved sections the overprovision ratio must be worth six sections more: it is too small")           \
	X(FEATURE_UNKNOWN, "unknown feature bit")                                                                      \
	X(FEATURE_EXTRA_ATTR, "project_quota, inode_checksum, flexible_inline_xattr, inode_crtime and compression "    \
			      "need the extra_attr feature")                                                           \
	X(RO_ZONED, "a read-only volume cannot be on a zoned device")                                                  \
	X(RO_ALIAS, "a read-only volume cannot have device aliases")                                                   \
	X(NOT_ZONED, "none of the devices is zoned")                                                                   \
	X(ZONED, "the device is zoned: a zoned volume is needed")                                                      \
	X(ZONED_DISCARD, "a zoned volume needs discard: its zones must be reset")                                      \
	X(ZONE_SIZES, "the zoned devices' zone sizes differ")                                                          \
	X(ZONE_SIZE, "the zone size is not a multiple of the segment size")                                            \
	X(ZONE_START, "the start of the device is not aligned to its zones")                                           \
	X(ZONE_METADATA, "the metadata does not fit in the conventional zones at the start of the device")             \
	X(ZONE_FIRST_DEVICE, "the first device is too small for the metadata, which cannot be in sequential zones")    \
	X(ZONE_FIRST_ZONED, "the first of several devices must have conventional zones")                               \
	X(ALIAS_FIRST, "the first device cannot be an alias")                                                          \
	X(ALIAS_ZONED, "a device with sequential zones cannot be an alias")                                            \
	X(ALIAS_METADATA, "the first device is too small for the metadata, which cannot be in an alias")

enum plan_result {
	PLAN_OK = 0,
#define PLAN_ENUM(name, text) PLAN_##name,
	PLAN_TABLE(PLAN_ENUM)
#undef PLAN_ENUM
};

struct plan_device {
	uint64_t size;	      /* bytes */
	uint32_t sector_size; /* bytes */
	uint64_t zone_bytes;  /* 0: not zoned */
	uint8_t zone_type;    /* enum f2fs_zone_type of the zones that are not conventional */
	uint8_t is_alias;
	uint32_t conventional_zones; /* at its start */
	uint64_t zone_capacity;	     /* bytes that each sequential zone holds */
};

struct plan_input {
	uint32_t block_size;
	uint32_t segs_per_sec, secs_per_zone; /* zoned: given by the device */
	uint32_t feature;		      /* normalized by plan_features */
	uint64_t start_sector;		      /* of the first device on its disk, 512-byte sectors */
	double overprovision;		      /* 0: search */
	uint32_t reserved_sections;	      /* 0: from the ratio */
	uint8_t large_nat;
	uint8_t no_nat_bits;
	uint32_t device_count;
	struct plan_device devices[F2FS_MAX_DEVICES];
};

/* Bring features that others imply along, drop those without meaning, refuse combinations (FORMAT volume 2.4). */
enum plan_result plan_features(uint32_t feature, uint32_t block_size, uint32_t *normalized);
/* Compute a layout; out is complete when PLAN_OK is returned. */
enum plan_result plan_layout(const struct plan_input *in, struct f2fs_layout *out);

/* The areas of a volume that is there already and changes its size. */
struct plan_areas {
	uint32_t block_size;
	uint32_t segs_per_sec, secs_per_zone;
	uint32_t feature;
	uint32_t segment_count;				   /* of the volume, from segment0 on */
	uint32_t least_sit_segments, least_nat_segments; /* that it has: areas do not shrink */
	uint8_t large_nat;
};
/*
 * Compute area sizes, cp_payload and the main area for a volume that begins at segment0: of out, the geometry's area
 * sizes and addresses and the sizes of the bitmaps.
 */
enum plan_result plan_areas(const struct plan_areas *in, uint32_t segment0, struct f2fs_layout *out);
/* Find the smallest size of the first device, from its given size on, that makes a layout; 0: none. */
uint64_t plan_minimum(const struct plan_input *in);
const char *plan_text(enum plan_result result);

#endif
