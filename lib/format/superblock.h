/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Superblock: validation and checksum. Fields are read with the sb_ accessors of structs.h.
 */
#ifndef F2FSKIT_FORMAT_SUPERBLOCK_H
#define F2FSKIT_FORMAT_SUPERBLOCK_H

#include <f2fskit/format.h>

#include "format/rules.h"

/* Return the first rule that a superblock's 3072 raw bytes break, or RULE_NONE (FORMAT volume 2.3). */
enum rule superblock_check(const uint8_t *sb);
/* Set what follows from a layout: magic, version of the format, sizes, areas, features, fixed inodes. */
void superblock_fill(uint8_t *sb, const struct f2fs_geometry *geo);
/* Make sizes and areas of a superblock those of a geometry; the rest stays. */
void superblock_set_layout(uint8_t *sb, const struct f2fs_geometry *geo);
/* Compute the checksum that belongs into field crc. */
uint32_t superblock_crc(const uint8_t *sb);
/* Raw bytes of device entry i (0..7). */
const uint8_t *superblock_device(const uint8_t *sb, unsigned i);
/* Number of entries of the device table; 0 for a volume on one device. */
unsigned superblock_device_count(const uint8_t *sb);
/* Blocks of the volume on device i of the table; *start: the first one. The first device begins with all that is before
 * segment 0. */
uint64_t superblock_device_range(const uint8_t *sb, unsigned i, uint64_t *start);

#endif
