/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find where F2FS volumes begin on a device: at its start, in a partition, or shifted by some sectors.
 */
#ifndef F2FSKIT_DISK_VOLUME_PLACE_H
#define F2FSKIT_DISK_VOLUME_PLACE_H

#include "device/device.h"
#include "format/structs.h"

/* A shifted volume is looked for up to here. */
#define VOLUME_PLACE_MOST ((uint64_t)1 << 20)

/* Has one of the two superblocks of a volume that begins at start the magic number? sb (sb_SIZE bytes) gets the first
 * valid one; *is_valid: there is one. */
bool volume_place_has_magic(struct f2fs_device *dev, uint64_t start, uint8_t *sb, bool *is_valid);
/* Find the first volume that begins at a sector of the first MiB, except at byte 0. 0, F2FS_ERR_NOT_FOUND without a
 * record, or NOMEM. */
int volume_place_search(struct f2fs_device *dev, uint64_t *start);
#endif
