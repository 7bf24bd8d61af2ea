/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make a window of a device, such as a partition of a disk.
 */
#ifndef F2FSKIT_DEVICE_SLICE_H
#define F2FSKIT_DEVICE_SLICE_H

#include "device/device.h"

/* f2fs_device_open_slice() without clearing the last error. */
int device_new_slice(struct f2fs_device *inner, uint64_t offset, uint64_t length, struct f2fs_device **out);

#endif
