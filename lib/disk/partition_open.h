/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A partition as a device.
 */
#ifndef F2FSKIT_DISK_PARTITION_OPEN_H
#define F2FSKIT_DISK_PARTITION_OPEN_H

#include "disk/partition_table.h"

/* Open the device of a row. It ends with the disk if the partition continues past that. Fails with RANGE (nothing of it
 * is on the disk), NOMEM. */
int partition_open(const struct partition_table *table, const struct partition_row *row, struct f2fs_device **out);

#endif
