/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ranges of a device that must read as zeros (zeros.c).
 */
#ifndef F2FSKIT_DEVICE_ZEROS_H
#define F2FSKIT_DEVICE_ZEROS_H

#include "device/device.h"

/* Zero bytes whatever the device says of them. */
int zero_bytes(struct f2fs_device *dev, uint64_t at, uint64_t length);
/* Make bytes read as zeros; ranges that the device reports as holes stay. */
int zero_range(struct f2fs_device *dev, uint64_t at, uint64_t length);

#endif
