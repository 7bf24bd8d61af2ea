/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Zones of devices as f2fs-tools print them.
 */
#ifndef F2FSKIT_DUMP_CLASSIC_ZONES_H
#define F2FSKIT_DUMP_CLASSIC_ZONES_H

#include <stdio.h>

#include <f2fskit/device.h>

/* What zones a device has; nothing when it has none. */
void classic_zones(FILE *out, struct f2fs_device *dev, uint32_t block_size);

#endif
