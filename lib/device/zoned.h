/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Zones of a block device of the host: operations on a struct hostfile.
 */
#ifndef F2FSKIT_DEVICE_ZONED_H
#define F2FSKIT_DEVICE_ZONED_H

#include "device/file.h"


int zoned_report(void *self, uint64_t first, struct f2fs_zone *zones, unsigned count, unsigned *found);
int zoned_reset(void *self, uint64_t offset);
int zoned_finish(void *self, uint64_t offset);

#endif
