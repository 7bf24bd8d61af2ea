/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Android's dynamic partitions: the logical partitions of a super partition, or of an image of one.
 */
#ifndef F2FSKIT_DISK_ANDROID_SUPER_H
#define F2FSKIT_DISK_ANDROID_SUPER_H

#include "disk/partition_table.h"

/* Has a device the geometry of a super partition in one of the two places? */
bool android_super_has_magic(struct f2fs_device *dev);
/*
 * Add the logical partitions of dev to table, whose disk has dev at byte base. They are called "parent:name". Fails
 * with CORRUPT (rules SUPER_GEOMETRY, SUPER_METADATA; the tables of all slots are damaged), NOMEM.
 */
int android_super_add(struct partition_table *table, struct f2fs_device *dev, uint64_t base, const char *parent);

#endif
