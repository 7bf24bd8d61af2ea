/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repeat failed reads of a device.
 */
#ifndef F2FSKIT_DEVICE_RETRY_H
#define F2FSKIT_DEVICE_RETRY_H

#include "device/device.h"

/* Read; what fails is tried a few times. Records no error. */
int device_read_again(struct f2fs_device *dev, uint64_t offset, void *buffer, size_t length);
/* Make a layer that reads so. */
int device_new_retry(struct f2fs_device *inner, struct f2fs_device **out);

#endif
