/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All partitions of a disk, with the volumes in them.
 */
#ifndef F2FSKIT_DISK_PARTITION_LIST_H
#define F2FSKIT_DISK_PARTITION_LIST_H

#include "disk/partition_table.h"

/* Read the tables of a disk, and look for F2FS in each partition. No table: no rows. Call partition_table_fini() also
 * after a failure. */
int partition_list_load(struct partition_table *table, struct f2fs_device *disk);

#endif
