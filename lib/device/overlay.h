/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep writes to a device in memory and in a temporary file.
 */
#ifndef F2FSKIT_DEVICE_OVERLAY_H
#define F2FSKIT_DEVICE_OVERLAY_H

#include "device/device.h"

/* f2fs_device_open_overlay() without clearing the last error. */
int device_new_overlay(struct f2fs_device *inner, uint64_t memory_limit, const char *spill_dir,
		       struct f2fs_device **out);

#endif
