/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Join parts of devices to one device.
 */
#ifndef F2FSKIT_DEVICE_MULTI_H
#define F2FSKIT_DEVICE_MULTI_H

#include "device/device.h"

/* f2fs_device_open_multi() without clearing the last error. */
int device_new_multi(struct f2fs_context *ctx, const struct f2fs_device_part *parts, unsigned count,
		     struct f2fs_device **out);

#endif
