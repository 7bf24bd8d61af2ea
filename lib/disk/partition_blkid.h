/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Partition tables as libblkid knows them.
 */
#ifndef F2FSKIT_DISK_PARTITION_BLKID_H
#define F2FSKIT_DISK_PARTITION_BLKID_H

#include "disk/partition_table.h"

/* Add the partitions that libblkid finds on the disk; none without a table. Fails with IO, NOMEM, UNSUPPORTED (built
 * without libblkid). */
int partition_blkid_add(struct partition_table *table);

#endif
