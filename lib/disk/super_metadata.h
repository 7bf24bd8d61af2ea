/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The geometry of a super partition, and the metadata of one slot, as Android's liblp stores them.
 */
#ifndef F2FSKIT_DISK_SUPER_METADATA_H
#define F2FSKIT_DISK_SUPER_METADATA_H

#include "device/device.h"

#define SUPER_SECTOR 512u
#define SUPER_RULE_GEOMETRY "SUPER_GEOMETRY"
#define SUPER_RULE_METADATA "SUPER_METADATA"

struct super_geometry {
	uint32_t most_bytes; /* of the metadata of a slot */
	uint32_t slots;
};

/* The kinds of extents. */
enum { SUPER_LINEAR = 0, SUPER_ZERO = 1 };

/* A table within the metadata. */
struct super_rows {
	const uint8_t *at;
	uint32_t count, size; /* rows, bytes of each */
};

struct super_metadata {
	uint8_t *bytes;
	struct super_rows partitions, extents, devices;
};

struct super_partition {
	char name[40];
	bool is_suffixed; /* the name lacks the suffix of its slot */
	bool is_disabled;
	uint32_t first_extent, extent_count;
};

struct super_extent {
	uint64_t offset, length; /* bytes; the offset is of the super partition */
	uint32_t kind;		 /* SUPER_LINEAR or SUPER_ZERO */
	uint32_t device;	 /* its number; 0 is the super partition itself */
};

/* Has a device the magic number of a geometry in one of the two places? */
bool super_has_magic(struct f2fs_device *dev);
/* Read the geometry, from its second copy if the first is damaged. Fails with CORRUPT, NOMEM. */
int super_load_geometry(struct f2fs_device *dev, struct super_geometry *geometry);
/* Read and check the metadata of a slot, from its second copy if the first is damaged. Fails with CORRUPT,
 * NOMEM. */
int super_load_metadata(struct f2fs_device *dev, const struct super_geometry *geometry, uint32_t slot,
			struct super_metadata *metadata);
void super_free_metadata(struct f2fs_device *dev, struct super_metadata *metadata);
/* Get rows of checked metadata. */
void super_get_partition(const struct super_metadata *metadata, uint32_t i, struct super_partition *out);
void super_get_extent(const struct super_metadata *metadata, uint32_t i, struct super_extent *out);

#endif
