/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read a zstd file in the seekable format in place.
 */
#ifndef F2FSKIT_DEVICE_ZSTD_READ_H
#define F2FSKIT_DEVICE_ZSTD_READ_H

#include "device/device.h"

/* Is this a zstd file that can be read in place? */
bool zstd_is_seekable(struct f2fs_device *dev);
/* f2fs_device_open_zstd() without clearing the last error. */
int zstd_make(struct f2fs_device *inner, struct f2fs_device **out);

#endif
